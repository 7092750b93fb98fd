"""ReportData: everything a report says, as plain frozen values. Renderers only draw it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.card import screenful
from shoal.errors import PlanError
from shoal.report.summary.summary import Edition, Summary

_HALVES = re.compile("[\ud800-\udfff]")

Plain = str | int | float | bool | None


@dataclass(frozen=True)
class Fact:
    """A number that stands at the top: what it is, its value (or a bound that it does not exceed) and its unit."""

    name: str
    value: float | int
    unit: str = ""
    at_most: bool = False


@dataclass(frozen=True)
class AttributeRow:
    """A column of the table: what the plan says it is, and what was done with it."""

    name: str
    role: str
    kind: str
    treatment: str


@dataclass(frozen=True)
class RecodingRow:
    """What was done with a column before records were grouped, to how many cells; None where that is not told."""

    column: str
    what: str
    cells: int | None
    of: int | None
    lost: float | None = None


@dataclass(frozen=True)
class PopulationRow:
    """An estimate of the population before and after; the number of people has no column."""

    column: str
    estimate: str
    before: Plain
    after: Plain


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: what it covers, and how much there is."""

    label: str
    low: float
    high: float
    amount: int


@dataclass(frozen=True)
class Histogram:
    """How groups are spread over their sizes, or over their distances. No bars where they are not seen."""

    name: str
    unit: str
    bars: tuple[Bar, ...]
    sentence: str
    limit: float | None = None


@dataclass(frozen=True)
class Bin:
    """An interval or category of a column, before and after (None: not told). Ends are numbers or dates; None: open."""

    label: str
    low: float | str | None
    high: float | str | None
    before: int | None
    after: int


@dataclass(frozen=True)
class Distribution:
    """How a column is spread before and after, or as released. No bins where it has no values."""

    name: str
    role: str
    kind: str
    unit: str
    bins: tuple[Bin, ...]
    sentence: str
    changed: bool
    summary: tuple[tuple[str, Plain, Plain], ...] = ()

    @property
    def compared(self) -> bool:
        """Whether there is a before and an after to compare, and both are told."""
        return self.changed and all(bin.before is not None for bin in self.bins)


@dataclass(frozen=True)
class Drift:
    """Correlations before and after, and the sentence that says how far they moved."""

    columns: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    sentence: str

    @property
    def moves(self) -> NDArray[np.float64]:
        """How far each correlation moved."""
        return np.asarray(np.array(self.after) - np.array(self.before))

    @property
    def farthest(self) -> tuple[str, str, float, float]:
        """The two columns whose correlation moved most, how far it did, and how far all of them did on average."""
        rows, columns = np.triu_indices(len(self.columns), 1)
        moves = self.moves[rows, columns]
        place = int(np.abs(moves).argmax())
        one, other = self.columns[rows[place]], self.columns[columns[place]]
        return one, other, float(moves[place]), float(np.abs(moves).mean())


@dataclass(frozen=True)
class ScoreRow:
    """A measure: its value (or a bound that it does not exceed), its range, which way is better, its definition."""

    key: str
    name: str
    value: float | None
    aspect: str
    better: str
    low: float | None
    high: float | None
    definition: str
    columns: tuple[str, ...]
    at_most: bool = False
    interval: tuple[float, float] | None = None
    attributes: Mapping[str, float] = field(default_factory=dict)
    unit: str = ""


@dataclass(frozen=True)
class RiskyGroup:
    """One of the classes that give most away: its released values, and what it gives away in words and numbers."""

    size: int
    why: str
    values: Mapping[str, Plain]
    linked: float | None
    distances: Mapping[str, float]
    distinct: Mapping[str, int]


@dataclass(frozen=True, repr=False, kw_only=True)
class ReportData:
    """Everything a report says.

    Made by `collect`, drawn by `to_html`, written by `to_json`: the HTML and the JSON hold the same numbers.
    """

    edition: Edition
    title: str
    summary: Summary
    attempts: tuple[Mapping[str, Any], ...] = ()
    facts: tuple[Fact, ...]
    guarantees: tuple[Mapping[str, Any], ...]
    attributes: tuple[AttributeRow, ...]
    recoding: tuple[RecodingRow, ...]
    plan: str
    sizes: Histogram
    closeness: tuple[Histogram, ...]
    distributions: tuple[Distribution, ...]
    drift: Drift | None = None
    population: tuple[PopulationRow, ...] = ()
    scores: tuple[ScoreRow, ...]
    riskiest: tuple[RiskyGroup, ...] = ()
    cautions: tuple[str, ...]
    remedies: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[str, ...]
    provenance: tuple[tuple[str, Plain], ...]

    def __repr__(self) -> str:
        return screenful(
            [
                f"{self.title}, {self.edition.value} edition: {self.summary.answer}",
                f"  {len(self.distributions)} columns, {len(self.scores)} measures, {len(self.attempts)} attacks",
                "  to_html() and to_json() write it, charts() draws it, summary is page one",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested values, ready for JSON."""
        return {"format": 1, **asdict(self)}

    def to_html(self) -> str:
        """Return the report as one HTML file that needs nothing else."""
        try:
            from shoal.report.html import report_page
        except ModuleNotFoundError as error:
            raise PlanError(f"a report needs {error.name}: install it with pip install 'shoal[charts]'") from None
        return report_page(self)

    def charts(self) -> dict[str, Any]:
        """Return the charts of the report as Altair objects, by name (extra ``charts``).

        Columns before and after have the name of the column; ``sizes``, ``correlations`` and ``closeness of ...`` stand
        beside them.
        """
        from shoal.report._plot import charts_of

        return charts_of(self)

    def to_json(self) -> str:
        """Return the report as indented JSON."""
        return json.dumps(_finite(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(item: Any) -> Any:
    """JSON has no infinity, so a bound that is not there is null; and a file has no half of a character."""
    if isinstance(item, Mapping):
        return {name: _finite(inner) for name, inner in item.items()}
    if isinstance(item, list | tuple):
        return [_finite(inner) for inner in item]
    if isinstance(item, float) and not math.isfinite(item):
        return None
    return _HALVES.sub("\N{REPLACEMENT CHARACTER}", item) if isinstance(item, str) else item
