"""Places and cycles in a plan: a place is one line, that of its latitude, and the line of the longitude follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.kinds import DIRECTIONAL, Kind

if TYPE_CHECKING:
    from shoal.plan.attribute import Attribute
    from shoal.plan.plan import Plan

_SHORTEST = 1e-100
"""Of a period; the twelve digits of a much shorter one are no double."""
_SAID_ONCE = ("weight", "scale", "aggregate", "missing", "round")


def check_direction(attribute: Attribute) -> None:
    """Refuse a place without its other column and a cycle without its period."""
    if attribute.kind not in DIRECTIONAL:
        return
    if attribute.role != "quasi_identifier":
        raise ValueError(
            f'kind = "{attribute.kind}" is for quasi-identifiers, and the role here is {attribute.role}: say numeric'
        )
    if attribute.kind is Kind.CYCLIC:
        if attribute.period is None:
            raise ValueError('kind = "cyclic" needs the period after which values begin anew, such as period = 24')
        if attribute.period < _SHORTEST:
            raise ValueError(f"period must be at least {_SHORTEST:g}, not {attribute.period:g}: use a smaller unit")
        return
    if (attribute.longitude is None) == (attribute.latitude is None):
        raise ValueError(
            'kind = "place" stands in the line of the latitude and names the other column: longitude = "column"'
        )
    if attribute.latitude is not None:
        for option in _SAID_ONCE:
            if getattr(attribute, option) is not None:
                raise ValueError(f"{option} of a place stands in the line of its latitude, {attribute.latitude!r}")


def with_longitudes(attributes: Any) -> Any:
    """Add the line of each longitude that the line of a latitude names, after it."""
    if not isinstance(attributes, Mapping):
        return attributes
    whole: dict[str, Any] = {}
    for name, attribute in attributes.items():
        whole[name] = attribute
        other = attribute.get("longitude") if isinstance(attribute, Mapping) else None
        if isinstance(other, str) and other not in attributes and attribute.get("kind") == Kind.PLACE:
            whole[other] = {"role": attribute.get("role"), "kind": Kind.PLACE, "latitude": name}
    return whole


def check_places(plan: Plan) -> None:
    """Refuse lines of latitudes and longitudes that do not name each other."""
    for name, attribute in plan.attributes.items():
        for key, back in (("longitude", "latitude"), ("latitude", "longitude")):
            other = getattr(attribute, key)
            if other is not None and getattr(plan.attributes.get(other), back, None) != name:
                raise ValueError(
                    f"attributes.{name}.{key} names {other!r}, whose line must be left out or have {back} = {name!r}"
                )
    directions = [name for name in plan.masked_names() if plan.attributes[name].kind in DIRECTIONAL]
    if directions and plan.method_attributes() != "together":
        raise ValueError(
            f"method {plan.method} masks columns of single numbers, and {directions[0]!r} is a "
            f"{plan.attributes[directions[0]].kind}: use mdav, vmdav or projected"
        )
