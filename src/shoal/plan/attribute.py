"""Attribute: what a plan says of a column, its role × kind and how it is treated.

Roles say what a column means for privacy, kinds say how two of its values are compared. A place is one line, that of
its latitude, and the line of the longitude follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator, model_validator

from shoal.errors import nearest
from shoal.kinds import Kind, Missing, Operator, Scale
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.kinds.taxonomy import Taxonomy
from shoal.options import Options
from shoal.plan.missing_values import MissingValues
from shoal.recode import RECODINGS, Clip, Rare

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


class Role(StrEnum):
    """What a column means for privacy."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    CONFIDENTIAL = "confidential"
    OTHER = "other"


_OF_A_KIND = {
    "order": "ordinal",
    "format": "date",
    "hierarchy": "nominal",
    "longitude": "place",
    "latitude": "place",
    "period": "cyclic",
}
"""Options that one kind has, and no other."""


class Attribute(Options):
    """One column: its role, its kind and how it is treated.

    Options left out take the plan's value or the kind's default. An option that would change nothing for this role
    or kind is refused, so that nobody believes in a protection that is not there.
    """

    role: Role = Field(description="identifier (dropped), quasi_identifier (masked), confidential or other (kept)")
    kind: Kind | None = Field(None, description="numeric, ordinal, nominal, date, place or cyclic")
    order: tuple[str | int | float | bool, ...] | None = Field(
        None, description="the categories of an ordinal column, lowest first"
    )
    format: str | None = Field(
        None, description="how a date is written in a text file, such as %d/%m/%Y (guessed if left out)"
    )
    hierarchy: dict[str, Any] | None = Field(
        None,
        description="the tree of a nominal quasi-identifier's codes: nested tables, lists of codes inside; the name of "
        "a CSV file of paths; or { prefix = [1, 3] }, the first so many characters",
    )
    longitude: str | None = Field(
        None, description="the column of longitudes of a place, whose latitudes this column has, in degrees"
    )
    latitude: str | None = Field(
        None, description="of the column of longitudes: that of latitudes, in whose line the place is described"
    )
    period: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="after how much a cyclic column begins anew: 24 for hours, 365 for days of the year"
    )
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="multiplies the squared differences of this quasi-identifier (default 1)"
    )
    scale: Scale | None = Field(None, description="overrides the plan's scale for this column")
    aggregate: Operator | None = Field(None, description="what stands for a group (default by kind)")
    missing: Missing | None = Field(None, description="overrides the plan's policy for this column")
    missing_values: MissingValues | None = Field(
        None, description='cells of this column that mean "no value", in place of the plan\'s'
    )
    round: bool | None = Field(None, description="overrides the plan's rounding for this column")
    clip: Clip | None = Field(None, description="cut off at low and high, or at quantiles, before records are compared")
    round_to: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="numbers become multiples of this base before records are compared"
    )
    rare: Rare | None = Field(None, description="categories that few have become one before records are compared")
    relative_to: str | None = Field(
        None, description="a date becomes the days since the date in this column, of the same record"
    )

    @field_validator("hierarchy", mode="before")
    @classmethod
    def _from_file(cls, given: Any) -> Any:
        return read_hierarchy(given) if isinstance(given, str) else given

    @cached_property
    def taxonomy(self) -> Taxonomy | None:
        """The tree of the codes, where the column has one."""
        return None if self.hierarchy is None else Taxonomy.of(self.hierarchy)

    @model_validator(mode="after")
    def _consistent(self) -> Attribute:
        masked = self.role is Role.QUASI_IDENTIFIER
        for option in ("weight", "scale", "aggregate", "round", "missing", "hierarchy"):
            if getattr(self, option) is not None and not masked:
                raise ValueError(f"{option} only applies to a quasi_identifier, and the role here is {self.role.value}")
        if self.kind is None and self.role in (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL):
            raise ValueError("kind is required here: numeric, ordinal, nominal, date, place or cyclic")
        given = "no kind is given here" if self.kind is None else f"the kind here is {self.kind.value}"
        for option, needed in _OF_A_KIND.items():
            if getattr(self, option) is not None and self.kind != needed:
                raise ValueError(f'{option} only applies to kind = "{needed}", and {given}')
        _check_recodings(self)
        if self.kind is None:
            return self
        _check_direction(self)
        if self.order is not None and (len(set(map(str, self.order))) != len(self.order) or len(self.order) < 2):
            raise ValueError("order must list at least two different categories, each once, lowest first")
        if self.round is not None and not (self.compared or self.kind).is_number:
            raise ValueError(f"round only applies to numeric columns, places and cycles, not to {self.kind.value}")
        if self.kind.is_categorical:
            if self.scale is not None:
                raise ValueError(f"scale only applies to numeric and date columns, not to {self.kind.value}")
        elif self.missing is Missing.CATEGORY:
            raise ValueError(
                f'missing = "category" only applies to nominal and ordinal columns, not to {self.kind.value}; '
                'use "impute"'
            )
        if self.hierarchy is not None:
            Taxonomy.of(self.hierarchy)  # says what is wrong with it
        elif self.aggregate is not None and self.aggregate.needs_tree:
            raise ValueError(f'aggregate = "{self.aggregate}" needs the tree of the codes: give hierarchy')
        allowed = self.kind.operators
        if self.aggregate is not None and self.aggregate not in allowed:
            names = ", ".join(operator.value for operator in allowed)
            raise ValueError(f"aggregate for kind {self.kind.value} is one of {names}, not {self.aggregate.value}")
        return self

    @property
    def compared(self) -> Kind | None:
        """The kind of the values that are compared and released: the distance from a date is a number."""
        return self.kind if self.relative_to is None else Kind.NUMERIC

    @property
    def operator(self) -> Operator:
        """The operator that stands for a group."""
        if self.kind is None:
            raise TypeError("an attribute without a kind is never aggregated")
        return self.aggregate or self.kind.operators[0]


def _check_recodings(attribute: Attribute) -> None:
    """Refuse a recoding of a column that never leaves, or whose kind it is not for."""
    kind = attribute.kind
    for key, recoding in RECODINGS.items():
        if getattr(attribute, key) is None:
            continue
        if attribute.role is Role.IDENTIFIER:
            raise ValueError(f"{key} changes nothing here: an identifier never leaves")
        names = " or ".join(each.value for each in recoding.kinds)
        if kind not in recoding.kinds:
            given = "no kind is given" if kind is None else f"the kind is {kind.value}"
            raise ValueError(f"{key} only applies to {names} columns, and {given} here")
        kind = Kind.NUMERIC if key == "relative_to" else kind
    if attribute.clip is not None:
        dates = kind is not None and kind.is_date
        bounds = [bound for bound in (attribute.clip.low, attribute.clip.high) if bound is not None]
        if any(isinstance(bound, datetime) is not dates for bound in bounds):
            is_date = "dates, as this column is one" if dates else "numbers, as this column is one of numbers"
            raise ValueError(f"the bounds of clip must be {is_date}")


def recoding_of(attribute: Attribute) -> dict[str, Any]:
    """Return what is asked of one column: who goes through all of them must not look at all for each."""
    return {key: getattr(attribute, key) for key in RECODINGS if getattr(attribute, key, None) is not None}


_SHORTEST = 1e-100
"""Of a period; the twelve digits of a much shorter one are no double."""
_SAID_ONCE = ("weight", "scale", "aggregate", "missing", "round")


def _check_direction(attribute: Attribute) -> None:
    """Refuse a place without its other column and a cycle without its period."""
    kind = attribute.kind
    if kind is None or (kind is kind.base and not kind.is_directional):
        return
    # Of kinds from outside, too: an auditor does not know how their confidential values are compared.
    if attribute.role != "quasi_identifier":
        raise ValueError(
            f'kind = "{kind}" is for quasi-identifiers, and the role here is {attribute.role}: say {kind.in_files}'
        )
    if kind is Kind.CYCLIC:
        if attribute.period is None:
            raise ValueError('kind = "cyclic" needs the period after which values begin anew, such as period = 24')
        if attribute.period < _SHORTEST:
            raise ValueError(f"period must be at least {_SHORTEST:g}, not {attribute.period:g}: use a smaller unit")
    if kind is not Kind.PLACE:
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
    declared: dict[str, Any] = {}
    for name, attribute in attributes.items():
        declared[name] = attribute
        other = attribute.get("longitude") if isinstance(attribute, Mapping) else None
        if isinstance(other, str) and other not in attributes and attribute.get("kind") == Kind.PLACE:
            declared[other] = {"role": attribute.get("role"), "kind": Kind.PLACE, "latitude": name}
    return declared


def require_declared(name: str, attributes: Mapping[str, Attribute], where: str, hint: str = "") -> None:
    """Refuse the name of a column that attributes do not declare."""
    if name not in attributes:
        raise ValueError(f"{where} names {name!r}, which attributes do not declare{nearest(name, attributes)}{hint}")


def check_places(plan: Plan) -> None:
    """Refuse lines of latitudes and longitudes that do not name each other."""
    for name, attribute in plan.attributes.items():
        for key, back in (("longitude", "latitude"), ("latitude", "longitude")):
            other = getattr(attribute, key)
            if other is not None and getattr(plan.attributes.get(other), back, None) != name:
                raise ValueError(
                    f"attributes.{name}.{key} names {other!r}, whose line must be left out or have {back} = {name!r}"
                )
    kinds = {name: plan.attributes[name].kind for name in plan.masked_names()}
    directions = [name for name, kind in kinds.items() if kind is not None and kind.is_directional]
    if directions and plan.method_attributes() != "together":
        raise ValueError(
            f"method {plan.method} masks columns of single numbers, and {directions[0]!r} is a "
            f"{plan.attributes[directions[0]].kind}: use mdav, vmdav or projected"
        )
