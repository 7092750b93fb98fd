"""The keys of a plan that a stream uses. Any other that a plan sets is refused: it would change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_args

from pydantic.fields import FieldInfo

from shoal.errors import PlanError
from shoal.kinds import Missing
from shoal.options import key_of
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Attribute, Role
from shoal.protect import GUARANTEES, asked
from shoal.recode import RECODINGS


def _keys(*words: str) -> tuple[str, ...]:
    """Return the keys of a plan that say of themselves that streams read them, pass them over or refuse them."""
    return tuple(name for name, field in Plan.known_keys().items() if key_of(field).in_streams in words)


FOR_TABLES = _keys("passed over")
"""Keys that may stand in a plan for both, though a stream does not read them: others do, or a stream improves
its groups in another way, by swaps (``stream.sweeps``)."""

USED_IN_CLOSENESS = ("t", "attributes")
USED_IN_ATTRIBUTES = (
    *("role", "kind", "order", "format", "hierarchy", "longitude", "latitude", "period"),
    *("weight", "aggregate", "missing", "missing_values", "round"),
    *RECODINGS,
)


def refuse_unused_choices(plan: Plan) -> None:
    """Refuse a plan that sets what a stream does not use. A key at its default counts as left out."""
    if plan.release is not ReleaseMode.AGGREGATE:
        raise PlanError('a stream releases averages, so release must be "aggregate"')
    if any(plan.missing_policy(name) is Missing.KEEP for name in plan.names(Role.QUASI_IDENTIFIER)):
        raise PlanError('missing = "keep" is a choice for tables: a stream fills gaps, so use "impute" or "category"')
    for guarantee in asked(plan.demand()):
        implied = not guarantee.section and getattr(plan, guarantee.key) is None  # by another key, which is named below
        if not guarantee.in_streams and not implied:
            names = " and ".join(other.name for other in GUARANTEES.values() if other.in_streams)
            section = f"{guarantee.section}." if guarantee.section else ""
            options = getattr(plan, guarantee.section) if guarantee.section else plan
            unset = {name for name in guarantee.keys if getattr(options, name) is None}  # its other names
            keys = ", ".join(f"{section}{name}" for name in guarantee.options.model_fields if name not in unset)
            raise PlanError(f"a stream does not keep {guarantee.name}, only {names}: leave {keys} out of the plan")
    for column, recodings in plan.recodings().items():
        for key, option in recodings.items():
            if RECODINGS[key].needs_table(option):
                raise PlanError(
                    f"{key} of {column!r}, {RECODINGS[key].words(option)}, asks for the whole table, which a stream "
                    "never has: give values, or leave it out"
                )
    # Steering sets the scale by itself: what was written is named before it.
    for path in sorted(_set_and_unused(plan), key=lambda path: path == "scale"):
        raise PlanError(_why_unused(path))


def unused_keys() -> tuple[str, ...]:
    """Return the paths of the keys that a stream refuses, but for those of columns."""
    keys = Plan.known_keys()
    closeness = next(part for part in get_args(keys["closeness"].annotation) if part is not type(None))
    return (
        *_keys("refused"),
        *(f"closeness.{name}" for name in closeness.model_fields if name not in USED_IN_CLOSENESS),
    )


def _set_and_unused(plan: Plan) -> Iterator[str]:
    yield from _unused(plan, Plan.known_keys(), _keys("read", "passed over"))
    for name, attribute in plan.attributes.items():
        yield from _unused(attribute, Attribute.model_fields, USED_IN_ATTRIBUTES, f"attributes.{name}.")
    if plan.closeness is not None:
        yield from _unused(plan.closeness, type(plan.closeness).model_fields, USED_IN_CLOSENESS, "closeness.")


def _unused(values: Any, fields: Mapping[str, FieldInfo], used: Collection[str], prefix: str = "") -> Iterator[str]:
    for name, field in fields.items():
        default = field.get_default(call_default_factory=True)  # a plan from before a key was registered leaves it out
        if name not in used and getattr(values, name, default) != default:
            yield prefix + name


def _why_unused(path: str) -> str:
    why = "is a choice for tables, and a stream does not use it: leave it out of the plan"
    if path.rpartition(".")[2] == "scale":
        why = "is not used by a stream, which compares values by their bounds: give stream.bounds, or leave it out"
    elif path.startswith("closeness."):
        why = (
            "is a choice for tables: in a stream a group grows until it is close to the stream so far, so leave it out "
            "of the plan"
        )
    return f"{path} {why}"
