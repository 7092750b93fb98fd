"""Row order: released rows stand in the order of a column that the release hides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack, Outcome
from shoal.attacks.linkage import random_record
from shoal.attacks.material import Material
from shoal.frames.sortedness import sort_keys
from shoal.measures.proportions import LEVEL, above_known


def chances_in_order(places: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance that who sorts the persons by a key finds each at its place in the release.

    Persons with the same key stand in any order: one of c places is guessed.

    Examples
    --------
    >>> chances_in_order(np.array([0, 1, 2]), np.array([4, 4, 9])).tolist()
    [0.5, 0.5, 1.0]
    """
    rank = np.argsort(np.argsort(places))  # places among those who left
    _, block, counts = np.unique(keys, return_inverse=True, return_counts=True)
    start = np.cumsum(counts) - counts
    inside = (rank >= start[block]) & (rank < start[block] + counts[block])
    result: NDArray[np.float64] = inside / counts[block]
    return result


def _orders(material: Material) -> Iterator[NDArray[np.int64]]:
    """Yield what persons may be sorted by: what is known of them, and their identifiers."""
    for name in (*material.known, *material.plan.dropped_names()):
        values = sort_keys(material.original, name) if name in material.original.names else None
        if values is not None:
            keys = np.unique(values, return_inverse=True)[1].astype(np.int64)
            yield keys
            yield -keys


def _run(material: Material) -> Iterator[Outcome]:
    tried = [material.per_person(chances_in_order(material.places, keys)) for keys in _orders(material)]
    best = max(tried, key=lambda chances: float(chances.sum()))
    baseline, level = random_record(material), 1 - (1 - LEVEL) / len(tried)
    # A few persons stand at their place in any order: what chance does breaks no promise.
    beyond = above_known(float(best.sum()), len(best), baseline.rate, level=level)[0] > 0
    yield Outcome(best, baseline, promised=beyond, choices=len(tried))


ROW_ORDER = Attack(
    "row_order",
    "order of rows",
    "An intruder sorts the persons by a column known of them, or by an identifier, up or down, and takes the record at "
    "a person's place for that person's; it succeeds if it is, and persons who share c places count 1/c each. The "
    "order that works best is told.",
    "Sweeney 2002, unsorted matching",
    _run,
    promised=True,
)
