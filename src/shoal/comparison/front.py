"""The Pareto front: the plans that no other plan beats in risk and loss at once."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.comparison.looked_at import definition_of
from shoal.comparison.run import Run


def is_better(key: str, one: float, other: float) -> bool:
    """Whether one value of a measure is better than another."""
    return one < other if definition_of(key).better == "lower" else one > other


def pareto_front(runs: Sequence[Run], keys: Sequence[str]) -> tuple[bool, ...]:
    """Mark the runs that no other run beats: none is better in one measure and at least as good in the others.

    Parameters
    ----------
    runs
        Results; those without one of the measures are never on the front.
    keys
        The measures to look at, usually one of risk and one of loss.

    Examples
    --------
    >>> runs = [Run({}, scores={"dld": dld, "il_percent": loss}) for dld, loss in [(9, 1), (5, 5), (6, 6), (1, 9)]]
    >>> pareto_front(runs, ["dld", "il_percent"])
    (True, True, False, True)
    """
    there = [all(key in run.scores for key in keys) for run in runs]

    def beats(one: Run, other: Run) -> bool:
        if any(is_better(key, other.scores[key], one.scores[key]) for key in keys):
            return False
        return any(is_better(key, one.scores[key], other.scores[key]) for key in keys)

    return tuple(
        there[i] and not any(there[j] and beats(other, run) for j, other in enumerate(runs))
        for i, run in enumerate(runs)
    )
