"""Sections of a plan that steer the partition: ``[dependence]`` and the ``[[steer]]`` tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field

from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.partitioners.registry import nominal_methods
from shoal.plan.attribute import Attribute, Role

Omega = Annotated[
    float,
    Field(
        gt=0, allow_inf_nan=False, description="the artificial attribute spans [0, weight], quasi-identifiers [0, 1]"
    ),
]


class Dependence(Options):
    """How much groups should also be alike in the confidential attributes (Rebollo-Monedero et al. 2016)."""

    weight: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        description="λ: 0 looks at the quasi-identifiers alone, 1 at the confidential attributes alone"
    )
    attributes: tuple[str, ...] | None = Field(
        None, description="the confidential attributes to look at (all of them if left out)"
    )


class _SteerTable(Options):
    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        column = getattr(self, "column", None)
        return () if column is None else (column,)


class PositionSteer(_SteerTable):
    """Records near each other in the table share a group."""

    kind: Literal["position"]
    weight: Omega


class ColumnSteer(_SteerTable):
    """Records alike in a column share a group, though the column is not masked."""

    kind: Literal["column"]
    column: str = Field(description="a confidential or other column, declared with its kind")
    weight: Omega


class BucketSteer(_SteerTable):
    """Records from different buckets of a confidential attribute share a group, which makes it diverse."""

    kind: Literal["buckets"]
    column: str = Field(description="a confidential attribute")
    t: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = Field(
        description="as many buckets as t-closeness needs; the closeness itself is not guaranteed here"
    )
    weight: Omega


Steer = Annotated[PositionSteer | ColumnSteer | BucketSteer, Field(discriminator="kind")]


def check_dependence(dependence: Dependence, attributes: Mapping[str, Attribute]) -> None:
    """Refuse a dependence on nothing, or on columns that are not confidential."""
    confidential = [name for name, attribute in attributes.items() if attribute.role is Role.CONFIDENTIAL]
    if not confidential:
        raise ValueError("dependence needs at least one confidential attribute to depend on")
    if dependence.attributes is None:
        return
    if not dependence.attributes or len(set(dependence.attributes)) != len(dependence.attributes):
        raise ValueError("dependence.attributes must list at least one confidential attribute, each once")
    for name in dependence.attributes:
        if name not in confidential:
            raise ValueError(
                f"dependence.attributes names {name!r}, which is not declared as confidential: "
                f"choose among {', '.join(map(repr, confidential))}"
            )


def check_steer(steer: tuple[Steer, ...], attributes: Mapping[str, Attribute], by: str | None) -> None:
    """Refuse artificial attributes that do not exist, steer twice, or change nothing."""
    tables = [(table.kind, *table.columns) for table in steer]
    for table in tables:
        if tables.count(table) > 1:
            raise ValueError(f"steer has {tables.count(table)} tables for {' '.join(table)}: keep one, with its weight")
    for steered in steer:
        for name in steered.columns:
            if name not in attributes:
                raise ValueError(f"steer names {name!r}, which attributes do not declare")
            _check_column(name, attributes[name], steered.kind)
            if name == by:
                raise ValueError(f"steer names {name!r}, which is also by: it is the same for all records of a group")


def check_compared(method: str, names: Iterable[str], attributes: Mapping[str, Attribute]) -> None:
    """Refuse columns that groups should be alike in where the method cannot compare them."""
    for name in names:
        kind = attributes[name].kind
        if kind is not None and kind.is_nominal and not METHODS[method].nominal:
            raise ValueError(
                f"method {method} needs values in an order, and {name!r}, which groups should be alike in, is nominal: "
                f"use {nominal_methods()}, or leave {name!r} out of dependence and steer"
            )


def _check_column(name: str, attribute: Attribute, kind: str) -> None:
    if kind == "buckets" and attribute.role is not Role.CONFIDENTIAL:
        raise ValueError(f"steer makes buckets of {name!r}, which is not confidential but {attribute.role.value}")
    if attribute.role is Role.QUASI_IDENTIFIER:
        raise ValueError(f"steer names {name!r}, which is a quasi_identifier: give it a weight in attributes instead")
    if attribute.role is Role.IDENTIFIER:
        raise ValueError(f"steer names {name!r}, which is an identifier: identifiers are dropped before grouping")
    if attribute.kind is None:
        raise ValueError(
            f"steer names {name!r}, so attributes must declare its kind: numeric, ordinal, nominal or date"
        )
