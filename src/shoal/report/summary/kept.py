"""What analysts keep and lose, in three numbers: information, means and shares, relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.measures import Score
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Drift
from shoal.report.edition import Guard
from shoal.report.summary.summary import Kept
from shoal.report.wording import number

LOST = (10.0, 30.0)
"""Percents of information lost from which on it is some, and much."""
MOVED = (2.0, 5.0)
"""Percents of the records, or of a standard deviation, by which a share or a mean moves: some, and much."""
DRIFTED = (0.05, 0.2)
"""Changes of a correlation: some, and much."""

_MUCH = ("little", "some", "much")
_OUTSIDE = "It compares with the original, and single values could be solved for: here it is not told outside."
_SHARES_OUTSIDE = "Shares before and after stand below column by column, as far as no single value can be solved for."
_RELATIONS_OUTSIDE = "Correlations of the original are not told outside: a value far out decides them."


def kept_of(
    scores: Mapping[str, Score],
    bounds: Mapping[str, float],
    columns: Sequence[Continuous | Codes],
    drift: Drift | None,
    guard: Guard,
) -> tuple[Kept, ...]:
    """Return the three numbers, as far as the edition may show them."""
    return (
        _information(scores, bounds, guard),
        _without_value("means and shares", _SHARES_OUTSIDE) if guard.external else _moves(columns),
        _without_value("relations", _RELATIONS_OUTSIDE) if guard.external else relations(drift),
    )


def _information(scores: Mapping[str, Score], bounds: Mapping[str, float], guard: Guard) -> Kept:
    name = "information lost"
    score = scores.get("il_percent")
    if score is None or (guard.external and "il_percent" not in bounds):
        return _without_value(name)
    value = bounds["il_percent"] if guard.external else score.value
    sentence = (
        "Of what tells records apart in the masked columns this share is gone: 0 % as they were, 100 % all alike."
    )
    if not guard.external and score.attributes:
        worst = max(score.attributes, key=lambda column: score.attributes[column])
        sentence += f" {worst} lost most, {number(score.attributes[worst], 3)} %."
    return _kept(name, value, "%", LOST, sentence, at_most=guard.external)


def _moves(columns: Sequence[Continuous | Codes]) -> Kept:
    """Return by how much the mean or the share that moved most did, in percent of a deviation or of the records."""
    moves = [move for column in columns if (move := _move(column)) is not None]
    if not moves:
        return _without_value("means and shares", "No column has values before and after.", words="none")
    value, unit, sentence = max(moves)
    if round(value, 2) == 0:
        value, unit, sentence = 0.0, "points", "No mean and no share of a category moves."
    return _kept("means and shares", value, unit, MOVED, sentence)


def _move(column: Continuous | Codes) -> tuple[float, str, str] | None:
    if isinstance(column, Continuous):
        if column.empty:
            return None
        (first, deviation), (second, _) = column.before.mean_and_deviation, column.after.mean_and_deviation
        move = 100 * abs(second - first) / deviation if deviation else 0.0
        return (
            move,
            "% of a deviation",
            f"The mean of {column.name} moves most, by this share of its standard deviation.",
        )
    if not column.records:
        return None
    place = int(np.abs(column.moves).argmax())
    shares = [100 * int(count) / column.records for count in column.counts[:, place]]
    move = abs(shares[1] - shares[0])
    ends = f"from {shares[0]:.1f} to {shares[1]:.1f} % of the records"
    return move, "points", f"The share of {column.labels[place]} in {column.name} moves most, {ends}."


def relations(drift: Drift | None) -> Kept:
    """Return how far correlations moved on average."""
    if drift is None:
        why = "Fewer than two columns have an order, so there is nothing to correlate."
        return _without_value("relations", why, words="none")
    rows, columns = np.triu_indices(len(drift.columns), 1)
    moves = (np.array(drift.after) - np.array(drift.before))[rows, columns]
    farthest = int(np.abs(moves).argmax())
    sentence = "No correlation moves by as much as 0.01."
    if abs(moves[farthest]) >= 0.01:
        sentence = (
            f"Correlations move by this much on average; that of {drift.columns[rows[farthest]]} and "
            f"{drift.columns[columns[farthest]]} most, by {moves[farthest]:+.2f}."
        )
    return _kept("relations", float(np.abs(moves).mean()), "", DRIFTED, sentence)


def _kept(
    name: str, value: float, unit: str, limits: tuple[float, float], sentence: str, *, at_most: bool = False
) -> Kept:
    much = 1 + sum(value >= limit for limit in limits)
    return Kept(name, value, unit, at_most, _MUCH[much - 1], much, sentence)


def _without_value(name: str, why: str = _OUTSIDE, *, words: str = "not told") -> Kept:
    return Kept(name, None, "", at_most=False, words=words, much=0, sentence=why)
