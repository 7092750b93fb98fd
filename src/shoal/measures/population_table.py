"""A release beside a table of its population: how many people there are in every class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.classes import first_rows, subjects_of_each
from shoal.encode import Encoder
from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.masking.recoding import recoded
from shoal.measures.generalization import read_generalized
from shoal.measures.matching import require_columns
from shoal.measures.tables import compared_by
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table
from shoal.plan.plan import require_plan
from shoal.protect import released_classes


@dataclass(frozen=True, eq=False)
class PopulationMatch:
    """The people of the population that stand behind every class of a release."""

    # sampled, people: by class: the people of the release, and those of the population
    sampled: NDArray[np.int64]
    people: NDArray[np.int64]

    @property
    def k_map(self) -> int:
        """The fewest people of the population in a class."""
        return int(self.people.min())

    @property
    def presence(self) -> tuple[float, float]:
        """The least and the greatest chance that a person of the population is in the release, over classes."""
        shares = self.sampled / self.people
        return float(shares.min()), float(shares.max())

    @property
    def prosecutor(self) -> float:
        """The greatest chance to find a person who is known to be in the release."""
        return float(1 / self.sampled.min())

    @property
    def journalist(self) -> float:
        """The greatest chance to find a person of the population."""
        return 1 / self.k_map

    @property
    def marketer(self) -> float:
        """The share of the people of the release that are expected to be found."""
        return float((self.sampled / self.people).sum() / self.sampled.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: no class by itself."""
        return {
            "classes": len(self.people),
            "sample": int(self.sampled.sum()),
            "population": int(self.people.sum()),
            "k_map": self.k_map,
            "presence": list(self.presence),
            "prosecutor": self.prosecutor,
            "journalist": self.journalist,
            "marketer": self.marketer,
        }


def match_population(
    released: Any, population: Any, plan: Plan, *, subjects: NDArray[np.int32] | None = None
) -> PopulationMatch:
    """Count the people of a population that stand behind every class of a release.

    Parameters
    ----------
    released
        A release by shoal or any other tool.
    population
        A table of all people whom an intruder may know, with the quasi-identifiers as they are, one row for each.
    plan
        Says which columns are quasi-identifiers, and of what kind.
    subjects
        Whom each released record is about, a number from 0; None where pseudonyms say it, or every record is a person.

    Raises
    ------
    DataError
        The population lacks a quasi-identifier, or is smaller than the release.
    PlanError
        The release is a permutation.

    Notes
    -----
    k-Map (Sweeney 2002) and δ-presence (Nergiz, Atzori and Clifton 2007). Where values are generalized, people belong
    to the class that has their values. Averages are values that nobody has: there everybody belongs to the nearest
    class, by the distances that records are grouped by, as an intruder with the register would assign them. A class
    has no fewer people than it has in the release.

    Examples
    --------
    >>> import polars as pl
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> people = pl.DataFrame({"age": [30, 31, 34, 35, 61, 62, 66, 67, 68]})
    >>> found = match_population(pl.DataFrame({"age": [32, 32, 64, 64]}), people, plan)
    >>> found.k_map, found.people.tolist(), found.presence
    (4, [4, 5], (0.4, 0.5))
    """
    require_classes(plan)
    quasi = plan.names(Role.QUASI_IDENTIFIER)
    given = read_generalized(open_table(released, plan), plan).table
    everybody = open_table(population, plan)
    require_columns(given, "released", quasi)
    require_columns(everybody, "population", quasi)
    everybody = recoded(everybody, plan, judge_totals=False).table
    demand = plan.demand()
    classes = released_classes(given, replace(demand, by=demand.by if demand.by in everybody.names else None))
    subject = plan.pseudonym_column()
    whose = subjects
    if whose is None and subject is not None and subject in given.names:
        whose = np.unique(given.class_codes(subject), return_inverse=True)[1].astype(np.int32)
    sampled = subjects_of_each(classes, whose)
    persons = len(given) if whose is None else len(np.unique(whose))
    if len(everybody) < persons:
        raise DataError(
            f"the population has {len(everybody)} people and the release {persons}: a population is no smaller "
            "than what was drawn from it"
        )
    places = _nearest_class(given.take(first_rows(classes)), everybody, plan, plan.masked_names())
    people = np.bincount(places, minlength=len(sampled))
    return PopulationMatch(sampled.astype(np.int64), np.maximum(people, sampled).astype(np.int64))


def require_classes(plan: Plan) -> None:
    """Refuse a plan whose release has no classes that hide anybody."""
    require_plan(plan)
    if plan.release is ReleaseMode.PERMUTE:
        raise PlanError('release = "permute" keeps the quasi-identifiers: its classes hide nobody')


def _nearest_class(classes: Table, population: Table, plan: Plan, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the class, a row of the first table, that each row of the second is nearest to."""
    specs = [compared_by(plan, name) for name in names]
    people = [read_column(population, spec) for spec in specs]
    encoder = Encoder.fit(people)
    first = encoder.apply([read_column(classes, replace(spec, generalized=True)) for spec in specs])
    second = encoder.apply(people)
    labels = np.concatenate([np.arange(len(classes)), np.full(len(population), -1)])
    return np.asarray(_core.join_nearest(first.above(second).records(), labels, len(classes)))[len(classes) :]
