"""Blocks of attributes in a plan, and whether k survives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from shoal.errors import GuaranteeError, PlanError
from shoal.options import Key, Options
from shoal.partitioners import METHODS, block_count
from shoal.partitioners.registry import nominal_methods
from shoal.plan.attribute import Role
from shoal.plan.registered_keys import compares_on_unit_range, protecting_sections

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

Count = Annotated[int, Field(ge=1, strict=True)]


class MadeBlocks(Options):
    """Blocks that are made from the correlations of the quasi-identifiers (Nin 2014, section 4.1)."""

    make: Annotated[Literal["correlated", "spread"], Key(example='blocks = { make = "spread", size = 2 }')] = Field(
        description="correlated: a block holds correlated attributes, so little is lost; spread: correlated attributes "
        "go to different blocks, so more records stay alike"
    )
    size: Annotated[Count | None, Key(example='blocks = { make = "spread", size = 2 }')] = Field(
        None, description="the most quasi-identifiers in a block (or set count)"
    )
    count: Annotated[Count | None, Key(example='blocks = { make = "spread", count = 1 }')] = Field(
        None, description="the number of blocks (or set size)"
    )


def _kind_of_blocks(given: Any) -> str:
    return "made" if isinstance(given, dict | MadeBlocks) else "named"


Blocks = Annotated[
    Annotated[tuple[tuple[str, ...], ...], Tag("named")] | Annotated[MadeBlocks, Tag("made")],
    Discriminator(_kind_of_blocks),
]
"""The blocks by the names of their columns, or how to make them."""


def number_of_blocks(plan: Plan) -> int:
    """Return how many times records are partitioned, each time by other quasi-identifiers."""
    attributes = len(plan.masked_names())
    if METHODS.named(plan.method).attributes == "each":
        return attributes
    if plan.blocks is None:
        return 1
    if isinstance(plan.blocks, MadeBlocks):
        return block_count(attributes, plan.blocks.size, plan.blocks.count)
    return len(plan.blocks)


def why_not_guaranteed(plan: Plan) -> str | None:
    """Return why the plan cannot promise k, in a clause; None where it can."""
    blocks = number_of_blocks(plan)
    if METHODS[plan.method].masks_values:
        return f"{plan.method} masks values, not records, and makes no number of records alike"
    if blocks > 1:
        return (
            f"the quasi-identifiers are masked in {blocks} blocks, and records that are alike in one need not be alike "
            "in the next"
        )
    return None


def require_guarantee(plan: Plan) -> None:
    """Refuse, before any work, a plan that asks for a k that its method cannot promise."""
    reason = why_not_guaranteed(plan)
    if reason is not None and plan.guarantee:
        raise GuaranteeError(
            f"k = {plan.k} cannot be guaranteed: {reason}. Use one block with mdav, vmdav or projected; or set "
            "guarantee = false to release without it, with the anonymity that is left (k') measured"
        )


def check_blocks(plan: Plan) -> None:
    """Refuse methods, blocks and options that do not go together, or change nothing together."""
    method = METHODS[plan.method]
    masked = plan.masked_names()
    kinds = {name: plan.attributes[name].kind for name in masked}
    nominal = [name for name, kind in kinds.items() if kind is not None and kind.is_nominal]
    if nominal and not method.nominal:
        raise ValueError(
            f"method {plan.method} needs values in an order, and {_listed(nominal)} nominal: use "
            f"{nominal_methods()}, which take nominal columns, or declare an order"
        )
    if method.attributes == "one" and len(masked) > 1:
        raise ValueError(
            f"method univariate masks one quasi-identifier, and the plan has {len(masked)}: use individual to mask "
            "each by itself, or projected or mdav to mask them together"
        )
    _check_division(plan, masked)
    if method.attributes != "together":
        _check_inert(plan, masked)
    if why_not_guaranteed(plan) is not None:
        wanted = {name: getattr(plan, name) is not None for name in protecting_sections()}
        wanted['release = "permute"'] = plan.release == "permute"
        for option in (option for option, asked in wanted.items() if asked):
            raise ValueError(
                f"{option} needs groups of whole records, as one block of mdav, vmdav or projected has them"
            )
    elif not plan.guarantee and not compares_on_unit_range(plan):
        raise ValueError(
            f"guarantee = false changes nothing here: method {plan.method} on one block guarantees k, and only t "
            'by closeness.method = "steered" can be given up'
        )
    if plan.intruder is not None:
        if why_not_guaranteed(plan) is None:
            raise ValueError("intruder changes nothing here: k is guaranteed whatever an intruder knows")
        for names in plan.intruder:
            if not names or len(set(names)) < len(names) or not set(names) <= set(plan.names(Role.QUASI_IDENTIFIER)):
                raise ValueError(f"intruder must list sets of quasi-identifiers, each named once, not {list(names)}")


def _check_division(plan: Plan, masked: Sequence[str]) -> None:
    if plan.blocks is None:
        return
    if METHODS[plan.method].attributes in ("one", "each"):
        raise ValueError(f"blocks change nothing with method {plan.method}, which masks each attribute by itself")
    if isinstance(plan.blocks, MadeBlocks):
        try:
            number_of_blocks(plan)
        except PlanError as error:
            raise ValueError(str(error)) from None
        return
    named = Counter(name for block in plan.blocks for name in block)
    absent = [name for name in masked if name not in named]
    strange = [name for name in named if name not in masked]
    twice = [name for name, times in named.items() if times > 1]
    for names, what in ((absent, "in none"), (strange, "no quasi-identifier"), (twice, "in more than one")):
        if names:
            raise ValueError(f"blocks must hold every quasi-identifier once, but {_listed(names)} {what}")
    if not all(plan.blocks):
        raise ValueError("blocks must not be empty")


def _check_inert(plan: Plan, masked: Sequence[str]) -> None:
    """Refuse what has no say where attributes are not compared with each other."""
    mixed = METHODS[plan.method].masks_values
    inert = ("weight", "aggregate") if mixed else ("weight", "scale")
    for name in masked:
        for option in inert:
            if getattr(plan.attributes[name], option) is not None:
                raise ValueError(f"{option} of {name!r} changes nothing with method {plan.method}: leave it out")
    for option in ("dependence", "steer", *(["weights", "dominance"] if mixed else [])):
        if getattr(plan, option):
            raise ValueError(f"{option} has no say in method {plan.method}: use mdav, vmdav or projected")


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names))} {'are' if len(names) > 1 else 'is'}"
