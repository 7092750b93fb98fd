"""What may be told of a running stream while it runs: nothing that one group could be worked out from.

A sum of errors at full precision gives a group away as soon as two readings of it differ by that group: of two records
and their mean, the error tells both. The same holds for a mean since the start, which times a count is a sum, and for
delays, which tell when a record came. So what is told covers `WINDOW` groups at once, none of them twice but for those
that a restart repeats; it is a middle value, which no single group drives however far out it lies, and it comes in
coarse steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.stream.engine.stream_engine import Released

WINDOW = 100
"""Groups that a published figure covers."""

QUANTILES = ("0.5", "0.9", "0.99")


@dataclass(frozen=True)
class PublishedFigures:
    """Figures over the latest full window of groups.

    Parameters
    ----------
    groups
        How many groups they cover.
    error_at_most
        Half of the groups have a root mean squared error of at most this, every quasi-identifier on [0, 1]; a step of
        1, 2 or 5 times a power of ten.
    delay_quantiles
        Arrivals that the tuples of a group waited for on average, by quantile of the groups, each rounded up to such a
        step. A quantile of all tuples could be a single group's: of pairs, half of them waited as long as they may.
    gaps_at_most
        Cells that were filled and that were suppressed, from where this process began to the end of the window, each
        rounded up to such a step, and no fewer than groups; nothing where the plan refuses gaps.
    """

    groups: int
    error_at_most: float
    delay_quantiles: Mapping[str, int]
    gaps_at_most: Mapping[str, int]


class Publisher:
    """Collects groups until there are enough to tell of them."""

    def __init__(self) -> None:
        self._errors: list[float] = []
        self._delays: list[int] = []
        self._gaps_before: Mapping[str, int] | None = None
        self.figures: PublishedFigures | None = None

    def take(self, released: Released, gaps: Mapping[str, int]) -> None:
        """Take what one call released, and the gaps of all that left before; a tuple that joined a group is none.

        Gaps are told at the ends of windows: processes that begin alike and end a group apart, as by a message that
        does not fit, would tell of that group.
        """
        self._gaps_before = gaps if self._gaps_before is None else self._gaps_before
        since = {what: count - self._gaps_before[what] for what, count in gaps.items()}
        start = 0
        groups = zip(released.sizes.tolist(), released.errors.tolist(), released.at.tolist(), strict=True)
        for size, error, at in groups:
            if size > 1:
                self._errors.append(math.sqrt(error / size))
                self._delays.append(math.ceil((at - released.positions[start : start + size]).mean()))
            start += size
            if len(self._errors) == WINDOW:
                self._publish(since)

    def _publish(self, gaps: Mapping[str, int]) -> None:
        delays = np.sort(self._delays)
        self.figures = PublishedFigures(
            groups=WINDOW,
            error_at_most=step_above(float(np.sort(self._errors)[WINDOW // 2])),
            delay_quantiles={q: int(step_above(float(delays[int(float(q) * (len(delays) - 1))]))) for q in QUANTILES},
            gaps_at_most={what: int(step_above(float(max(WINDOW, count)))) for what, count in gaps.items()},
        )
        self._errors.clear()
        self._delays.clear()


def step_above(value: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is not below a value; 0 for 0.

    >>> step_above(0.013), step_above(0.02), step_above(37), step_above(0.0)
    (0.02, 0.02, 50.0, 0.0)
    """
    if value == 0.0:
        return 0.0
    exponent = math.floor(math.log10(value))
    steps = (float(f"{digit}e{power}") for power in (exponent - 1, exponent, exponent + 1) for digit in (1, 2, 5))
    return next(step for step in steps if step >= value)
