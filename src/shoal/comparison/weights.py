"""Weights of dependence among the runs of a comparison: what each one costs and brings."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.comparison.grid import NONE
from shoal.comparison.run import Run
from shoal.comparison.tradeoff import KEYS, TradeOff, against_plain

WEIGHT = "dependence.weight"


def weight_trade_offs(runs: Sequence[Run], k: int) -> dict[str, tuple[TradeOff, ...]]:
    """Return the trade-offs of the weights that were tried, apart for everything else that was tried but k.

    Parameters
    ----------
    runs
        Results that have the measures of `shoal.comparison.tradeoff.KEYS`; others are left out.
    k
        The plan's, where k was not tried.

    Returns
    -------
    dict
        Rows by the other choices in words; only where a weight stands beside no weight at all.

    Examples
    --------
    >>> scores = ({"d_x": 0.2, "d_y": 0.8, "l_avg": 3.0}, {"d_x": 0.3, "d_y": 0.4, "l_avg": 2.0})
    >>> runs = [Run({WEIGHT: weight}, scores=each) for weight, each in zip(("none", 0.5), scores)]
    >>> [(row.k, row.weight, round(row.d_x_change, 2)) for row in weight_trade_offs(runs, 5)[""]]
    [(5, 0.0, 0.0), (5, 0.5, 0.5)]
    """
    measured: dict[str, dict[tuple[int, float], dict[str, float]]] = {}
    for run in runs:
        if run.problem or WEIGHT not in run.choices or not all(key in run.scores for key in KEYS):
            continue
        others = {path: value for path, value in run.choices.items() if path not in ("k", WEIGHT)}
        words = ", ".join(f"{path} = {value}" for path, value in others.items())
        weight = 0.0 if run.choices[WEIGHT] == NONE else float(run.choices[WEIGHT])
        place = (int(run.choices.get("k", k)), weight)
        measured.setdefault(words, {})[place] = {key: run.scores[key] for key in KEYS}
    found = {words: against_plain(scores) for words, scores in measured.items()}
    return {words: rows for words, rows in found.items() if any(row.weight > 0 for row in rows)}
