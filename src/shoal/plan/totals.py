"""The key ``totals`` of a plan: columns that are the sum of others, and stay it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from shoal.kinds import Kind
from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role, require_declared
from shoal.plan.attribute_blocks import MadeBlocks

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


class Total(Options):
    """A column that is the sum of others."""

    total: str = Field(description="the column that is the sum")
    parts: Annotated[tuple[str, ...], Field(min_length=2)] = Field(description="the columns that it is the sum of")
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        0.0, description="how far a record's parts may miss the total in the input, as where cells were rounded"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that belong to it."""
        return (self.total, *self.parts)


def check_totals(plan: Plan) -> None:
    """Refuse totals that are not sums of numbers, or that masking would take apart."""
    _check_names(plan)
    for total in plan.totals:
        where = f"totals of {total.total!r}"
        roles = {plan.attributes[name].role for name in total.columns}
        if len(roles) > 1:
            raise ValueError(
                f"{where}: total and parts must have one role, because what is masked and what leaves as it is do not "
                "add up"
            )
        recoded = [key for key in ("clip", "round_to") if getattr(plan.attributes[total.total], key) is not None]
        if recoded:
            raise ValueError(
                f"{where}: {recoded[0]} of the total would part it from its parts, which tell what it hides: recode "
                "the parts, and the total follows"
            )
        if roles == {Role.QUASI_IDENTIFIER} and plan.release != "permute":
            _check_masked_together(plan, total, where)


def in_order(totals: tuple[Total, ...]) -> list[Total]:
    """Return totals so that each comes after those among its parts; refuse circles."""
    left, done = {total.total: total for total in totals}, list[Total]()
    while left:
        ready = [total for total in left.values() if not any(part in left for part in total.parts)]
        if not ready:
            raise ValueError(f"totals: {', '.join(map(repr, left))} are parts of each other")
        done += ready
        left = {name: total for name, total in left.items() if total not in ready}
    return done


def _check_names(plan: Plan) -> None:
    named = [total.total for total in plan.totals]
    twice = [name for name in named if named.count(name) > 1]
    if twice:
        raise ValueError(f"totals names {twice[0]!r} as a total twice: a column is one sum")
    for total in plan.totals:
        where = f"totals of {total.total!r}"
        if len(set(total.columns)) < len(total.columns):
            raise ValueError(f"{where} names a column twice: parts are different columns, and none is the total")
        for name in total.columns:
            require_declared(name, plan.attributes, where)
            attribute = plan.attributes[name]
            if attribute.role is Role.IDENTIFIER:
                raise ValueError(f"{where} names {name!r}, which is an identifier and never leaves")
            if attribute.compared is not Kind.NUMERIC:
                raise ValueError(f'{where} names {name!r}, which is not declared a number: give it kind = "numeric"')
    in_order(plan.totals)


def _check_masked_together(plan: Plan, total: Total, where: str) -> None:
    """Refuse groups of the total that are not those of its parts: the sum would part records that must look alike."""
    method = METHODS.named(plan.method)
    if method.attributes == "each" or method.masks_values:
        raise ValueError(f"{where}: method {plan.method} masks every column by itself, so that sums do not stay sums")
    if isinstance(plan.blocks, MadeBlocks):
        raise ValueError(f"{where}: blocks that are made may part it from its parts: name the blocks")
    if plan.blocks is not None and not any(set(total.columns) <= set(block) for block in plan.blocks):
        raise ValueError(f"{where}: total and parts must stand in one block, to be masked in the same groups")
