"""Scores as rows of a report."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from shoal.measure import Definition, Score
from shoal.report.data import ScoreRow
from shoal.report.edition import Guard


def score_rows(scores: Mapping[str, Score], guard: Guard, few_changed: Collection[str] = ()) -> tuple[ScoreRow, ...]:
    """Return the scores that the edition may show, rounded as it shows them.

    Parameters
    ----------
    scores
        Scores by key.
    guard
        What the edition may show.
    few_changed
        Columns of which the release changed so few records, or left so few as they were, that nobody outside may know.
    """
    return tuple(_row(score, guard) for score in scores.values() if may_show(score, guard, few_changed))


def may_show(score: Score, guard: Guard, few_changed: Collection[str]) -> bool:
    """Whether an edition may show a measure; one that only speaks of columns with few changes would count them."""
    external = score.definition.external
    if not guard.external or external == "release":
        return True
    return external == "spread" and not set(score.columns) <= set(few_changed)


def shows_bound(definition: Definition, guard: Guard) -> bool:
    """Whether an edition shows only what a measure does not exceed."""
    return guard.external and definition.share_of_records


def shown_value(definition: Definition, value: float, guard: Guard) -> float:
    """Return a value as the edition shows it; a share of the records as a whole percent that it does not exceed."""
    if shows_bound(definition, guard):
        least = 100 * guard.fewest / guard.records
        return float(math.ceil(max(value, least)))
    return guard.rounded(value)


def _row(score: Score, guard: Guard) -> ScoreRow:
    what = score.definition
    # For a single column of categories, a measure of the original is a count of changed records.
    by_column = score.attributes if not guard.external or what.external == "release" else {}
    return ScoreRow(
        key=score.key,
        value=shown_value(what, score.value, guard),
        aspect=what.aspect,
        better=what.better,
        low=what.low,
        high=what.high,
        definition=what.text,
        columns=score.columns,
        at_most=shows_bound(what, guard),
        interval=None if score.interval is None or guard.external else score.interval,
        attributes={name: shown_value(what, value, guard) for name, value in by_column.items()},
    )
