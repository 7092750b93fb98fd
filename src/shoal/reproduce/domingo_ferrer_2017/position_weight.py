"""Domingo-Ferrer and Soria-Comas 2017: what a heavier position costs and brings in a stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.measures import Pair
from shoal.measures.stream import measure_stream
from shoal.reproduce.group_averages import Numbers
from shoal.stream.engine import ContinuousSetting, Released, StreamEngine, StreamSettings


@dataclass(frozen=True)
class PositionRow:
    """A stream with position weight ω: what its tuples lose, and how far they are moved in the stream.

    ``difference`` is between the first and the last position of a group; ``displacement`` between the place of a tuple
    in the stream that came and in the stream that left, among those that left.
    """

    weight: float
    mse: float
    mae: float
    difference_max: float
    difference_avg: float
    displacement_max: float
    displacement_avg: float
    delay_avg: float
    dropped: int


def position_curve(
    x: Numbers, weights: Iterable[float], *, k: int = 10, max_delay: int = 100, sweeps: int = 2
) -> tuple[PositionRow, ...]:
    """Sweep ω_p: Figure 3.

    Parameters
    ----------
    x
        The stream, in the order of its rows; scaled to [0, 1] by its own bounds, as in the paper.
    weights
        What a step in the stream counts in the distance.
    k, max_delay, sweeps
        As in a stream's settings.

    Notes
    -----
    Section VI.C states a largest and average "reordering" of 80 and 25 at ω_p = 0 for k = 10 and δ = 100. A group of
    ten spans nine positions at least, so that 0.7, which it states for ω_p = 0.02, cannot be a span: it is the
    displacement.

    Examples
    --------
    >>> x = np.random.default_rng(0).random((400, 2))
    >>> loose, strict = position_curve(x, [0.0, 5.0])
    >>> loose.mse < strict.mse, strict.difference_max, strict.displacement_max
    (True, 9.0, 0.0)
    """
    bounds = list(zip(x.min(axis=0).tolist(), x.max(axis=0).tolist(), strict=True))
    rows = []
    for weight in weights:
        settings = StreamSettings(
            k=k,
            max_delay=max_delay,
            position_weight=weight,
            sweeps=sweeps,
            coords=tuple(ContinuousSetting(bounds=pair) for pair in bounds),
        )
        engine = StreamEngine(settings)
        rows.append(_row(weight, x, [engine.push_many(x), engine.flush()]))
    return tuple(rows)


def _row(weight: float, x: Numbers, parts: list[Released]) -> PositionRow:
    positions = np.concatenate([part.positions for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    labels = np.repeat(np.arange(len(sizes)), sizes)
    left_at = np.concatenate([part.at for part in parts])[labels]
    released = np.vstack([part.coords for part in parts])[labels]
    # Scores compare with the range of what left; dropped tuples are few or none, and counted.
    scores = {
        key: s.value for key, s in measure_stream(Pair.of(x[positions], released), labels, positions, left_at).items()
    }
    # The tuples of a group leave at once, in an order that is none of theirs: moved is who overtakes another group.
    positions = positions[np.lexsort((positions, labels))]
    came = np.argsort(np.argsort(positions))  # place of each tuple among those that left
    moved = np.abs(came - np.arange(len(positions)))
    return PositionRow(
        weight=weight,
        mse=scores["mse"],
        mae=scores["mae"],
        difference_max=scores["position_difference_max"],
        difference_avg=scores["position_difference_avg"],
        displacement_max=float(moved.max()),
        displacement_avg=float(moved.mean()),
        delay_avg=scores["delay_avg"],
        dropped=sum(len(part.dropped) for part in parts),
    )
