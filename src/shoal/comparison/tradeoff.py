"""The price of dependence: what each weight λ costs in the quasi-identifiers and keeps of the confidential side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.comparison.grid import NONE
from shoal.comparison.run import Run
from shoal.errors import PlanError
from shoal.measures import Pair, compute
from shoal.progress import Progress

WEIGHTS = tuple(step / 10 for step in range(11))
"""λ from 0 to 1 in tenths, as in the figures of Rebollo-Monedero et al. 2016."""

KEYS = ("d_x", "d_y", "l_avg")
"""The measures that a trade-off tells."""


@dataclass(frozen=True)
class TradeOff:
    """What a release with one k and one λ loses and keeps."""

    k: int
    weight: float  # λ
    d_x: float  # distortion of the quasi-identifiers
    d_y: float  # what they no longer tell of the confidential attributes
    # d_x_change, d_y_change: relative to λ = 0 at the same k: 0.05 is 5 % more, −0.2 is 20 % less
    d_x_change: float
    d_y_change: float
    l_avg: float  # average diversity of the confidential attributes inside a group: what an intruder may face

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON or a frame."""
        return asdict(self)


def trade_offs(
    release: Callable[[int, float], Pair],
    *,
    ks: Iterable[int],
    weights: Iterable[float] = WEIGHTS,
    progress: Progress | None = None,
) -> tuple[TradeOff, ...]:
    """Measure releases over k and λ, which is 0 among others: changes are told relative to that.

    ``release`` makes of k and λ a pair with confidential attributes, and ``progress`` is called after each one.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section V.B: D_Y against D_X, the relative increments (D(λ) − D(0)) / D(0) of both,
    and ℓ_avg.

    Examples
    --------
    >>> import numpy as np
    >>> from shoal.partitioners import mdav
    >>> from shoal.steer import dependence
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([5.0, 9.0, 5.0, 9.0])
    >>> def release(k, weight):
    ...     labels = mdav(dependence(y, weight)(x), k)
    ...     means = np.bincount(labels, x) / np.bincount(labels)
    ...     return Pair.of(x, means[labels], confidential=y)
    >>> for row in trade_offs(release, ks=[2], weights=[1.0]):
    ...     print(row.weight, round(row.d_x, 3), round(row.d_y, 3), round(row.d_x_change, 3))
    0.0 0.2 1.0 0.0
    1.0 0.8 0.0 3.0
    """
    measured: dict[tuple[int, float], dict[str, float]] = {}
    pairs = [(k, weight) for k in sorted(set(ks)) for weight in sorted({0.0, *map(float, weights)})]
    for k, weight in pairs:
        scores = compute(release(k, weight), KEYS)
        measured[k, weight] = {key: score.value for key, score in scores.items()}
        if progress is not None:
            progress(len(measured), len(pairs))
    return against_plain(measured)


def against_plain(measured: Mapping[tuple[int, float], Mapping[str, float]]) -> tuple[TradeOff, ...]:
    """Tell scores (`KEYS`) by k and λ relative to λ = 0; where λ = 0 was not measured at a k, there is no row.

    >>> scores = {(3, 0.0): {"d_x": 0.2, "d_y": 0.8, "l_avg": 3.0}, (3, 0.5): {"d_x": 0.3, "d_y": 0.4, "l_avg": 2.0}}
    >>> [(row.weight, round(row.d_x_change, 2), row.d_y_change) for row in against_plain(scores)]
    [(0.0, 0.0, 0.0), (0.5, 0.5, -0.5)]
    """
    rows = []
    for (k, weight), now in sorted(measured.items(), key=lambda item: item[0]):
        plain = measured.get((k, 0.0))
        if plain is not None:
            changes = {f"{key}_change": _change(now[key], plain[key]) for key in ("d_x", "d_y")}
            rows.append(TradeOff(k, weight, **{key: now[key] for key in KEYS}, **changes))
    return tuple(rows)


def largest_weight(rows: Sequence[TradeOff], percent: float, *, k: int | None = None) -> float:
    """Pick λ: the largest that costs at most so many percent of D_X, at one k where the rows hold several.

    >>> rows = [TradeOff(5, 0.0, 0.20, 0.6, 0.0, 0.0, 4.0), TradeOff(5, 0.1, 0.21, 0.4, 0.05, -1 / 3, 4.0),
    ...         TradeOff(5, 0.2, 0.24, 0.3, 0.2, -0.5, 3.9)]
    >>> largest_weight(rows, 10)
    0.1
    """
    sizes = {row.k for row in rows}
    if k is None and len(sizes) > 1:
        raise PlanError(f"k must be given to pick a weight: the rows hold {', '.join(map(str, sorted(sizes)))}")
    if k is not None and k not in sizes:
        raise PlanError(f"k = {k} is not among the rows, which hold {', '.join(map(str, sorted(sizes))) or 'none'}")
    require_percent(percent, "percent")
    return max((row.weight for row in rows if k in (None, row.k) and row.d_x_change <= percent / 100), default=0.0)


def require_percent(percent: float, name: str) -> None:
    """Refuse a cost by which no weight can be picked; ``name`` is what the caller knows it by."""
    if not 0 <= percent < math.inf:
        raise PlanError(f"{name} must be a finite number of at least 0, in percent of D_X, not {percent!r}")


def _change(value: float, plain: float) -> float:
    if plain == 0.0:
        return 0.0 if value == 0.0 else math.inf
    return value / plain - 1.0


WEIGHT = "dependence.weight"


def weight_trade_offs(runs: Sequence[Run], k: int) -> dict[str, tuple[TradeOff, ...]]:
    """Return the trade-offs of the weights that were tried, apart for everything else that was tried but k.

    Rows stand by the other choices in words, where a weight stands beside no weight at all. Runs without the measures
    of `KEYS` are left out; ``k`` is that of the plan, where none was tried.

    >>> scores = ({"d_x": 0.2, "d_y": 0.8, "l_avg": 3.0}, {"d_x": 0.3, "d_y": 0.4, "l_avg": 2.0})
    >>> runs = [Run({WEIGHT: weight}, scores=each) for weight, each in zip(("none", 0.5), scores)]
    >>> [(row.k, row.weight, round(row.d_x_change, 2)) for row in weight_trade_offs(runs, 5)[""]]
    [(5, 0.0, 0.0), (5, 0.5, 0.5)]
    """
    measured: dict[str, dict[tuple[int, float], Mapping[str, float]]] = {}
    for run in runs:
        if run.problem or WEIGHT not in run.choices or not all(key in run.scores for key in KEYS):
            continue
        others = {path: value for path, value in run.choices.items() if path not in ("k", WEIGHT)}
        words = ", ".join(f"{path} = {value}" for path, value in others.items())
        weight = 0.0 if run.choices[WEIGHT] == NONE else float(run.choices[WEIGHT])
        measured.setdefault(words, {})[int(run.choices.get("k", k)), weight] = run.scores
    rows_by_words = {words: against_plain(scores) for words, scores in measured.items()}
    return {words: rows for words, rows in rows_by_words.items() if any(row.weight > 0 for row in rows)}
