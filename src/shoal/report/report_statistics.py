"""Statistics: what a report knows of a table and its release, whichever engine counted it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from shoal.attacks import Attempts
from shoal.measures import Score
from shoal.plan import Plan
from shoal.progress import Progress
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Drift, PopulationRow, RecodingRow, RiskyGroup
from shoal.report.group_histograms import ClassSpread


@dataclass(frozen=True)
class SubjectCount:
    """The column that says whom a record is about, and how many there are."""

    name: str
    count: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseStatistics:
    """What a released table shows by itself. No records.

    Parameters
    ----------
    names, records
        Its columns, and how many records it has.
    columns
        Quasi-identifiers and confidential attributes: before and after, or twice as they are released.
    scores
        Measures by key.
    sizes, subject_sizes
        How many records the classes have, and how many subjects, where records have some; None where classes are not
        seen.
    distances, limits
        How far classes are from the table by confidential attribute, and what was asked of that.
    """

    names: tuple[str, ...]
    records: int
    columns: tuple[Continuous | Codes, ...]
    scores: Mapping[str, Score] = field(default_factory=dict)
    sizes: ClassSpread | None = None
    subject_sizes: ClassSpread | None = None
    distances: Mapping[str, ClassSpread] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistics(ReleaseStatistics):
    """Everything an internal report is made of besides plan, guarantees and manifest. No records.

    Parameters
    ----------
    dropped
        How many of the original were not released.
    subjects
        Whom the records are about, where that is not each about another.
    drift
        How the correlations of columns that have an order moved; None where fewer than two do.
    riskiest
        The classes that give most away.
    attempts
        What was tried against the release; None where nothing was.
    recoding, population
        What was done before grouping, and estimates of the population.
    refined, certified
        What refining saved, and how far the loss is from the best possible, where that is known.
    notes
        What a reader must know of how these numbers were found: what comes of a sample.
    """

    sizes: ClassSpread
    dropped: int = 0
    subjects: SubjectCount | None = None
    drift: Drift | None = None
    riskiest: tuple[RiskyGroup, ...] = ()
    attempts: Attempts | None = None
    recoding: tuple[RecodingRow, ...] = ()
    population: tuple[PopulationRow, ...] = ()
    refined: str | None = None
    certified: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trials:
    """What takes long in an internal report.

    Parameters
    ----------
    attacks
        What to try against the release, by name.
    certificate
        Whether to prove how far the loss is from the best possible at most.
    progress
        Called now and then with the work done and the work to do, while records are linked; or whether to show a bar.
    """

    attacks: tuple[str, ...] = ()
    certificate: bool = False
    progress: Progress = None


@runtime_checkable
class GathersStatistics(Protocol):
    """A release whose records are not at hand, and which counts what a report asks of them where they are."""

    def gather_statistics(self, plan: Plan, trials: Trials) -> Statistics:
        """Return everything that an internal report is made of."""

    def gather_release_statistics(self, plan: Plan) -> ReleaseStatistics:
        """Return what the released table shows by itself."""
