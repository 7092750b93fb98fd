"""Ranks: the place of a record in the order of a column leads to the person at that place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Outcome
from shoal.attacks.linkage import link, not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage
from shoal.frames import Table
from shoal.frames.sortedness import sort_keys
from shoal.measures.column_pair import ColumnPair
from shoal.points import Points


def mean_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rank of each value, from 0; equal values share the mean of theirs.

    >>> mean_ranks(np.array([7.0, 5.0, 7.0, 9.0])).tolist()
    [1.5, 0.0, 1.5, 3.0]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[places])


def _ranked(column: ColumnPair) -> ColumnPair:
    if not column.is_continuous:
        return column
    return replace(column, original=mean_ranks(column.original), released=mean_ranks(column.released))


def _why_not_by_rank(material: Material) -> str | None:
    if not any(column.is_continuous for column in material.columns):
        return "it needs a numeric or date column: others have no ranks, or are compared by them already"
    return not_of_a_permutation(material)


LINKAGE_RANK = Attack(
    "linkage_rank",
    "linkage by rank",
    "As linkage by distance, by an intruder who knows the whole original table of quasi-identifiers and compares the "
    "ranks of numbers, each in its own table, instead of the numbers.",
    "Muralidhar and Domingo-Ferrer 2016",
    lambda material: link(material, tuple(map(_ranked, material.columns))),
    why_not=_why_not_by_rank,
    promised=True,
)


def chances_in_order(places: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance that who sorts the persons by a key finds each at its place in the release.

    Persons with the same key stand in any order: one of c places is guessed.

    >>> chances_in_order(np.array([0, 1, 2]), np.array([4, 4, 9])).tolist()
    [0.5, 0.5, 1.0]
    """
    rank = np.argsort(np.argsort(places))  # places among those who left
    _, block, counts = np.unique(keys, return_inverse=True, return_counts=True)
    start = np.cumsum(counts) - counts
    inside = (rank >= start[block]) & (rank < start[block] + counts[block])
    return np.asarray(inside / counts[block])


def _orders(material: Material) -> Iterator[NDArray[np.int64]]:
    """Yield what persons may be sorted by: what is known of them, and their identifiers."""
    for name in (*material.known, *material.plan.dropped_names()):
        values = sort_keys(material.original, name) if name in material.original.names else None
        if values is not None:
            keys = np.unique(values, return_inverse=True)[1].astype(np.int64)
            yield keys
            yield -keys


def _sort(material: Material) -> Iterator[Outcome]:
    tried = [material.per_person(chances_in_order(material.places, keys)) for keys in _orders(material)]
    best = max(tried, key=lambda chances: float(chances.sum()))
    # A few persons stand at their place in any order.
    yield Outcome(best, random_record(material), choices=len(tried), beyond_chance=True)


ROW_ORDER = Attack(
    "row_order",
    "order of rows",
    "An intruder sorts the persons by a column known of them, or by an identifier, up or down, and takes the record at "
    "a person's place for that person's; it succeeds if it is, and persons who share c places count 1/c each. The "
    "order that works best is told.",
    "Sweeney 2002, unsorted matching",
    _sort,
    promised=True,
)


FOLLOWING = 0.5
"""The rank correlation from which on an undeclared column is preferred to a declared one that follows more closely."""


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    there = (one >= 0) & (other >= 0)
    if there.sum() < 2:
        return 0.0
    first, second = one[there] - one[there].mean(), other[there] - other[there].mean()
    spread = float(first @ first) * float(second @ second)
    return float(first @ second) / spread**0.5 if spread > 0 else 0.0


def _ordered(table: Table, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the mean rank of each cell of the columns that have an order, missing cells before all others."""
    ordered = {}
    for name in names:
        keys = sort_keys(table, name)
        if keys is not None:
            missing = table.missing(name)
            there = np.ones(len(keys), dtype=np.bool_) if missing is None else ~missing
            ordered[name] = np.full(len(keys), -1.0)
            ordered[name][there] = mean_ranks(keys[there])
    return ordered


def _follow(material: Material) -> Iterator[Outcome]:
    masked = {*material.plan.masked_names(), *material.known}
    known = _ordered(material.original, material.known)
    unmasked = _ordered(material.released, [name for name in material.released.names if name not in masked])
    correlations = {
        (name, column): _correlation(ours, theirs)
        for name, ours in known.items()
        for column, theirs in unmasked.items()
    }
    if not correlations:
        return

    def strength(pair: tuple[str, str]) -> list[float]:
        """Undeclared columns first, which should not be there at all; then those that follow most closely."""
        size = abs(correlations[pair])
        return [pair[1] not in material.plan.attributes and size >= FOLLOWING, size]

    name, column = closest = max(correlations, key=strength)
    ours, theirs = known[name], unmasked[column]
    if correlations[closest] < 0:
        theirs = np.where(theirs >= 0, (theirs >= 0).sum() - 1 - theirs, theirs)
    chances = chances_of_linkage(material, Points.of(ours), Points.of(theirs))
    yield Outcome(
        material.per_person(chances),
        random_record(material),
        promised=column not in material.plan.attributes,
        choices=len(correlations),
        beyond_chance=True,  # of many columns one follows another a little
        detail={f"{column} follows {name}, rank correlation": correlations[closest]},
    )


FOLLOWED = Attack(
    "followed",
    "ranks of an unmasked column",
    "An intruder who knows the whole original table of quasi-identifiers compares the ranks of one of them with those "
    "of a column that was not masked (confidential, other or undeclared), up or down, and picks the record nearest in "
    "rank; it succeeds if the record is that person's, and a tie between c persons counts 1/c. The two columns with "
    "the strongest rank correlation are taken, an undeclared one first.",
    "Muralidhar and Domingo-Ferrer 2016; Spearman 1904",
    _follow,
    why_not=not_of_a_permutation,
    nothing="no column with an order was left unmasked, or none is known",
    promised=True,
)
