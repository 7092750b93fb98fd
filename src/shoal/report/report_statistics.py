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
from shoal.report.group_histograms import ClassSpread
from shoal.report.report_data import Drift, PopulationRow, RecodingRow, RiskyGroup


@dataclass(frozen=True)
class SubjectCount:
    """The column that says whom a record is about, and how many there are."""

    name: str
    count: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseStatistics:
    """What a released table shows by itself. No records."""

    names: tuple[str, ...]
    records: int
    columns: tuple[Continuous | Codes, ...]  # to be compared: before and after, or twice as they are released
    scores: Mapping[str, Score] = field(default_factory=dict)
    # sizes, subject_sizes: records of the classes, and subjects where records have some; None where they are not seen
    sizes: ClassSpread | None = None
    subject_sizes: ClassSpread | None = None
    # distances, limits: how far classes are from the table by confidential attribute, and what was asked of that
    distances: Mapping[str, ClassSpread] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistics(ReleaseStatistics):
    """Everything an internal report is made of besides plan, guarantees and manifest. No records."""

    sizes: ClassSpread
    dropped: int = 0  # records of the original that were not released
    subjects: SubjectCount | None = None  # None where each record is about another
    drift: Drift | None = None  # of the columns that have an order; None where fewer than two have
    riskiest: tuple[RiskyGroup, ...] = ()
    attempts: Attempts | None = None
    recoding: tuple[RecodingRow, ...] = ()
    population: tuple[PopulationRow, ...] = ()
    # refined, certified: what refining saved, and how far the loss is from the best possible, where that is known
    refined: str | None = None
    certified: str | None = None
    notes: tuple[str, ...] = ()  # how these numbers came about: what comes of a sample


@dataclass(frozen=True)
class Trials:
    """What takes long in an internal report."""

    attacks: tuple[str, ...] = ()  # by name
    certificate: bool = False  # prove how far the loss is from the best possible at most
    progress: Progress | bool | None = None


@runtime_checkable
class GathersStatistics(Protocol):
    """A release whose records are not at hand, and which counts what a report asks of them where they are."""

    def gather_statistics(self, plan: Plan, trials: Trials) -> Statistics:
        """Return everything that an internal report is made of."""

    def gather_release_statistics(self, plan: Plan) -> ReleaseStatistics:
        """Return what the released table shows by itself."""
