"""Identification: what the three adversaries find in a release, and how many people of the population are unique."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import subjects_of_each
from shoal.encode import read_weights
from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.masking.inputs import read_subjects_of
from shoal.measures.matching import MatchedTables
from shoal.measures.population_table import PopulationMatch, match_population, require_classes
from shoal.measures.uniques import PopulationUniques, population_uniques
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table
from shoal.protect import released_classes
from shoal.protect.identification_risk import (
    LEAST_FRACTION,
    PROFILES,
    SLACK,
    expected_risk,
    people_of_classes,
    shares_of_classes,
)

Adversary = Literal["prosecutor", "journalist", "marketer"]
Source = Literal["population", "fraction", "weights", "sample"]
ADVERSARIES: tuple[Adversary, ...] = ("prosecutor", "journalist", "marketer")


@dataclass(frozen=True)
class AdversaryRisk:
    """What one adversary finds."""

    adversary: Adversary  # who looks
    risk: float  # the greatest chance to find a person; for the marketer, the share of persons that is found
    asked: float | None  # the threshold of the plan or of the caller, None where there is none

    def within(self, threshold: float) -> bool:
        """Whether the risk is at most a threshold."""
        return self.risk <= threshold * (1 + SLACK)

    @property
    def holds(self) -> bool | None:
        """Whether the risk is within what was asked; None where nothing was."""
        return None if self.asked is None else self.within(self.asked)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        profiles = {name: self.within(threshold) for name, threshold in PROFILES.items()}
        return {"risk": self.risk, "asked": self.asked, "holds": self.holds, "profiles": profiles}


@dataclass(frozen=True)
class IdentificationRisks:
    """Risk in the population: of a release, and of its original before anything was masked."""

    # classes, persons: classes of the release, and the persons in it
    classes: int
    persons: int
    # what says how large the population is: a table of it, the sampling fraction, weights, or nothing, so that the
    # table is taken for all of it
    source: Source
    risks: Mapping[Adversary, AdversaryRisk]  # by adversary
    people: int  # the people of the population, as far as that is known
    match: PopulationMatch | None  # the people behind every class, where there is a table of the population
    # people of the population who are alone with their original quasi-identifiers, estimated; None where persons
    # have several records, which no estimator allows
    uniques: PopulationUniques | None
    counted_uniques: int | None  # the same, counted in the table of the population

    @property
    def beyond(self) -> tuple[AdversaryRisk, ...]:
        """The risks that are greater than what was asked."""
        return tuple(risk for risk in self.risks.values() if risk.holds is False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: no class by itself."""
        return {
            "classes": self.classes,
            "persons": self.persons,
            "population": {"source": self.source, "people": self.people},
            "profiles": dict(PROFILES),
            "risks": {name: risk.to_dict() for name, risk in self.risks.items()},
            "k_map": None if self.match is None else self.match.k_map,
            "presence": None if self.match is None else list(self.match.presence),
            "uniques": None if self.uniques is None else self.uniques.to_dict(),
            "counted_uniques": self.counted_uniques,
        }


def identification_risks(
    original: Any,
    released: Any,
    plan: Plan,
    *,
    fraction: float | None = None,
    population: Any = None,
    threshold: float | str | None = None,
    key_column: str | None = None,
    rows: ArrayLike | None = None,
) -> IdentificationRisks:
    """Tell what the three adversaries find in a release, and how many people of the population are unique.

    Parameters
    ----------
    original, released
        The two tables; the release may come from any tool.
    plan
        Says which columns are quasi-identifiers; its ``[risk]`` says what is allowed, and with its weights how large
        the population is.
    fraction
        The share of the population that is in the table, from `LEAST_FRACTION` to 1.
    population
        A table of the population, as `match_population` takes it.
    threshold
        The largest risk for every adversary, a number or the name of a profile, in place of the plan's.
    key_column, rows
        How records are matched, as for `measure`: by row order if None.

    Raises
    ------
    DataError
        A table lacks columns, or the population is smaller than the release.
    PlanError
        The fraction or the threshold is none, the population is said twice, or the release is a permutation.

    Notes
    -----
    The adversaries are those of El Emam and Dankar. Without a table of the population, 1/F is the expected one given
    the sampled persons (`expected_risk`). Where nothing says how large the population is, the table is taken for all of
    it, the most cautious reading. Uniques are those of the original quasi-identifiers.

    Examples
    --------
    >>> import polars as pl
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> before, after = pl.DataFrame({"age": [30, 34, 61, 67]}), pl.DataFrame({"age": [32, 32, 64, 64]})
    >>> found = identification_risks(before, after, plan, fraction=0.1)
    >>> {name: round(each.risk, 3) for name, each in found.risks.items()}
    {'prosecutor': 0.5, 'journalist': 0.083, 'marketer': 0.083}
    """
    require_classes(plan)
    section: Any = plan.demand().sections.get("risk")
    source, share = _source(fraction, population, plan, section)
    asked = {name: _asked(name, threshold, section) for name in ADVERSARIES}
    matched = MatchedTables.read(original, released, plan, key_column=key_column, rows=rows)
    matched.require_columns(plan.names(Role.QUASI_IDENTIFIER), plan.names(Role.QUASI_IDENTIFIER))
    before, after = matched.left(matched.original), matched.after
    matched.require_known_order()
    subjects = read_subjects_of(before, plan)
    whose = None if subjects is None else subjects.numbers
    classes, bare = (released_classes(table, plan.demand()) for table in (after, before))
    sizes = subjects_of_each(classes, whose)
    persons = len(before) if whose is None else len(np.unique(whose))
    people, counted, match = int(np.rint(persons / share)), None, None
    if population is not None:
        match = match_population(after.data, population, plan, subjects=whose)
        everybody = open_table(population, plan)
        counted, people = _alone(everybody, plan), len(everybody)
        risks = {"journalist": match.journalist, "marketer": match.marketer}
    else:
        shares: NDArray[np.float64] | float = share
        if source == "weights":
            assert plan.weights is not None, "they are the source"
            weights = read_weights(before, plan.weights)
            shares = shares_of_classes(sizes, classes, weights, whose)
            people = int(np.rint(people_of_classes(np.zeros_like(classes), weights, whose)[0]))
        expected = expected_risk(sizes, shares)
        risks = {"journalist": float(expected.max()), "marketer": float(expected @ sizes / sizes.sum())}
    risks["prosecutor"] = float(1 / sizes.min())
    return IdentificationRisks(
        classes=len(sizes),
        persons=persons,
        source=source,
        risks={name: AdversaryRisk(name, risks[name], asked[name]) for name in ADVERSARIES},
        people=people,
        match=match,
        uniques=population_uniques(np.bincount(bare), people) if persons == len(before) else None,
        counted_uniques=counted,
    )


def _source(fraction: float | None, population: Any, plan: Plan, section: Any) -> tuple[Source, float]:
    """Return what says how large the population is, and the sampling fraction where that is it."""
    if fraction is not None:
        if population is not None:
            raise PlanError("fraction and population both say how large the population is: leave one of them out")
        if not LEAST_FRACTION <= fraction <= 1:
            raise PlanError(
                f"fraction must be at least {LEAST_FRACTION:g} and at most 1, the share of people in the table: not "
                f"{fraction}"
            )
        if plan.weights is not None:
            raise PlanError("fraction and the plan's weights both say how large the population is: leave one out")
        return "fraction", fraction
    if population is not None:
        return "population", 1.0
    if plan.weights is not None:
        return "weights", 1.0
    if section is not None and section.fraction is not None:
        return "fraction", float(section.fraction)
    return "sample", 1.0


def _asked(adversary: Adversary, threshold: float | str | None, section: Any) -> float | None:
    """Return the largest risk that is allowed, None where nothing is asked."""
    asked = getattr(section, adversary, None) if threshold is None else threshold
    if asked is None:
        return None
    if asked in PROFILES if isinstance(asked, str) else 0 < asked <= 1:
        return PROFILES[asked] if isinstance(asked, str) else float(asked)
    names = " or ".join(map(repr, PROFILES))
    raise PlanError(f"a threshold is above 0 and at most 1, or {names}, and {asked!r} is not")


def _alone(population: Table, plan: Plan) -> int:
    """Count the people of a register whom nobody else shares the quasi-identifiers with."""
    if len(population) == 0:
        raise DataError("the population has no people: bring everybody whom an intruder may know")
    demand = plan.demand()
    demand = replace(demand, by=demand.by if demand.by in population.names else None)
    return int((np.bincount(released_classes(population, demand)) == 1).sum())
