"""One of a group's own categories: the most frequent one, or that of a member who is drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal import _core


def group_mode(
    codes: NDArray[np.int32],
    labels: NDArray[np.int64],
    count: int,
    levels: int,
    random: np.random.Generator | None = None,
) -> NDArray[np.int64]:
    """Return the most frequent code of each group, among equals the one that is farthest behind its share.

    Parameters
    ----------
    codes, labels, count, levels
        The categories of records, their groups, how many groups and how many categories there are.
    random
        Says in which order groups with a tie choose, and which category is asked first.

    Notes
    -----
    If a tie went to the first category, the first ones would grow at the cost of all others: among 1,000 postcodes many
    groups of five have five different ones. So the groups with a tie choose one after the other, and each takes the
    category that lacks most records of what a fair draw would have given it, or groups without a tie took from it; a
    category stands for its neighbours in category order, too (``_core/group/tied_modes.cpp``). Whatever a group takes
    is a mode: no choice loses more than another.

    Examples
    --------
    >>> group_mode(np.array([2, 1, 2, 0], dtype=np.int32), np.array([0, 0, 0, 1]), 2, 3).tolist()
    [2, 0]
    >>> two_groups_of_two = np.array([0, 1, 0, 1], dtype=np.int32)
    >>> sorted(group_mode(two_groups_of_two, np.array([0, 0, 1, 1]), 2, 2).tolist())
    [0, 1]
    """
    cells, frequencies = np.unique(labels * levels + codes, return_counts=True)
    groups, categories = np.divmod(cells, levels)
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, groups, frequencies)
    best = frequencies == most[groups]
    groups, categories = groups[best], categories[best]
    modes = np.zeros(count, dtype=np.int64)
    modes[groups] = categories
    tied = np.bincount(groups, minlength=count) > 1
    if tied.any():
        sizes = np.bincount(labels, minlength=count)
        wanted = np.bincount(codes, minlength=levels).astype(np.float64)
        alone = ~tied & (sizes > 0)
        wanted -= np.bincount(modes[alone], sizes[alone], levels)
        chosen = tied[groups]
        modes[tied] = _choose(groups[chosen], categories[chosen], sizes, wanted, random or np.random.default_rng(0))
    return modes


def _choose(
    groups: NDArray[np.int64],
    categories: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanted: NDArray[np.float64],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one of the categories of each group; groups stand together, and the answer is in their order."""
    turn = random.permutation(int(groups.max()) + 1)
    order = np.lexsort((random.random(len(groups)), turn[groups]))
    groups, categories = groups[order], categories[order]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    asked = groups[starts]
    ends = np.append(starts, len(groups)).astype(np.int64)
    places = _core.choose_tied(ends, categories.astype(np.int32), sizes[asked], wanted)
    result: NDArray[np.int64] = categories[places][np.argsort(asked)]
    return result


def group_draw(
    codes: NDArray[np.int32], labels: NDArray[np.int64], count: int, random: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Return the code of one member of each group, each member with the same chance.

    Notes
    -----
    Every category keeps its share in expectation, rare ones as well, which modes lose. The price: where the categories
    of a group have the shares p, a mode is wrong for 1 − max p of its members and a drawn category for 1 − Σ p² of them
    on average, up to twice as many.

    Examples
    --------
    >>> group_draw(np.array([4, 4, 7], dtype=np.int32), np.array([0, 0, 1]), 2).tolist()
    [4, 7]
    """
    random = random or np.random.default_rng(0)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=count)
    member = np.cumsum(sizes) - sizes + (random.random(count) * sizes).astype(np.int64)
    drawn = np.zeros(count, dtype=np.int64)
    drawn[sizes > 0] = codes[order][member[sizes > 0]]
    return drawn
