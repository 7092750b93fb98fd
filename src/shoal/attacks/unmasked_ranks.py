"""Followed: a column that nobody masked rises or falls with what is known of persons, and its ranks lead to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack, Outcome
from shoal.attacks.linkage import mean_ranks, not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage
from shoal.frames import Table
from shoal.frames.sortedness import sort_keys
from shoal.measures.proportions import LEVEL, above_known
from shoal.points import Points

FOLLOWING = 0.5
"""The rank correlation from which on an undeclared column is preferred to a declared one that follows more closely."""


@dataclass(frozen=True, eq=False)
class _Following:
    """A released column that was not masked, and the known one whose ranks it repeats best."""

    known: str
    column: str
    correlation: float
    undeclared: bool

    @property
    def strength(self) -> list[float]:
        """Undeclared columns first, which should not be there at all; then those that follow most closely."""
        size = abs(self.correlation)
        return [self.undeclared and size >= FOLLOWING, size]


def ranks_of(table: Table, name: str) -> NDArray[np.float64] | None:
    """Return the mean rank of each cell, missing ones before all others; None where cells have no order."""
    keys = sort_keys(table, name)
    if keys is None:
        return None
    missing = table.missing(name)
    there = np.ones(len(keys), dtype=np.bool_) if missing is None else ~missing
    ranks = np.full(len(keys), -1.0)
    ranks[there] = mean_ranks(keys[there])
    return ranks


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    there = (one >= 0) & (other >= 0)
    if there.sum() < 2:
        return 0.0
    first, second = one[there] - one[there].mean(), other[there] - other[there].mean()
    spread = float(first @ first) * float(second @ second)
    return float(first @ second) / spread**0.5 if spread > 0 else 0.0


def _ordered(table: Table, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    return {name: ranks for name in names if (ranks := ranks_of(table, name)) is not None}


def _run(material: Material) -> Iterator[Outcome]:
    masked = {*material.plan.masked_names(), *material.known}
    known = _ordered(material.original, material.known)
    unmasked = _ordered(material.released, [name for name in material.released.names if name not in masked])
    if not known or not unmasked:
        return
    followed = [
        _Following(name, column, _correlation(ours, theirs), column not in material.plan.attributes)
        for name, ours in known.items()
        for column, theirs in unmasked.items()
    ]
    closest = max(followed, key=attrgetter("strength"))
    ours, theirs = known[closest.known], unmasked[closest.column]
    if closest.correlation < 0:
        theirs = np.where(theirs >= 0, (theirs >= 0).sum() - 1 - theirs, theirs)
    chances = material.per_person(
        chances_of_linkage(material, Points.of(ours[:, np.newaxis]), Points.of(theirs[:, np.newaxis]))
    )
    baseline, pairs = random_record(material), len(followed)
    # Of many columns one follows another a little by chance, and some persons stand at their rank: that breaks nothing.
    level = 1 - (1 - LEVEL) / pairs
    beyond = above_known(float(chances.sum()), len(chances), baseline.rate, level=level)[0] > 0
    yield Outcome(
        chances,
        baseline,
        promised=closest.undeclared and beyond,
        choices=pairs,
        detail={f"{closest.column} follows {closest.known}, rank correlation": closest.correlation},
    )


FOLLOWED = Attack(
    "followed",
    "ranks of an unmasked column",
    "An intruder who knows the whole original table of quasi-identifiers compares the ranks of one of them with those "
    "of a column that was not masked (confidential, other or undeclared), up or down, and picks the record nearest in "
    "rank; it succeeds if the record is that person's, and a tie between c persons counts 1/c. The two columns with "
    "the strongest rank correlation are taken, an undeclared one first.",
    "Muralidhar and Domingo-Ferrer 2016; Spearman 1904",
    _run,
    why_not=not_of_a_permutation,
    nothing="no column with an order was left unmasked, or none is known",
    promised=True,
)
