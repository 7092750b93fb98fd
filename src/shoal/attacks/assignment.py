"""Linkage by assignment: every person gets a released record, each record once, and the whole is as near as can be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Outcome, without_learner
from shoal.attacks.linkage import not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import known_points, nearest_rows, released_points
from shoal.measures.linkage import distinct_points
from shoal.points import Points

PERSONS = 20_000
"""Persons who are assigned; of more, so many are drawn."""
CANDIDATES = 10
"""Classes of equal records that a person may be assigned to: the nearest ones."""
CHOICES = 10_000_000
"""Records that all persons may choose from, together: of very large classes fewer persons are assigned."""
PATIENCE = 10.0
"""A person stays without a record where another would cost more than so many times the farthest candidate."""


def assign(
    candidates: NDArray[np.int64],
    costs: NDArray[np.float64],
    capacities: NDArray[np.int64],
    outside: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Return the class of records that each person is assigned, −1 for none: each record once, at the least sum.

    The classes that each person may get (``candidates``, −1 where there are fewer) have ``costs`` by person and so many
    records (``capacities``); to leave a person without a record costs as much as ``outside``, None where nobody is.

    Notes
    -----
    Every record of a class is a column of its own in a matching of least weight (Jonker and Volgenant 1987).

    Examples
    --------
    >>> both = np.array([[0, 1], [0, 1]])
    >>> assign(both, np.array([[1.0, 2.0], [1.0, 9.0]]), np.array([1, 1])).tolist()
    [1, 0]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    persons, records = len(candidates), int(capacities.sum())
    starts = np.cumsum(capacities) - capacities
    places, weights = starts[candidates], costs
    many = np.where(candidates >= 0, capacities[candidates], 0)
    if outside is not None:  # one more class, of one record, for each person alone
        places = np.column_stack([places, records + np.arange(persons)])
        many = np.column_stack([many, np.ones(persons, np.int64)])
        weights = np.column_stack([costs, outside])
    many, ends = many.ravel(), np.cumsum(many.sum(axis=1))
    step = np.arange(int(ends[-1]), dtype=np.int32) - np.repeat(np.cumsum(many) - many, many).astype(np.int32)
    columns = np.repeat(places.ravel(), many).astype(np.int32) + step
    # A cell of 0 is no choice in a sparse matrix, and one more for every choice changes nothing.
    choices = csr_array(
        (np.repeat(weights.ravel() + 1.0, many), columns, np.concatenate([[0], ends])),
        shape=(persons, records + (0 if outside is None else persons)),
    )
    classes = np.concatenate([np.repeat(np.arange(len(capacities)), capacities), np.full(persons, -1)])
    return np.asarray(classes[min_weight_full_bipartite_matching(choices)[1]])


def _run(material: Material) -> Iterator[Outcome]:
    group, released = distinct_points(released_points(material.columns))
    capacities = np.bincount(group)
    usual = float(capacities @ capacities) / len(group)  # of the class of a record
    rows = material.drawn(max(1, min(PERSONS, int(CHOICES / CANDIDATES / usual))), "assignment")
    known = known_points(material.columns)
    near = nearest_rows(known, released, rows, CANDIDATES, progress=material.progress).astype(np.int64)
    costs = squared_distances(known.take(rows), released, near)
    farthest = np.where(near >= 0, costs, 0.0).max(axis=1)
    unit = float(costs[near >= 0].mean()) or 1.0
    everything = near.shape[1] >= len(released)
    got = assign(near, costs / unit, capacities, None if everything else PATIENCE * (farthest / unit + 1.0))
    chances = (got == group[rows]) / material.class_sizes[material.classes[rows]]
    yield Outcome(
        chances, random_record(material), total=material.persons, detail={"without a record": int((got < 0).sum())}
    )


def squared_distances(known: Points, released: Points, near: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the squared distance of each person to each candidate."""
    result = np.zeros(near.shape)
    for place in range(near.shape[1]):
        to = near[:, place]
        result[:, place] = (
            ((known.coords - released.coords[to]) ** 2).sum(axis=1)
            + (((known.ranks - released.ranks[to]) * known.rank_steps) ** 2).sum(axis=1)
            + ((known.codes != released.codes[to]) * known.code_weights).sum(axis=1)
        )
    return result


ASSIGNMENT = Attack(
    "assignment",
    "linkage by assignment",
    "An intruder who knows the original quasi-identifiers of everybody gives each person a released record, every "
    f"record once, so that the sum of squared distances is the least (among the {CANDIDATES} nearest classes of "
    f"equal records; of more than {PERSONS:,} persons a sample is assigned); a person given to the right class of c "
    "persons counts 1/c.",
    "Jaro 1989",
    _run,
    why_not=lambda material: without_learner(material) or not_of_a_permutation(material),
    promised=True,
)
