"""Linkage by assignment: every person gets a released record, each record once, and the whole is as near as can be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack, Outcome
from shoal.attacks.linkage import not_of_a_permutation, random_record
from shoal.attacks.material import Material, Progress
from shoal.attacks.nearest import known_points, nearest_rows, released_points
from shoal.measures.linkage import distinct_points
from shoal.points import Points

PERSONS = 20_000
"""Persons who are assigned; of more, so many are drawn."""
CANDIDATES = 10
"""Classes of equal records that a person may be assigned to: the nearest ones."""
STEP = 0.02
"""What a bid rises by, in mean distances: the sum of distances is within so much per person of the least."""
ROUNDS = 5000
"""After so many rounds of bids the raise doubles, so that an auction ends where records far apart are contended for."""
PATIENCE = 10.0
"""A person whose candidates have become dearer than so many times the farthest of them stays without a record."""


def auction(
    candidates: NDArray[np.int64],
    costs: NDArray[np.float64],
    capacities: NDArray[np.int64],
    *,
    step: float,
    patience: NDArray[np.float64],
    progress: Progress,
) -> NDArray[np.int64]:
    """Assign persons to classes of records, each record once, at nearly the least sum of costs.

    Parameters
    ----------
    candidates, costs
        (persons, c): the classes that each may get, −1 where there are fewer, and what they cost.
    capacities
        The records of each class.
    step
        The least raise of a bid: the sum is within ``step`` per person of the least. It doubles every 5,000 rounds.
    patience
        What each person pays at most, cost and price together; infinite where everybody can get one.
    progress
        Called now and then; whoever listens may stop it.

    Returns
    -------
    The class of each person, −1 for none.

    Notes
    -----
    The auction algorithm of Bertsekas 1988, for similar objects as in Bertsekas and Castañón 1989: persons without a
    record bid for their best class all at once, a class keeps its highest bidders, and its price is its lowest bid
    once it is full.

    Examples
    --------
    >>> both = np.array([[0, 1], [0, 1]])
    >>> costs = np.array([[1.0, 2.0], [1.0, 9.0]])
    >>> auction(both, costs, np.array([1, 1]), step=0.1, patience=np.full(2, np.inf), progress=print).tolist()
    [1, 0]
    """
    n = len(candidates)
    got, bid = np.full(n, -1, dtype=np.int64), np.zeros(n)
    prices = np.zeros(len(capacities))
    outside = np.zeros(n, dtype=np.bool_)
    rounds = 0
    while True:
        bidders = np.flatnonzero((got < 0) & ~outside)
        if len(bidders) == 0:
            return got
        paid = np.where(candidates[bidders] >= 0, costs[bidders] + prices[candidates[bidders]], np.inf)
        choice = paid.argmin(axis=1)
        best = paid[np.arange(len(bidders)), choice]
        paid[np.arange(len(bidders)), choice] = np.inf
        second = np.minimum(paid.min(axis=1, initial=np.inf), patience[bidders])
        gone = best > patience[bidders]
        outside[bidders[gone]] = True
        bidders, choice, best, second = bidders[~gone], choice[~gone], best[~gone], second[~gone]
        wanted = candidates[bidders, choice]
        raised = np.where(np.isfinite(second), second - best, 1.0) + step
        bid[bidders] = prices[wanted] + raised
        got[bidders] = wanted
        _keep_highest(got, bid, prices, capacities, wanted)
        rounds += 1
        if rounds % ROUNDS == 0:
            step *= 2
        if rounds % 16 == 0:
            progress(int((got >= 0).sum() + outside.sum()), n)


def _keep_highest(
    got: NDArray[np.int64],
    bid: NDArray[np.float64],
    prices: NDArray[np.float64],
    capacities: NDArray[np.int64],
    wanted: NDArray[np.int64],
) -> None:
    """Let each class that was bid for keep its highest bidders, and set its price."""
    asked = np.zeros(len(capacities) + 1, dtype=np.bool_)  # the last is for persons without a class
    asked[wanted] = True
    persons = np.flatnonzero(asked[got])
    order = persons[np.lexsort((persons, -bid[persons], got[persons]))]
    of = got[order]
    rank = np.arange(len(order)) - np.searchsorted(of, of)
    last = rank == capacities[of] - 1
    prices[of[last]] = bid[order[last]]
    got[order[rank >= capacities[of]]] = -1


def _run(material: Material) -> Iterator[Outcome]:
    rows = material.drawn(PERSONS, "assignment")
    group, released = distinct_points(released_points(material.columns))
    known = known_points(material.columns)

    def searching(done: int, total: int) -> None:
        material.progress(done // 2, total)

    def assigning(done: int, total: int) -> None:
        material.progress(total // 2 + done // 2, total)

    near = nearest_rows(known, released, rows, CANDIDATES, progress=searching).astype(np.int64)
    costs = squared_distances(known.take(rows), released, near)
    there = near >= 0
    unit = float(costs[there].mean()) or 1.0
    farthest = np.where(there, costs, 0.0).max(axis=1)
    everything = near.shape[1] >= len(released)
    patience = np.full(len(rows), np.inf) if everything else PATIENCE * (farthest + unit)
    got = auction(near, costs, np.bincount(group), step=STEP * unit, patience=patience, progress=assigning)
    own = got == group[rows]
    chances = own / material.class_sizes[material.classes[rows]]
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
    f"record once, so that the sum of squared distances is nearly the least (among the {CANDIDATES} nearest classes of "
    f"equal records; of more than {PERSONS:,} persons a sample is assigned); a person given to the right class of c "
    "persons counts 1/c.",
    "Jaro 1989; Bertsekas and Castañón 1989",
    _run,
    why_not=not_of_a_permutation,
    promised=True,
)
