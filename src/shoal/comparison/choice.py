"""Which plan to take: the Pareto front of risk and loss, and the best plan within bounds."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.comparison.criteria import definition_of
from shoal.comparison.grid import NONE
from shoal.comparison.run import Run
from shoal.errors import GuaranteeError, PlanError, nearest


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


_BOUND = re.compile(r"\s*(\w+)\s*(<=|>=|<|>|≤|≥)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_SIGNS = {"≤": "<=", "≥": ">="}
_COMPARES = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}

GOAL = "il_percent"
"""What a picked plan has least of where nothing else is said: it sees every quasi-identifier, of whatever kind."""

_SAME = 1e-9
"""Relative difference up to which two values of a measure are a tie: they are sums in different orders."""


@dataclass(frozen=True)
class Bound:
    """What a measure must keep, such as ``dld <= 1``."""

    key: str
    sign: str
    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        return bool(_COMPARES[self.sign](value, self.limit))

    def __str__(self) -> str:
        return f"{self.key} {self.sign} {self.limit:g}"


def parse_bounds(text: str) -> tuple[Bound, ...]:
    """Read bounds.

    Examples
    --------
    >>> [str(bound) for bound in parse_bounds("dld <= 1, emd_max ≤ .1")]
    ['dld <= 1', 'emd_max <= 0.1']
    """
    bounds = []
    for part in text.split(","):
        bound = _BOUND.fullmatch(part)
        if bound is None:
            raise PlanError(f"a bound is a measure, a sign and a number, such as dld <= 1, not {part.strip()!r}")
        key, sign, limit = bound.groups()
        bounds.append(Bound(definition_of(key).key, _SIGNS.get(sign, sign), float(limit)))
    return tuple(bounds)


def pick(runs: Sequence[Run], bounds: Sequence[Bound], *, minimise: str = GOAL, guaranteed: bool = True) -> Run:
    """Return the run with the best value of a measure among those that keep every bound.

    Of runs that are as good as the best, the one with the largest k is picked, of these the one with the smallest t,
    and of these the first: who loses nothing by it promises more.

    Parameters
    ----------
    runs
        What `compare` returned.
    bounds
        What the run must keep.
    minimise
        The measure to look at; a measure of which more is better is maximised.
    guaranteed
        Pick among plans whose guarantees hold; False lets methods in that cannot guarantee k.

    Raises
    ------
    GuaranteeError
        No run keeps the bounds; the message says how near the runs come.

    Examples
    --------
    >>> runs = [Run({"k": k}, scores={"dld": dld, "il_percent": il}) for k, dld, il in [(3, 9, 10), (5, 4, 12)]]
    >>> dict(pick(runs, parse_bounds("dld < 5")).choices)
    {'k': 5}
    """
    goal = definition_of(minimise).key
    measured = [run for run in runs if not run.problem and (run.holds or not guaranteed)]
    if not measured:
        raise GuaranteeError("no plan of the grid could be carried out with its guarantee, so there is none to pick")
    for key in (goal, *(bound.key for bound in bounds)):
        if not all(key in run.scores for run in measured):
            common = sorted(set.intersection(*(set(run.scores) for run in measured)))
            raise PlanError(
                f"{key} was not measured, because it was not asked for or the columns do not allow it: choose from "
                f"{', '.join(common)}{nearest(key, common)}"
            )
    within = [run for run in measured if all(bound.holds(run.scores[bound.key]) for bound in bounds)]
    if not within:
        raise GuaranteeError(
            f"no plan of the grid keeps {', '.join(map(str, bounds))}; by itself, the best values are "
            + ", ".join(f"{bound.key} = {_nearest_value(measured, bound):.4g}" for bound in bounds)
        )
    best = (min if definition_of(goal).better == "lower" else max)(run.scores[goal] for run in within)
    return max((run for run in within if math.isclose(run.scores[goal], best, rel_tol=_SAME)), key=_promise)


def _promise(run: Run) -> list[float]:
    """Return how much a run promises, to compare: its k, then its t, of which less is more."""
    k, t = run.choices.get("k", 0), run.choices.get("closeness.t", NONE)
    return [float(k), -math.inf if t == NONE else -float(t)]


def _nearest_value(runs: Sequence[Run], bound: Bound) -> float:
    values = [run.scores[bound.key] for run in runs]
    return min(values) if bound.sign.startswith("<") else max(values)
