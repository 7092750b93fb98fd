"""Statistics: what a report knows of a table and its release, whichever engine counted it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from shoal.attacks import Attempts
from shoal.measures import Score
from shoal.plan import Plan
from shoal.progress import Progress
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.correlations import Correlations
from shoal.report.data import PopulationRow, RecodingRow, RiskyGroup
from shoal.report.edition import Guard
from shoal.report.group_histograms import ClassSpread


@dataclass(frozen=True)
class SubjectCount:
    """The column that says whom a record is about, and how many there are."""

    name: str
    count: int


@dataclass(frozen=True, eq=False)
class Statistics:
    """Everything a report is made of besides plan, guarantees and manifest. No records.

    Parameters
    ----------
    records, dropped
        How many were released, and how many of the original were not.
    subjects
        Whom the records are about, where that is not each about another.
    columns
        Quasi-identifiers and confidential attributes before and after.
    correlations
        Of the columns that have an order; None where fewer than two do.
    scores
        Measures by key.
    sizes, subject_sizes
        How many records the classes have, and how many subjects, where records have some.
    distances, limits
        How far classes are from the table by confidential attribute, and what was asked of that.
    riskiest
        The classes that give most away; none for external readers.
    attempts
        What was tried against the release; None where nothing was.
    recoding, population
        What was done before grouping, and estimates of the population.
    refined, certified
        What refining saved, and how far the loss is from the best possible, where that is known.
    notes
        What a reader must know of how these numbers were found: what comes of a sample.
    """

    records: int
    dropped: int
    subjects: SubjectCount | None
    columns: tuple[Continuous | Codes, ...]
    correlations: Correlations | None
    scores: Mapping[str, Score]
    sizes: ClassSpread
    subject_sizes: ClassSpread | None
    distances: Mapping[str, ClassSpread]
    limits: Mapping[str, float]
    riskiest: tuple[RiskyGroup, ...] = ()
    attempts: Attempts | None = None
    recoding: tuple[RecodingRow, ...] = ()
    population: tuple[PopulationRow, ...] = ()
    refined: str | None = None
    certified: str | None = None
    notes: tuple[str, ...] = ()


@runtime_checkable
class GathersStatistics(Protocol):
    """A release whose records are not at hand, and which counts what a report asks of them where they are."""

    def gather_statistics(
        self,
        original: Any,
        plan: Plan,
        guard: Guard,
        *,
        attacks: Sequence[str],
        certificate: bool,
        progress: Progress,
    ) -> Statistics:
        """Return everything that a report is made of."""
