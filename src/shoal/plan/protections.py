"""Sections of a plan that protect confidential attributes: ``[closeness]`` and ``[diversity]``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, model_validator

from shoal.constrain.hierarchy import Hierarchy
from shoal.kinds import Kind, Scale
from shoal.plan.attribute import Attribute, Role
from shoal.plan.section import Section

T = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
WholeFromOne = Annotated[int, Field(ge=1, strict=True)]


class ClosenessMethod(StrEnum):
    """How groups become t-close."""

    T_FIRST = "t_first"
    K_FIRST = "k_first"
    MERGE = "merge"
    STEERED = "steered"


class Strata(StrEnum):
    """Which attributes groups of ``t_first`` are spread over by construction."""

    FIRST = "first"
    ALL = "all"


class MissingConfidential(StrEnum):
    """What a missing confidential value is."""

    ERROR = "error"
    CATEGORY = "category"


class ClosenessSection(Section):
    """How far a group's confidential values may be from the table's (P1)."""

    t: T | dict[str, T] = Field(
        description="largest distance of a group to the table, one for all attributes or by name"
    )
    method: ClosenessMethod = Field(
        ClosenessMethod.T_FIRST,
        description="t_first: strata of the first attribute; k_first: near records, then swaps; merge: groups of the "
        "partitioning method, merged; steered: bucket numbers as an artificial attribute",
    )
    attributes: tuple[str, ...] | None = Field(
        None, description="the confidential attributes to protect, the leading one first (all of them if left out)"
    )
    strata: Strata = Field(
        Strata.FIRST,
        description="t_first: spread groups over the first attribute, and merge for the others; or over all, in larger "
        "groups",
    )
    n: WholeFromOne | None = Field(
        None, description="merge: compare a group with its neighbourhood of n records: (n, t)-closeness"
    )
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="steered: bucket numbers span [0, weight] (enough to spread every group if left out)"
    )
    missing: MissingConfidential = Field(
        MissingConfidential.ERROR, description="a missing confidential value: error, or category (a value of its own)"
    )
    hierarchy: dict[str, Any] = Field(
        default_factory=dict, description="trees of nominal attributes: nested tables, lists of categories inside"
    )
    marginality: tuple[str, ...] = Field(
        (), description="nominal attributes with a tree that are ordered from its centre outward instead"
    )

    @model_validator(mode="after")
    def _own_rules(self) -> ClosenessSection:
        used_by = {"strata": ClosenessMethod.T_FIRST, "n": ClosenessMethod.MERGE, "weight": ClosenessMethod.STEERED}
        for option, method in used_by.items():
            if getattr(self, option) not in (None, Strata.FIRST) and self.method is not method:
                raise ValueError(f'{option} is only used by method = "{method}", and the method here is {self.method}')
        for name, tree in self.hierarchy.items():
            try:
                Hierarchy.of(tree)
            except ValueError as error:
                raise ValueError(f"of {name!r}: {error}") from None
        for name in self.marginality:
            if name not in self.hierarchy:
                raise ValueError(f"marginality names {name!r}, which has no tree in hierarchy to be central in")
        return self

    def t_of(self, name: str) -> float:
        """Return the threshold of one attribute."""
        return self.t[name] if isinstance(self.t, dict) else self.t


class Recursive(Section):
    """Recursive (c, l)-diversity."""

    c: Annotated[float, Field(gt=0, lt=1e9)] = Field(
        description="the commonest value occurs less than c times the rest"
    )
    l: WholeFromOne = Field(description="the rest: all values but the l - 1 commonest")  # noqa: E741


class DiversitySection(Section):
    """How different a group's confidential values must be."""

    distinct: WholeFromOne | None = Field(None, description="distinct l-diversity: different values in a group")
    entropy: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = Field(
        None, description="entropy l-diversity: the entropy of a group is at least log l"
    )
    recursive: Recursive | None = Field(
        None, description="recursive (c, l)-diversity: the commonest value is not too common"
    )
    p_sensitive: WholeFromOne | None = Field(
        None, description="p-sensitive k-anonymity: different values in a group, by its other name"
    )
    attributes: tuple[str, ...] | None = Field(
        None, description="the confidential attributes to protect (all of them if left out)"
    )
    missing: MissingConfidential = Field(
        MissingConfidential.ERROR, description="a missing confidential value: error, or category (a value of its own)"
    )

    @model_validator(mode="after")
    def _asks_something(self) -> DiversitySection:
        if all(asked is None for asked in (self.distinct, self.entropy, self.recursive, self.p_sensitive)):
            raise ValueError("asks for nothing: give distinct, entropy, recursive or p_sensitive")
        return self


def protected_names(
    section: ClosenessSection | DiversitySection, attributes: Mapping[str, Attribute]
) -> tuple[str, ...]:
    """Return the confidential attributes that a section protects, the leading one first."""
    if section.attributes is not None:
        return section.attributes
    return tuple(name for name, attribute in attributes.items() if attribute.role is Role.CONFIDENTIAL)


def check_protected(
    where: str, section: ClosenessSection | DiversitySection, attributes: Mapping[str, Attribute]
) -> None:
    """Refuse a section that protects nothing, or names columns that are not confidential."""
    confidential = [name for name, attribute in attributes.items() if attribute.role is Role.CONFIDENTIAL]
    if not confidential:
        raise ValueError(f"{where} needs at least one confidential attribute to protect")
    names = protected_names(section, attributes)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"{where}.attributes must list at least one confidential attribute, each once")
    _require_known(f"{where}.attributes", names, confidential, "declared as confidential")


def check_closeness(section: ClosenessSection, attributes: Mapping[str, Attribute]) -> None:
    """Refuse thresholds and trees that do not fit the attributes."""
    check_protected("closeness", section, attributes)
    names = protected_names(section, attributes)
    if isinstance(section.t, dict):
        _require_known("closeness.t", section.t, names, "protected here")
        absent = [name for name in names if name not in section.t]
        if absent:
            raise ValueError(f"closeness.t must also name {', '.join(map(repr, absent))}, or be one number for all")
    nominal = [name for name in names if attributes[name].kind is Kind.NOMINAL]
    _require_known("closeness.hierarchy", section.hierarchy, nominal, "a nominal attribute protected here")


def check_method(closeness: ClosenessMethod, method: str, scale: Scale) -> None:
    """Refuse a partitioning method or a scale that the closeness method would not use."""
    if closeness is not ClosenessMethod.MERGE and method != "mdav":
        raise ValueError(
            f"closeness.method = {closeness.value!r} forms its own groups, after mdav, and method {method!r} would do "
            'nothing: leave it out, or set closeness.method = "merge"'
        )
    if closeness is ClosenessMethod.STEERED and scale is not Scale.MINMAX:
        raise ValueError(
            'closeness.method = "steered" compares quasi-identifiers on [0, 1], so scale must be "minmax": leave it out'
        )


def is_steered(closeness: Any) -> bool:
    """Whether the values of a closeness section, not yet validated, ask for steering."""
    method = closeness.get("method") if isinstance(closeness, Mapping) else getattr(closeness, "method", None)
    return method == ClosenessMethod.STEERED


def _require_known(where: str, names: Iterable[str], known: Iterable[str], what: str) -> None:
    for name in names:
        if name not in known:
            choice = f": choose among {', '.join(map(repr, known))}" if list(known) else ""
            raise ValueError(f"{where} names {name!r}, which is not {what}{choice}")
