"""Scores as rows of a report, and as the numbers at its head."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.measures import Score
from shoal.report.data import Fact, ScoreRow

_HEADLINES = {
    "k_min": "smallest class",
    "il_percent": "information lost",
    "dld": "records linked to their original",
    "emd_max": "greatest EMD",
}
"""The measures that stand at the head of a report, and what they are called there."""


def headlines(scores: Mapping[str, Score], *, subjects: bool) -> tuple[Fact, ...]:
    """Return the measures that stand at the head; without subjects, those they count are records."""
    facts = []
    for key, name in _HEADLINES.items():
        if key in scores:
            unit = scores[key].definition.unit
            unit = "records" if unit == "subjects" and not subjects else unit
            facts.append(Fact(name, scores[key].value, unit))
    return tuple(facts)


def score_rows(scores: Mapping[str, Score]) -> tuple[ScoreRow, ...]:
    """Return every score with what it means."""
    return tuple(
        ScoreRow(
            key=score.key,
            name=score.definition.called,
            value=score.value,
            aspect=score.definition.aspect,
            better=score.definition.better,
            low=score.definition.low,
            high=score.definition.high,
            definition=score.definition.text,
            columns=score.columns,
            interval=score.interval,
            attributes=dict(score.attributes),
            unit=score.definition.unit,
        )
        for score in scores.values()
    )
