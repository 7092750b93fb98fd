"""What a stream did so far: counts, errors, reordering and delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class StreamStats:
    """What a stream did so far.

    Parameters
    ----------
    arrived, buffered, released
        Tuples that came, that wait, that left.
    dropped
        Tuples that were dropped, by reason: ``too_few_subjects``, ``not_close``. Always
        ``arrived == buffered + released + sum(dropped.values())``.
    groups
        Released groups.
    merged
        Released tuples that joined the class of a group that had left before.
    mse, mae
        Mean of the squared distance, and of the distance, from a tuple to what was released for it: every
        quasi-identifier on [0, 1] by the bounds in force when it left (Domingo-Ferrer and Soria-Comas 2017,
        section VI.B).
    position_difference_max, position_difference_avg
        Positions between the first and the last tuple of a group: the largest, and the mean over groups.
    delay_max, delay_avg, delay_quantiles
        Arrivals that tuples waited for: the longest, the mean, and the quantiles 0.5, 0.9, 0.99.
    """

    arrived: int
    buffered: int
    released: int
    dropped: Mapping[str, int]
    groups: int
    merged: int
    mse: float
    mae: float
    position_difference_max: int
    position_difference_avg: float
    delay_max: int
    delay_avg: float
    delay_quantiles: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. Errors and delays among them: two readings tell of the groups between them."""
        return asdict(self)

    def counts(self) -> dict[str, Any]:
        """Return what can be told while a stream runs: how many, and nothing of what they were."""
        kept = ("arrived", "buffered", "released", "dropped", "groups", "merged")
        return {name: value for name, value in asdict(self).items() if name in kept}

    @classmethod
    def of(cls, tally: Mapping[str, Any]) -> StreamStats:
        """Sum up what the engine counted."""
        released, groups = tally["released"], tally["groups"]
        delays: NDArray[np.int64] = tally["delays"]
        waited = np.flatnonzero(delays)
        return cls(
            arrived=tally["arrived"],
            buffered=tally["buffered"],
            released=released,
            dropped={"too_few_subjects": tally["dropped_subjects"], "not_close": tally["dropped_close"]},
            groups=groups,
            merged=tally["joined"],
            mse=tally["squared_error"] / max(1, released),
            mae=tally["absolute_error"] / max(1, released),
            position_difference_max=tally["largest_spread"],
            position_difference_avg=tally["total_spread"] / max(1, groups),
            delay_max=int(waited[-1]) if len(waited) else 0,
            delay_avg=float(delays @ np.arange(len(delays))) / max(1, released),
            delay_quantiles={str(q): _quantile(delays, q) for q in (0.5, 0.9, 0.99)},
        )


def _quantile(counts: NDArray[np.int64], share: float) -> int:
    """Return the smallest delay that at least this share of the tuples did not exceed."""
    below = counts.cumsum()
    return int(np.searchsorted(below, share * below[-1])) if below[-1] else 0
