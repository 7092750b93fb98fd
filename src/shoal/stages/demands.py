"""Demands: the constraints that a plan puts on the confidential values of groups, read from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.constrain import (
    Closeness,
    Confidential,
    DistinctDiversity,
    EntropyDiversity,
    Hierarchy,
    PSensitivity,
    RecursiveDiversity,
)
from shoal.constrain.constraints import Constraint
from shoal.encode import Column, read_column
from shoal.encode.column import first_row
from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds import Kind, Missing
from shoal.plan import Plan
from shoal.plan.protections import ClosenessSection, DiversitySection, MissingConfidential, protected_names

Diversity = DistinctDiversity | EntropyDiversity | RecursiveDiversity
Rule = TypeVar("Rule", Closeness, Diversity)


@dataclass(frozen=True, eq=False)
class Demands:
    """What groups must keep.

    Parameters
    ----------
    closeness
        One rule per protected attribute, the leading one first.
    diversity
        The rules of ``[diversity]``.
    near
        Fewest records of a neighbourhood, where the plan asks for (n, t)-closeness.
    """

    closeness: tuple[Closeness, ...] = ()
    diversity: tuple[Diversity, ...] = ()
    near: int | None = None

    def __bool__(self) -> bool:
        return bool(self.closeness or self.diversity)

    @property
    def rules(self) -> tuple[Constraint, ...]:
        """All of them."""
        return (*self.closeness, *self.diversity)

    def take(self, rows: NDArray[np.int64]) -> Demands:
        """Return the demands on some of the records, which are still compared with the whole table."""
        return replace(self, closeness=_take(self.closeness, rows), diversity=_take(self.diversity, rows))


def _take(rules: Sequence[Rule], rows: NDArray[np.int64]) -> tuple[Rule, ...]:
    return tuple(replace(rule, attribute=rule.attribute.take(rows)) for rule in rules)


def read_demands(table: Table, plan: Plan) -> Demands:
    """Read what the plan's ``[closeness]`` and ``[diversity]`` ask of a table."""
    closeness: list[Closeness] = []
    diversity: list[Diversity] = []
    if plan.closeness is not None:
        for name in protected_names(plan.closeness, plan.attributes):
            attribute = _confidential(table, name, plan, plan.closeness)
            closeness.append(Closeness(attribute, plan.closeness.t_of(name)))
    if plan.diversity is not None:
        for name in protected_names(plan.diversity, plan.attributes):
            diversity += _diversities(_confidential(table, name, plan, plan.diversity), plan.diversity)
    near = None if plan.closeness is None else plan.closeness.n
    return Demands(tuple(closeness), tuple(diversity), near)


def _diversities(attribute: Confidential, asked: DiversitySection) -> list[Diversity]:
    rules: list[Diversity] = []
    if asked.distinct is not None:
        rules.append(DistinctDiversity(attribute, asked.distinct))
    if asked.p_sensitive is not None:
        rules.append(PSensitivity(attribute, asked.p_sensitive))
    if asked.entropy is not None:
        rules.append(EntropyDiversity(attribute, asked.entropy))
    if asked.recursive is not None:
        rules.append(RecursiveDiversity(attribute, asked.recursive.c, asked.recursive.l))
    return rules


def _confidential(table: Table, name: str, plan: Plan, section: ClosenessSection | DiversitySection) -> Confidential:
    column = read_column(table, name, plan.attributes[name], Missing.IMPUTE)
    if column.missing is not None and section.missing is MissingConfidential.ERROR:
        where = "closeness" if isinstance(section, ClosenessSection) else "diversity"
        raise DataError(
            f"confidential column {name!r} has {int(column.missing.sum())} missing values, the first in row "
            f'{first_row(column.missing)}: fill them, or set {where}.missing = "category"'
        )
    if not isinstance(section, ClosenessSection) or name not in section.hierarchy:
        return _compared_by_kind(column)
    hierarchy = Hierarchy.of(section.hierarchy[name])
    # A file holds text where the plan may hold numbers: what counts is how a category is written.
    written = replace(hierarchy, leaves=tuple(map(str, hierarchy.leaves)))
    labels = np.array([*map(str, column.levels), None], dtype=object)
    values = labels[_codes(column)]
    build = Confidential.marginal if name in section.marginality else Confidential.hierarchical
    return build(values, written, missing="category", name=name)


def _compared_by_kind(column: Column) -> Confidential:
    if column.kind is Kind.NOMINAL:
        return Confidential.nominal(_codes(column), name=column.name)
    if column.kind is Kind.ORDINAL:
        return Confidential.ordered(_codes(column), name=column.name)
    values = column.values if column.missing is None else np.where(column.missing, np.nan, column.values)
    return Confidential.ordered(values, missing="category", name=column.name)


def _codes(column: Column) -> NDArray[Any]:
    """Return category codes, missing cells after the last category."""
    return column.values if column.missing is None else np.where(column.missing, len(column.levels), column.values)
