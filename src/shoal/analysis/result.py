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
    """A number that describes one column, before and after.

    Parameters
    ----------
    name
        ``mean``, ``total``, ``standard deviation`` or ``quantile 0.25``.
    before, after
        Its value in the original and in the release; dates count days from 1970-01-01.
    change
        By how many standard deviations of the original column it moved, of a total by how many percent; None where the
        column is constant or the total was 0.
    """

    name: str
    before: float
    after: float
    change: float | None


@dataclass(frozen=True)
class ColumnUtility:
    """One column before and after.

    Parameters
    ----------
    column, kind, role
        The column and what the plan calls it.
    changed
        Whether any record has another value than before; by order of the rows, as they were matched.
    distance
        How far the distributions are apart, from 0 (the same) to 1 (nothing in common).
    measured_by
        ``kolmogorov_smirnov`` for ordered columns, ``total_variation`` for names.
    statistics
        Means, totals and quantiles of numbers and dates; empty for categories.
    """

    column: str
    kind: str
    role: str
    changed: bool
    distance: float
    measured_by: Literal["kolmogorov_smirnov", "total_variation"]
    statistics: tuple[Statistic, ...] = ()


@dataclass(frozen=True)
class PairUtility:
    """Two columns before and after.

    Parameters
    ----------
    columns
        Their names, in the plan's order.
    changed
        Whether one of them changed.
    association
        What ``before`` and ``after`` are.
    before, after
        How strongly the two hang together in the original and in the release.
    table_distance
        ½·Σ|p − p'| over the cells of their two-way table, from 0 to 1.
    """

    columns: tuple[str, str]
    changed: bool
    association: Association
    before: float
    after: float
    table_distance: float

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
    """A coefficient of a model, estimated from the original and from the release.

    Parameters
    ----------
    term
        What it multiplies: ``intercept``, a column, ``column=category``, or several joined by ``:``.
    before, after
        The estimates; None where a table does not determine it, such as one without the category.
    overlap
        How much the confidence intervals overlap, from 0 to 1; None where the original does not determine it.
    """

    term: str
    before: Estimate | None
    after: Estimate | None
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
    """A regression fitted to the original and to the release.

    Parameters
    ----------
    formula
        As the user wrote it.
    family
        ``linear`` by least squares, ``logistic`` by maximum likelihood.
    records
        Complete records that it was fitted to, before and after.
    coefficients
        Every coefficient, the intercept first.
    note
        What to beware of, in a sentence; empty where there is nothing.
    """

    formula: str
    family: Literal["linear", "logistic"]
    records: tuple[int, int]
    coefficients: tuple[Coefficient, ...]
    note: str = ""

    @property
    def overlap(self) -> float:
        """The mean overlap of confidence intervals, the intercept left out where there is any other."""
        overlaps = [(each.term, each.overlap) for each in self.coefficients if each.overlap is not None]
        slopes = [overlap for term, overlap in overlaps if term != "intercept"] or [overlap for _, overlap in overlaps]
        return math.fsum(slopes) / len(slopes) if slopes else 0.0


@dataclass(frozen=True)
class PredictionUtility:
    """What a model learns from the release, tested on original records that it has not seen.

    Parameters
    ----------
    target
        The column that is predicted from all others.
    score
        ``balanced_accuracy`` of categories, ``r2`` of numbers and dates; greater is better.
    original, released
        The score of the model trained on original records, and of that trained on released ones.
    baseline
        The score of a model that always says the commonest category, or the mean.
    records
        Original records that it was tested on.
    tested_on
        ``holdout``, or ``folds`` where none was given.
    """

    target: str
    score: Literal["balanced_accuracy", "r2"]
    original: float
    released: float
    baseline: float
    records: int
    tested_on: Literal["holdout", "folds"]

    @property
    def retained(self) -> float | None:
        """What the release keeps of the gain over the baseline; None where the original has next to none."""
        gain = self.original - self.baseline
        return None if gain < 0.01 else (self.released - self.baseline) / gain


@dataclass(frozen=True)
class Propensity:
    """How well original and released records can be told apart.

    Parameters
    ----------
    pmse
        Mean squared difference of the propensities from the share of released records; 0 where nobody can tell.
    expected, deviation
        Its mean and standard deviation where both tables are samples of one population.
    terms
        Coefficients of the model, the intercept among them.
    records
        Records of both tables that it was fitted to.
    """

    pmse: float
    expected: float
    deviation: float
    terms: int
    records: int

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
    """What analysts keep and lose.

    Parameters
    ----------
    records, released_records
        Records of the original and of the release.
    weighted
        Whether statistics and models count records by the plan's sampling weights.
    columns, pairs
        Every column that both tables have, and every two of them.
    models
        The regressions that were asked for.
    predictions
        Targets predicted by a model that learns from the release.
    propensity
        How well the two tables can be told apart.
    notes
        What was left out, and why.
    """

    records: int
    released_records: int
    weighted: bool
    columns: tuple[ColumnUtility, ...]
    pairs: tuple[PairUtility, ...]
    models: tuple[ModelUtility, ...]
    predictions: tuple[PredictionUtility, ...]
    propensity: Propensity
    notes: tuple[str, ...] = ()

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
