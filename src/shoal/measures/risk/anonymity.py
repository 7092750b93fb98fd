"""How many subjects share their released quasi-identifiers: at least, and on average."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.subsets import Known, Subsets, labelled

K_MIN = Definition(
    "k_min",
    "Size of the smallest equivalence class: subjects (records, where each is its own) whose released "
    "quasi-identifiers all agree (over several subsets of them, the smallest of all).",
    title="smallest class",
    aspect="risk",
    better="higher",
    low=1.0,
    high=math.inf,
    unit="subjects",
    external="subjects",
)

K_PRIME = Definition(
    "k_prime",
    "Real anonymity: the mean size of an equivalence class in subjects, which is records / distinct released records "
    "where each is its own (over several subsets of the quasi-identifiers, the mean).",
    title="average class",
    aspect="risk",
    better="higher",
    low=1.0,
    high=math.inf,
    unit="subjects",
    external="subjects",
)


def k_min(pair: Pair, *, subsets: Known | None = None, sample: int | None = None, seed: int = 0) -> Score:
    """Return the size of the smallest equivalence class.

    Parameters
    ----------
    pair
        The table and its release.
    subsets, sample, seed
        The quasi-identifiers that an intruder knows: all (None), or parts of them as `Subsets.of` takes them. The value
        is then the smallest over the subsets, and ``parts`` holds each one's.

    Notes
    -----
    ``groups`` holds the size of every class on all quasi-identifiers. The smallest class over a sample of subsets is no
    estimate of the smallest over all, so there is no interval; the subset with all columns decides it anyway.

    Examples
    --------
    >>> k_min(Pair.of([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 1.5, 4.0, 4.0, 4.0])).value
    2.0
    """
    columns = K_MIN.quasi_identifiers(pair)
    known = Subsets.of(pair.names, subsets, sample=sample, seed=seed)
    sizes = known.values(lambda names: int(_class_sizes(pair, names).min()))
    parts = {} if subsets is None else labelled(known, sizes)
    return K_MIN.score(min(sizes), columns, groups={"size": pair.subject_sizes}, parts=parts)


def k_prime(pair: Pair, *, subsets: Known | None = None, sample: int | None = None, seed: int = 0) -> Score:
    """Return the average size of the equivalence classes.

    Parameters
    ----------
    pair
        The table and its release.
    subsets, sample, seed
        The quasi-identifiers that an intruder knows: all (None), or parts of them as `Subsets.of` takes them. The value
        is then the mean over the subsets (with an interval where they are a sample), and ``parts`` holds each one's.

    Notes
    -----
    Nin 2014, section 2.3. Blocked microaggregation and Mic1D-k protect parts of a record by themselves: k' shows what
    is left of k when the parts are seen together.

    Examples
    --------
    >>> k_prime(Pair.of([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 1.5, 4.0, 4.0, 4.0])).value
    2.5
    """
    columns = K_PRIME.quasi_identifiers(pair)
    known = Subsets.of(pair.names, subsets, sample=sample, seed=seed)
    means = known.values(lambda names: float(_class_sizes(pair, names).mean()))
    value, interval = known.estimate(means)
    return K_PRIME.score(value, columns, parts={} if subsets is None else labelled(known, means), interval=interval)


def _class_sizes(pair: Pair, names: tuple[str, ...]) -> NDArray[np.int64]:
    if names == pair.names:
        return pair.subject_sizes
    cells = [column.cells for column in pair.columns if column.name in names]
    return pair.once(("sizes", names), lambda: subjects_of_each(equivalence_classes(cells), pair.subjects))
