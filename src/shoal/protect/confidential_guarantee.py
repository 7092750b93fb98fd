"""Guarantees on confidential attributes: what they share, whatever their rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.errors import DataError, PlanError, counted, it_or_them
from shoal.frames import Table
from shoal.kinds import Missing
from shoal.kinds.column import Column, Spec, first_row
from shoal.kinds.registry import read_column
from shoal.kinds.taxonomy import tree_of
from shoal.kinds.text import category_text
from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.guarantee import Demand, Distribution, Evidence, Guarantee, Judgement
from shoal.protect.rules import Rule, worst_shortfalls


class MissingConfidential(StrEnum):
    """What a missing confidential value is."""

    ERROR = "error"
    CATEGORY = "category"


class ProtectedAttributes(Options):
    """What every table of the plan says that protects confidential attributes."""

    attributes: tuple[str, ...] | None = Field(
        None, description="the confidential attributes to protect, the leading one first (all of them if left out)"
    )
    missing: MissingConfidential = Field(
        MissingConfidential.ERROR, description="a missing confidential value: error, or category (a value of its own)"
    )


class ConfidentialGuarantee(Guarantee):
    """A rule on the values of every protected attribute in every class.

    A subclass names its option (``key``), makes the rule of one attribute and says in a sentence what it means.
    """

    limit: ClassVar[str]
    """The field of its rule that holds the value that was asked."""
    meaning: ClassVar[str]
    """What holds, in a sentence."""

    def check_options(self, demand: Demand) -> None:
        """Refuse to protect nothing, or columns that are not confidential."""
        section = demand.sections[self.section]
        if not demand.confidential:
            raise PlanError(f"{self.section} needs at least one confidential attribute to protect")
        names = protected_names(section, demand.confidential)
        if not names or len(set(names)) != len(names):
            raise PlanError(f"{self.section}.attributes must list at least one confidential attribute, each once")
        require_names(f"{self.section}.attributes", names, demand.confidential, "declared as confidential")

    @abstractmethod
    def rule(self, attribute: Confidential, section: Any) -> Rule:
        """Return what the groups must keep on one attribute, as the plan's table asks."""

    def asked(self, rule: Any) -> float:
        """Return the value that was asked."""
        value: float = getattr(rule, self.limit)
        return value

    def definition(self, rule: Any) -> str:
        """Say what holds, in a sentence."""
        return self.meaning

    def rules(self, demand: Demand, table: Table) -> tuple[Rule, ...]:
        """Return one rule for each protected attribute, the leading one first."""
        section = demand.sections[self.section]
        specs = [demand.confidential[name] for name in protected_names(section, demand.confidential)]
        attributes = (
            read_confidential(table, spec, section, self.section, demand.distributions.get(spec.name)) for spec in specs
        )
        return tuple(self.rule(attribute, section) for attribute in attributes)

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Measure the rule on the classes of the released table; its confidential values are read from there."""
        rules = self.rules(demand, evidence.released)
        worst, holds = worst_shortfalls(rules, evidence.classes)
        rule = rules[int(np.argmax(worst))]
        note = by_attribute([(rule, rule.reached(short)) for rule, short in zip(rules, worst, strict=True)])
        return Judgement(self.name, self.asked(rule), rule.reached(max(worst)), holds, self.definition(rule), note)


def protected_names(section: Any, confidential: Iterable[str]) -> tuple[str, ...]:
    """Return the confidential attributes that a table of the plan protects, the leading one first."""
    return tuple(confidential) if section.attributes is None else section.attributes


def require_names(where: str, names: Iterable[str], allowed: Collection[str], what: str) -> None:
    """Refuse a name that is not among the allowed ones."""
    for name in names:
        if name not in allowed:
            choice = f": choose among {', '.join(map(repr, allowed))}" if allowed else ""
            raise PlanError(f"{where} names {name!r}, which is not {what}{choice}")


def by_attribute(reached: Sequence[tuple[Rule, float]]) -> str:
    """Say what each of several attributes reaches."""
    if len(reached) == 1:
        return ""
    return "By attribute: " + ", ".join(f"{rule.attribute.name} {value:.4g}" for rule, value in reached) + "."


def read_confidential(
    table: Table, spec: Spec, section: Any, where: str, distribution: Distribution | None = None
) -> Confidential:
    """Read a confidential attribute as a section of the plan, ``where`` in messages, compares its values.

    ``distribution`` says how the column is distributed in the whole table, where this one is a part of it.
    """
    if distribution is not None:
        return _of_a_part(table, spec, section, where, distribution)
    column = read_column(table, replace(spec, missing=Missing.IMPUTE))
    name = spec.name
    if column.missing is not None and section.missing is MissingConfidential.ERROR:
        count = int(column.missing.sum())
        raise DataError(
            f"confidential column {name!r} has {counted(count, 'missing value')}, the first in row "
            f'{first_row(column.missing)}: fill {it_or_them(count)}, or set {where}.missing = "category"'
        )
    trees = getattr(section, "hierarchy", {})
    if name not in trees:
        return _compared_by_kind(column)
    hierarchy = tree_of(trees[name], map(category_text, column.levels))
    # A file holds text where the plan may hold numbers: what counts is how a category is written.
    written = replace(hierarchy, leaves=tuple(map(str, hierarchy.leaves)))
    labels = np.array([*map(str, column.levels), None], dtype=object)
    values = labels[_codes(column)]
    build = Confidential.marginal if name in section.marginality else Confidential.hierarchical
    return build(values, written, missing="category", name=name)


def _of_a_part(table: Table, spec: Spec, section: Any, where: str, distribution: Distribution) -> Confidential:
    """Read an attribute of a part of a table by the positions of the whole, and compare with its counts."""
    values = distribution.values.select([spec.name])
    count = len(values)
    attribute = read_confidential(values.followed_by(table.select([spec.name])), spec, section, where)
    counts = np.zeros(attribute.levels, dtype=np.int64)
    np.add.at(counts, attribute.codes[:count], distribution.records)
    return replace(attribute.take(np.arange(count, len(attribute))), counts=counts)


def _compared_by_kind(column: Column) -> Confidential:
    if column.kind.is_nominal:
        return Confidential.nominal(_codes(column), name=column.name)
    if column.kind.is_ordinal:
        return Confidential.ordered(_codes(column), name=column.name)
    values = column.values if column.missing is None else np.where(column.missing, np.nan, column.values)
    return Confidential.ordered(values, missing="category", name=column.name)


def _codes(column: Column) -> NDArray[Any]:
    """Return category codes, missing cells after the last category."""
    return column.values if column.missing is None else np.where(column.missing, len(column.levels), column.values)
