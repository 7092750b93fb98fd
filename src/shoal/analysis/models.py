"""Regressions that the user names, on the original and on the release: how much their confidence intervals overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from shoal.analysis.design import Design, Formula
from shoal.analysis.regression import Family, Fit, fit
from shoal.analysis.result import Coefficient, Estimate, ModelUtility
from shoal.analysis.variable import Floats, Variable, Weights
from shoal.errors import PlanError

MOST_COLUMNS = 200
"""Coefficients that a model may have."""


def compare_model(
    formula: Formula, variables: Mapping[str, Variable], weights: Weights, *, weighted: bool
) -> ModelUtility:
    """Fit a regression to both tables; sampling weights need standard errors from squared residuals (``weighted``).

    Raises
    ------
    PlanError
        The response has one value, or more than two categories; the model has too many coefficients.

    Notes
    -----
    Over records without a gap. A response of two values is fitted by maximum likelihood on the logit scale, any other
    number by least squares. Categories are compared with the first that the original has, dates count days. Confidence
    intervals are those of the normal distribution at 95 %, with the overlap of Karr et al. 2006.
    """
    response = variables[formula.response]
    family, answer = _response(formula, response)
    design = Design.of([[variables[name] for name in term] for term in formula.terms])
    if len(design) > MOST_COLUMNS:
        raise PlanError(
            f"the model {formula.text!r} has {len(design)} coefficients, and at most {MOST_COLUMNS} are fitted: leave "
            "columns of many categories out"
        )
    before, after = (
        _fit(family, design, side, answer(getattr(response, side)), each, robust=weighted)
        for side, each in weights._asdict().items()
    )
    if before.records <= len(design):
        raise PlanError(
            f"the model {formula.text!r} has {len(design)} coefficients and {before.records} complete records: it "
            "needs more records than coefficients"
        )
    estimates = [(before.estimate(place), after.estimate(place)) for place in range(len(design))]
    coefficients = tuple(
        Coefficient(name, *pair, interval_overlap(*pair)) for name, pair in zip(design.names, estimates, strict=True)
    )
    return ModelUtility(
        formula.text, family, (before.records, after.records), coefficients, _note(before, after, coefficients)
    )


def interval_overlap(before: Estimate | None, after: Estimate | None) -> float | None:
    """Return the mean share of the two intervals that they have in common; 0 where that is nothing.

    Notes
    -----
    Karr et al. 2006. An interval without width, of a model that fits exactly, is all inside the other or
    not at all.

    Examples
    --------
    >>> interval_overlap(Estimate(0.0, -1.0, 1.0), Estimate(0.5, 0.0, 1.0))
    0.75
    """
    if before is None:
        return None
    if after is None:
        return 0.0
    low, high = max(before.low, after.low), min(before.high, after.high)
    if high < low:
        return 0.0
    widths = (before.high - before.low, after.high - after.low)
    return sum((high - low) / width if width > 0 else 1.0 for width in widths) / 2


def _response(formula: Formula, response: Variable) -> tuple[Family, Callable[[Floats], Floats]]:
    """Tell how a response is fitted, and what makes its values numbers, NaN where missing."""
    missing = np.isnan(response.before) if response.is_number else response.before < 0
    values = np.unique(response.before[~missing])
    if len(values) < 2:
        raise PlanError(
            f"the model {formula.text!r} explains {formula.response!r}, which has one value: nothing varies"
        )
    if len(values) == 2:
        low, high = values.tolist()
        if response.is_number:
            # Means of the two stand between them, and count as so much of either.
            return "logistic", lambda cells: np.clip((cells - low) / (high - low), 0.0, 1.0)
        return "logistic", lambda codes: np.where(codes == high, 1.0, np.where(codes == low, 0.0, np.nan))
    if not response.is_number:
        raise PlanError(
            f"the model {formula.text!r} explains {formula.response!r}, which has {len(values)} categories: a response "
            "is a number or has two categories"
        )
    return "linear", lambda cells: cells


def _fit(family: Family, design: Design, side: str, response: Floats, weights: Floats, *, robust: bool) -> Fit:
    def blocks() -> Iterator[tuple[Floats, Floats, Floats]]:
        for rows, matrix in design.blocks(side, len(response)):
            complete = ~(np.isnan(matrix).any(axis=1) | np.isnan(response[rows]))
            yield matrix[complete], response[rows][complete], weights[rows][complete]

    return fit(family, blocks, len(design), robust=robust)


def _note(before: Fit, after: Fit, coefficients: tuple[Coefficient, ...]) -> str:
    for each, table in ((before, "original"), (after, "release")):
        if each.separated:
            return (
                f"In the {table} the columns tell the two answers apart without error, in all records or in a part of "
                "them: there is no finite estimate."
            )
    lost = sum(each.before is not None and each.after is None for each in coefficients)
    if lost:
        return f"{lost} of {len(coefficients)} coefficients cannot be estimated from the release any more."
    return ""
