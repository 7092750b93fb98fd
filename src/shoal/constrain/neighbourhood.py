"""Merging for (n, t)-closeness: groups grow until each is close to its neighbourhood."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.labels import read_labels
from shoal.points import Points
from shoal.protect import Closeness, judge_near
from shoal.protect.n_t_closeness import whole_number
from shoal.protect.rules import require_possible


def merge_near(
    points: Points,
    labels: NDArray[np.int64],
    rules: Sequence[Closeness],
    n: int,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Merge groups until each is within t of its neighbourhood of n records, or of the table.

    Notes
    -----
    A merger moves centroids, and with them the neighbourhoods of others. So merging goes in rounds: all groups are
    judged, then each that misses t joins the group whose centroid is nearest, the worst first, none twice in a round.
    """
    array, count = read_labels(labels, len(points))
    kernels = [rule.kernel for rule in rules]
    merged = _core.merge_neighbours(points.records(), array, count, whole_number(n), kernels, progress)
    if merged.max() == 0 and not judge_near(points, merged, rules, n).met.all():
        require_possible(rules)
    return merged
