"""Recodings in a plan: which columns they may stand at, and what they may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import nearest
from shoal.kinds import Kind
from shoal.recode import RECODINGS

if TYPE_CHECKING:
    from shoal.plan.attribute import Attribute
    from shoal.plan.plan import Plan


def check_recodings(attribute: Attribute) -> None:
    """Refuse a recoding of a column that never leaves, or whose kind it is not for."""
    kind = attribute.kind
    for key, recoding in RECODINGS.items():
        if getattr(attribute, key) is None:
            continue
        if attribute.role.value == "identifier":
            raise ValueError(f"{key} changes nothing here: an identifier never leaves")
        names = " or ".join(each.value for each in recoding.kinds)
        if kind not in recoding.kinds:
            given = "no kind is given" if kind is None else f"the kind is {kind.value}"
            raise ValueError(f"{key} only applies to {names} columns, and {given} here")
        kind = Kind.NUMERIC if key == "relative_to" else kind
    if attribute.clip is not None:
        dates = kind is not None and kind.is_date
        if attribute.clip.has_numbers if dates else attribute.clip.has_dates:
            is_date = "dates, as this column is one" if dates else "numbers, as this column is one of numbers"
            raise ValueError(f"the bounds of clip must be {is_date}")


def check_references(plan: Plan) -> None:
    """Refuse a distance from a column that is not there, or that holds no dates."""
    for name, attribute in plan.attributes.items():
        other = attribute.relative_to
        if other is None:
            continue
        where = f"relative_to of {name!r}"
        if other == name:
            raise ValueError(f"{where} names the column itself: name another column of dates")
        if other not in plan.attributes:
            raise ValueError(
                f"{where} names {other!r}, which attributes do not declare{nearest(other, plan.attributes)}"
            )
        kind = plan.attributes[other].kind
        if kind is None or not kind.is_date:
            raise ValueError(
                f'{where} names {other!r}, which is not declared a date: give it kind = "date", whatever its role'
            )
        if _leaves_with(plan, name, other):
            raise ValueError(
                f"{where} hides nothing: {other!r} leaves as it is, and with it the days give the date back; make it "
                "an identifier or a quasi_identifier"
            )


def _leaves_with(plan: Plan, name: str, other: str) -> bool:
    """Whether a record leaves with both columns unmasked, and its own."""
    roles = {plan.attributes[column].role.value for column in (name, other)}
    if plan.attributes[other].clip is not None or plan.attributes[other].relative_to is not None:
        return False
    if plan.release == "permute":
        return roles in ({"confidential"}, {"other"}, {"quasi_identifier"}, {"quasi_identifier", "other"})
    return roles <= {"confidential", "other"}


def recodings_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return what is asked of columns, by the keys of the recodings, in the order in which they are applied."""
    asked = {name: recoding_of(attribute) for name, attribute in plan.attributes.items()}
    return {name: keys for name, keys in asked.items() if keys}


def recoding_of(attribute: Attribute) -> dict[str, Any]:
    """Return what is asked of one column: who goes through all of them must not look at all for each."""
    return {key: getattr(attribute, key) for key in RECODINGS if getattr(attribute, key, None) is not None}
