"""Scores as rows of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping

from shoal.measure import Score
from shoal.report.data import ScoreRow
from shoal.report.edition import Guard

OUTSIDE = frozenset(
    {
        # What anybody who has the released table can compute.
        *("k_min", "k_prime", "emd_max", "emd_avg", "d_y", "l_avg", "l_distinct", "l_entropy", "l_recursive"),
        *("p_sensitive", "delta_disclosure", "mutual_information"),
        # What is told in units of the original's spread, so that no value shines through.
        *("sse", "il_percent", "normalised_sse", "mse", "mae", "il1s", "d_x", "dld", "id", "id_sd"),
    }
)
"""Measures that an external edition may show. Not `il` and `score`, which divide by single values, and not `dr`, from
which the number of linked records follows."""

SHARES_OF_RECORDS = frozenset({"dld"})
"""Measures in percent of the records, which few records must not show through."""


def score_rows(scores: Mapping[str, Score], guard: Guard) -> tuple[ScoreRow, ...]:
    """Return the scores that the edition may show, rounded as it tells them."""
    return tuple(_row(score, guard) for score in scores.values() if may_show(score, guard))


def may_show(score: Score, guard: Guard) -> bool:
    """Whether an edition may show a measure."""
    return not guard.external or score.key in OUTSIDE


def _row(score: Score, guard: Guard) -> ScoreRow:
    what = score.definition
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
        attributes={name: told(score.key, value, guard) for name, value in score.attributes.items()},
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
