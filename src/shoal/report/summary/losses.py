"""What analysts keep and lose, in three numbers: information, means and shares, relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.measures import Score
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.report_data import Drift
from shoal.report.report_statistics import Statistics
from shoal.report.summary.summary import Kept
from shoal.report.wording import number

LOST = (10.0, 30.0)
"""Percents of information lost from which on it is some, and much."""
MOVED = (2.0, 5.0)
"""Percents of the records, or of a standard deviation, by which a share or a mean moves: some, and much."""
DRIFTED = (0.05, 0.2)
"""Changes of a correlation: some, and much."""

_MUCH = ("little", "some", "much")


def losses_of(statistics: Statistics) -> tuple[Kept, ...]:
    """Return the three numbers."""
    return (
        _information(statistics.scores["il_percent"]),
        _moves(statistics.columns),
        relations(statistics.drift),
    )


def _information(score: Score) -> Kept:
    text = "Of what tells records apart in the masked columns this share is gone: 0 % as they were, 100 % all alike."
    if score.attributes:
        worst = max(score.attributes, key=lambda column: score.attributes[column])
        text += f" {worst} lost most, {number(score.attributes[worst], 3)} %."
    return _kept("information lost", score.value, "%", LOST, text)


@dataclass(frozen=True, order=True)
class _Move:
    """How far a mean or a share moved, in what, and the sentence that says it."""

    value: float
    unit: str
    sentence: str


def _moves(columns: Sequence[Continuous | Codes]) -> Kept:
    """Return by how much the mean or the share that moved most did, in percent of a deviation or of the records."""
    name = "means and shares"
    moves = [move for column in columns if (move := _move(column)) is not None]
    if not moves:
        return _none(name, "No column has values before and after.")
    most = max(moves)
    if round(most.value, 2) == 0:
        most = _Move(0.0, "points", "No mean and no share of a category moves.")
    return _kept(name, most.value, most.unit, MOVED, most.sentence)


def _move(column: Continuous | Codes) -> _Move | None:
    if isinstance(column, Continuous):
        if column.empty:
            return None
        before, after = column.before.location, column.after.location
        move = 100 * abs(after.mean - before.mean) / before.deviation if before.deviation else 0.0
        text = f"The mean of {column.name} moves most, by this share of its standard deviation."
        return _Move(move, "% of a deviation", text)
    if not column.records:
        return None
    place = int(np.abs(column.moves).argmax())
    shares = [100 * int(count) / column.records for count in column.counts[:, place]]
    ends = f"from {shares[0]:.1f} to {shares[1]:.1f} % of the records"
    text = f"The share of {column.labels[place]} in {column.name} moves most, {ends}."
    return _Move(abs(shares[1] - shares[0]), "points", text)


def relations(drift: Drift | None) -> Kept:
    """Return how far correlations moved on average."""
    if drift is None:
        return _none("relations", "Fewer than two columns have an order, so there is nothing to correlate.")
    one, other, move, mean = drift.farthest
    sentence = "No correlation moves by as much as 0.01."
    if abs(move) >= 0.01:
        sentence = f"Correlations move by this much on average; that of {one} and {other} most, by {move:+.2f}."
    return _kept("relations", mean, "", DRIFTED, sentence)


def _kept(name: str, value: float, unit: str, limits: tuple[float, float], text: str) -> Kept:
    much = 1 + sum(value >= limit for limit in limits)
    return Kept(name, value, unit, at_most=False, words=_MUCH[much - 1], much=much, sentence=text)


def _none(name: str, why: str) -> Kept:
    return Kept(name, None, "", at_most=False, words="none", much=0, sentence=why)
