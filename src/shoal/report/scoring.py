"""Scores as rows of a report."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from shoal.measure import Score
from shoal.report.data import ScoreRow
from shoal.report.edition import Guard

OF_THE_RELEASE = frozenset(
    {
        *("k_min", "k_prime", "emd_max", "emd_avg", "d_y", "l_avg", "l_distinct", "l_entropy", "l_recursive"),
        *("p_sensitive", "delta_disclosure", "mutual_information"),
    }
)
"""Measures that anybody who has the released table can compute."""

IN_UNITS_OF_SPREAD = frozenset({"il_percent", "normalised_sse", "mse", "mae", "il1s", "d_x", "dld", "id", "id_sd"})
"""Measures of the original in units of its spread, so that no value shines through."""

OUTSIDE = OF_THE_RELEASE | IN_UNITS_OF_SPREAD
"""Measures that an external edition may show. Not `il` and `score`, which divide by single values, not `dr`, from which
the number of linked records follows, and not `sse`, which counts the records whose category changed."""

SHARES_OF_RECORDS = frozenset({"dld"})
"""Measures in percent of the records, which few records must not show through."""


def score_rows(scores: Mapping[str, Score], guard: Guard, few_changed: Collection[str] = ()) -> tuple[ScoreRow, ...]:
    """Return the scores that the edition may show, rounded as it tells them.

    Parameters
    ----------
    scores
        Scores by key.
    guard
        What the edition may show.
    few_changed
        Columns of which the release changed so few records, or left so few as they were, that it must not be told.
    """
    return tuple(_row(score, guard) for score in scores.values() if may_show(score, guard, few_changed))


def may_show(score: Score, guard: Guard, few_changed: Collection[str]) -> bool:
    """Whether an edition may show a measure; one that only speaks of columns with few changes would count them."""
    if not guard.external or score.key in OF_THE_RELEASE:
        return True
    return score.key in IN_UNITS_OF_SPREAD and not set(score.columns) <= set(few_changed)


def _row(score: Score, guard: Guard) -> ScoreRow:
    what = score.definition
    # For a single column of categories, a measure of the original is a count of changed records.
    by_column = score.attributes if not guard.external or score.key in OF_THE_RELEASE else {}
    return ScoreRow(
        key=score.key,
        value=told(score.key, score.value, guard),
        aspect=what.aspect,
        better=what.better,
        low=what.low,
        high=what.high,
        definition=what.text,
        columns=score.columns,
        at_most=tells_bound(score.key, guard),
        interval=None if score.interval is None or guard.external else score.interval,
        attributes={name: told(score.key, value, guard) for name, value in by_column.items()},
    )


def tells_bound(key: str, guard: Guard) -> bool:
    """Whether an edition tells only what a measure does not exceed."""
    return guard.external and key in SHARES_OF_RECORDS


def told(key: str, value: float, guard: Guard) -> float:
    """Return a value as the edition tells it; a share of the records as a whole percent that it does not exceed."""
    if tells_bound(key, guard):
        least = 100 * guard.fewest / guard.records
        return float(math.ceil(max(value, least)))
    return guard.rounded(value)
