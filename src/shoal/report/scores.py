"""Scores as rows of a report."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.measures import Score
from shoal.report.data import Fact, ScoreRow
from shoal.report.edition import Guard


def score_rows(scores: Mapping[str, Score], guard: Guard, bounds: Mapping[str, float]) -> tuple[ScoreRow, ...]:
    """Return the scores that the edition may show, as it shows them.

    Parameters
    ----------
    scores
        Scores by key.
    guard
        What the edition may show.
    bounds
        What external readers are told that some of the scores do not exceed; it follows from what else they have.
    """
    return tuple(_row(score, guard, bounds) for score in scores.values() if may_show(score, guard, bounds))


def may_show(score: Score, guard: Guard, bounds: Mapping[str, float]) -> bool:
    """Whether an edition may show a measure, or a bound of it."""
    published = {"release": True, "subjects": guard.counts_subjects, "bound": score.key in bounds, "withheld": False}
    return not guard.external or published[score.definition.external]


def fact(name: str, score: Score, guard: Guard, bounds: Mapping[str, float], *, subjects: bool = True) -> Fact:
    """Return a score as a number that stands at the top; without subjects, those it counts are records."""
    unit = score.definition.unit
    counted = "records" if unit == "subjects" and not subjects else unit
    return Fact(name, _value(score, guard, bounds), counted, at_most=_bounded(score, guard))


def _bounded(score: Score, guard: Guard) -> bool:
    return guard.external and score.definition.external == "bound"


def _value(score: Score, guard: Guard, bounds: Mapping[str, float]) -> float:
    return bounds[score.key] if _bounded(score, guard) else guard.rounded(score.value)


def _row(score: Score, guard: Guard, bounds: Mapping[str, float]) -> ScoreRow:
    what = score.definition
    by_column = {} if _bounded(score, guard) else score.attributes
    return ScoreRow(
        key=score.key,
        name=what.called,
        value=_value(score, guard, bounds),
        aspect=what.aspect,
        better=what.better,
        low=what.low,
        high=what.high,
        definition=what.text,
        columns=score.columns,
        at_most=_bounded(score, guard),
        interval=None if score.interval is None or guard.external else score.interval,
        attributes={name: guard.rounded(value) for name, value in by_column.items()},
        unit=what.unit,
    )
