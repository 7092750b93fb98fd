"""Utility: what analysts keep and lose with a release, named and frozen."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.analysis.findings import Finding, findings_of
from shoal.card import screenful

Association = Literal["correlation", "cramers_v", "correlation_ratio"]
"""How two columns hang together: Pearson's r of two ordered columns, Cramér's V of two columns of names, and the
correlation ratio of one of each."""


@dataclass(frozen=True)
class Statistic:
    """A number that describes one column, before and after."""

    name: str  # ``mean``, ``total``, ``standard deviation`` or ``quantile 0.25``
    # before, after: its value in the original and in the release; dates count days from 1970-01-01
    before: float
    after: float
    # by how many standard deviations of the original column it moved, of a total by how many percent; None where
    # the column is constant or the total was 0
    change: float | None


@dataclass(frozen=True)
class ColumnUtility:
    """One column before and after."""

    # column, kind, role: the column and what the plan calls it
    column: str
    kind: str
    role: str
    changed: bool  # whether any record has another value than before; by order of the rows, as they were matched
    distance: float  # how far the distributions are apart, from 0 (the same) to 1 (nothing in common)
    # ``kolmogorov_smirnov`` for ordered columns, ``total_variation`` for names
    measured_by: Literal["kolmogorov_smirnov", "total_variation"]
    statistics: tuple[Statistic, ...] = ()  # means, totals and quantiles of numbers and dates; empty for categories


@dataclass(frozen=True)
class PairUtility:
    """Two columns before and after."""

    columns: tuple[str, str]  # their names, in the plan's order
    changed: bool  # whether one of them changed
    association: Association  # what ``before`` and ``after`` are
    # before, after: how strongly the two hang together in the original and in the release
    before: float
    after: float
    table_distance: float  # ½·Σ|p − p'| over the cells of their two-way table, from 0 to 1

    @property
    def change(self) -> float:
        """By how much the association grew."""
        return self.after - self.before


@dataclass(frozen=True)
class Estimate:
    """An estimate with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a model, estimated from the original and from the release."""

    term: str  # what it multiplies: ``intercept``, a column, ``column=category``, or several joined by ``:``
    # before, after: the estimates; None where a table does not determine it, such as one without the category
    before: Estimate | None
    after: Estimate | None
    # how much the confidence intervals overlap, from 0 to 1; None where the original does not determine it
    overlap: float | None

    @property
    def same_conclusion(self) -> bool | None:
        """Whether both tables let the analyst say the same: greater than 0, less than 0, or neither."""
        if self.before is None:
            return None
        return self.after is not None and _sign(self.before) == _sign(self.after)


def _sign(estimate: Estimate) -> int:
    return (estimate.low > 0) - (estimate.high < 0)


@dataclass(frozen=True)
class ModelUtility:
    """A regression fitted to the original and to the release."""

    formula: str  # as the user wrote it
    family: Literal["linear", "logistic"]  # ``linear`` by least squares, ``logistic`` by maximum likelihood
    records: tuple[int, int]  # complete records that it was fitted to, before and after
    coefficients: tuple[Coefficient, ...]  # every coefficient, the intercept first
    note: str = ""  # what to beware of, in a sentence; empty where there is nothing

    @property
    def overlap(self) -> float:
        """The mean overlap of confidence intervals, the intercept left out where there is any other."""
        overlaps = [(each.term, each.overlap) for each in self.coefficients if each.overlap is not None]
        slopes = [overlap for term, overlap in overlaps if term != "intercept"] or [overlap for _, overlap in overlaps]
        return math.fsum(slopes) / len(slopes) if slopes else 0.0


@dataclass(frozen=True)
class PredictionUtility:
    """What a model learns from the release, tested on original records that it has not seen."""

    target: str  # the column that is predicted from all others
    # ``balanced_accuracy`` of categories, ``r2`` of numbers and dates; greater is better
    score: Literal["balanced_accuracy", "r2"]
    # original, released: the score of the model trained on original records, and of that trained on released ones
    original: float
    released: float
    baseline: float  # the score of a model that always says the commonest category, or the mean
    records: int  # original records that it was tested on
    tested_on: Literal["holdout", "folds"]  # ``holdout``, or ``folds`` where none was given

    @property
    def retained(self) -> float | None:
        """What the release keeps of the gain over the baseline; None where the original has next to none."""
        gain = self.original - self.baseline
        return None if gain < 0.01 else (self.released - self.baseline) / gain


@dataclass(frozen=True)
class Propensity:
    """How well original and released records can be told apart."""

    # mean squared difference of the propensities from the share of released records; 0 where nobody can tell
    pmse: float
    # expected, deviation: its mean and standard deviation where both tables are samples of one population
    expected: float
    deviation: float
    terms: int  # coefficients of the model, the intercept among them
    records: int  # records of both tables that it was fitted to

    @property
    def ratio(self) -> float:
        """``pmse`` in units of its expectation: about 1 for a sample of the same population."""
        return self.pmse / self.expected if self.expected else 0.0

    @property
    def standardised(self) -> float:
        """By how many standard deviations ``pmse`` lies above its expectation."""
        return (self.pmse - self.expected) / self.deviation if self.deviation else 0.0


@dataclass(frozen=True, repr=False)
class Utility:
    """What analysts keep and lose."""

    # records, released_records: records of the original and of the release
    records: int
    released_records: int
    weighted: bool  # whether statistics and models count records by the plan's sampling weights
    # columns, pairs: every column that both tables have, and every two of them
    columns: tuple[ColumnUtility, ...]
    pairs: tuple[PairUtility, ...]
    models: tuple[ModelUtility, ...]  # the regressions that were asked for
    predictions: tuple[PredictionUtility, ...]  # targets predicted by a model that learns from the release
    propensity: Propensity  # how well the two tables can be told apart
    notes: tuple[str, ...] = ()  # what was left out, and why

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The result in up to five numbers, the most tangible first; page one takes the first three."""
        return findings_of(self)

    def __repr__(self) -> str:
        lines = [f"Utility of {self.released_records:,} records in {len(self.columns)} columns"]
        lines += [f"  {finding.title}: {finding.verdict}" for finding in self.findings]
        return screenful([*lines, *(f"  {note}" for note in self.notes)])

    def to_dict(self, *, external: bool = False) -> dict[str, Any]:
        """Return plain values, ready for JSON; of an ``external`` one, for readers without the original, the verdicts.

        Whoever has the released table could solve a number that compares it with the original for a single value.
        """
        if external:
            return {
                "records": self.released_records,
                "weighted": self.weighted,
                "columns": len(self.columns),
                "findings": [{"key": each.key, "title": each.title, "verdict": each.verdict} for each in self.findings],
            }
        content = asdict(self)
        content["findings"] = [asdict(each) for each in self.findings]
        # What follows from the fields is written beside them.
        for part, derived in (("pairs", "change"), ("models", "overlap"), ("predictions", "retained")):
            for written, value in zip(content[part], getattr(self, part), strict=True):
                written[derived] = getattr(value, derived)
        for written, model in zip(content["models"], self.models, strict=True):
            for line, coefficient in zip(written["coefficients"], model.coefficients, strict=True):
                line["same_conclusion"] = coefficient.same_conclusion
        content["propensity"] |= {"ratio": self.propensity.ratio, "standardised": self.propensity.standardised}
        return content
