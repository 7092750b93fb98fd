"""t-Closeness: the confidential values of every class are distributed as in the whole table, within t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from shoal import _core
from shoal.errors import PlanError
from shoal.exact import exact
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.kinds.taxonomy import check_tree
from shoal.options import Key, Options
from shoal.protect.confidential import Confidential
from shoal.protect.confidential_guarantee import ConfidentialGuarantee, by_attribute, protected_names, require_names
from shoal.protect.guarantee import Demand, Evidence, Forecast, Judgement
from shoal.protect.rules import Rule, worst_shortfalls
from shoal.protect.strata import smallest_t, strata_count

UNPROTECTED = "Not protected: "
"""What stands before the attributes that nothing is asked of."""

T = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True, eq=False)
class Closeness:
    """t-closeness: the group's distribution is within t of the table's.

    Parameters
    ----------
    attribute
        The confidential attribute.
    t
        Largest earth mover's distance, read as the decimal it is written as and compared exactly.

    Notes
    -----
    Soria-Comas et al. 2015, Definition 2.

    Examples
    --------
    >>> from shoal.protect.rules import met
    >>> rule = Closeness(Confidential.ordered([1.0, 2.0, 3.0, 4.0]), 0.1)
    >>> met([rule], np.array([0, 0, 1, 1]), 2), met([rule], np.array([0, 1, 1, 0]), 2)
    (array([False, False]), array([False, False]))
    """

    attribute: Confidential
    t: float | Fraction

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"t-closeness with t = {float(self.t):g}"

    def reached(self, shortfall: float) -> float:
        """Distance of a group with this shortfall."""
        return shortfall * float(exact(self.t))

    def distances(self, classes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the earth mover's distance of each class from the table."""
        return self.attribute.kernel.distances(classes, int(classes.max()) + 1)

    @cached_property
    def kernel(self) -> _core.Closeness:
        """Distances are ratios of integers, and so is t: they are compared as such."""
        t = exact(self.t)
        return _core.Closeness(self.attribute.kernel, t.numerator, t.denominator)


class ClosenessOptions(Options):
    """The keys of ``[closeness]`` that say how far is too far (Soria-Comas et al. 2015)."""

    t: T | dict[str, T] = Field(
        description="largest distance of a group to the table, one for all attributes or by name"
    )
    hierarchy: dict[str, Any] = Field(
        default_factory=dict,
        description="trees of nominal attributes: nested tables, lists of categories inside; the name of a CSV file of "
        "paths; or { prefix = [1, 3] }",
    )
    marginality: Annotated[
        tuple[str, ...], Key(not_on_spark="orders categories by all records: declare their order")
    ] = Field((), description="nominal attributes with a tree that are ordered from its centre outward instead")

    @field_validator("hierarchy", mode="before")
    @classmethod
    def _from_files(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: read_hierarchy(tree) if isinstance(tree, str) else tree for name, tree in given.items()}

    @model_validator(mode="after")
    def _check_trees(self) -> ClosenessOptions:
        for name, tree in self.hierarchy.items():
            try:
                check_tree(tree)
            except ValueError as error:
                raise ValueError(f"of {name!r}: {error}") from None
        for name in self.marginality:
            if name not in self.hierarchy:
                raise ValueError(f"marginality names {name!r}, which has no tree in hierarchy to be central in")
        return self

    def t_of(self, name: str) -> float:
        """Return the threshold of one attribute."""
        return self.t[name] if isinstance(self.t, dict) else self.t


class TCloseness(ConfidentialGuarantee):
    """Every class is within t of the whole table."""

    name = "t_closeness"
    section = "closeness"
    options: ClassVar[type[Options]] = ClosenessOptions
    key = "t"
    limit = "t"
    example = "closeness = { t = 0.2 }"
    summary = "the confidential values of every class are distributed as in the whole table, within a distance t"
    not_promised = "what is common in the whole table may be known of everybody in it"
    meaning = (
        "the confidential values of every class of the released table are at an earth mover's distance of at most t "
        "from those of the whole table"
    )
    largest_is_worst = True
    in_streams = True

    def is_asked(self, demand: Demand) -> bool:
        """Whether ``[closeness]`` compares groups with the whole table."""
        section: Any = demand.sections.get(self.section)
        return section is not None and section.n is None

    def check_options(self, demand: Demand) -> None:
        """Refuse thresholds and trees that do not fit the attributes."""
        super().check_options(demand)
        section: Any = demand.sections[self.section]
        names = protected_names(section, demand.confidential)
        if isinstance(section.t, dict):
            require_names("closeness.t", section.t, names, "protected here")
            absent = [name for name in names if name not in section.t]
            if absent:
                raise PlanError(f"closeness.t must also name {', '.join(map(repr, absent))}, or be one number for all")
        nominal = [name for name in names if demand.confidential[name].kind.is_nominal]
        require_names("closeness.hierarchy", section.hierarchy, nominal, "a nominal attribute protected here")

    def rule(self, attribute: Confidential, section: Any) -> Closeness:
        """Bound the distance from above."""
        return Closeness(attribute, section.t_of(attribute.name))

    def forecast(self, demand: Demand, rules: Sequence[Any]) -> Forecast:
        """Say how large groups must be.

        Soria-Comas et al. 2015: Proposition 1 tells the smallest distance that a group of k can have, Proposition 2 the
        size that is enough.
        """
        return _too_small(demand, rules) if demand.spread is None else self._spread(demand, rules)

    def _spread(self, demand: Demand, rules: Sequence[Closeness]) -> Forecast:
        assert demand.spread is not None
        spread, t = demand.spread(rules), f"{float(rules[0].t):g}"
        size, names = spread.group_size, ", ".join(rule.attribute.name for rule in rules[: spread.attributes])
        if demand.given_up == self.name:
            sentence = f"groups of {size} or more records are steered to spread {names}; t is not guaranteed"
            return Forecast(size, (sentence,))
        larger = f", though k = {demand.k} was asked" if size > demand.k else ""
        if demand.by is not None:  # each value has a distribution of its own, and how far it is from the table is open
            sentence = (
                f"inside each value of by = {demand.by!r} groups of about {size} records{larger}, spread {names}, and "
                f"are merged until they are within t = {t} of the whole table"
            )
            return Forecast(size, (sentence,))
        sentence = f"groups of {size} or more records keep {names} within t = {t}{larger}"
        others = len(rules) - spread.attributes
        plural = "s" if others > 1 else ""
        rest = f"; for {others} more attribute{plural} groups are merged until they are close" if others else ""
        return Forecast(size, (sentence + rest,))

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Measure the distances on the classes of the released table."""
        rules: Sequence[Any] = self.rules(demand, evidence.released)
        worst, holds = worst_shortfalls(rules, evidence.classes)
        reached = [(rule, float(rule.distances(evidence.classes).max())) for rule in rules]
        rule, achieved = reached[int(np.argmax(worst))]
        given_up = "t not guaranteed, the groups stay as they were steered: " if demand.given_up == self.name else ""
        definition = given_up + self.meaning
        return Judgement(self.name, self.asked(rule), achieved, holds, definition, closeness_note(reached, demand))


def closeness_note(reached: Sequence[tuple[Rule, float]], demand: Demand) -> str:
    """Say what each attribute reaches, and which are not protected."""
    names = {rule.attribute.name for rule, _ in reached}
    rest = [name for name in demand.confidential if name not in names]
    unprotected = f"{UNPROTECTED}{', '.join(rest)}." if rest else ""
    return " ".join(part for part in (by_attribute(reached), unprotected) if part)


def _too_small(demand: Demand, rules: Sequence[Closeness]) -> Forecast:
    sentences = []
    for rule in rules:
        least = smallest_t(rule.attribute.table_size, demand.k)
        if rule.attribute.distance == "ordered" and exact(rule.t) < least:
            enough = strata_count(rule.attribute, demand.k, rule.t)
            sentences.append(
                f"no group of {demand.k} records without equal values is closer than {least:.4g} to the whole table in "
                f"{rule.attribute.name}, so groups grow to keep t = {float(rule.t):g}: k = {enough} with "
                f'closeness.method = "t_first" is enough, or t = {least:.4g} is the smallest for k = {demand.k}'
            )
    return Forecast(demand.k, tuple(sentences))
