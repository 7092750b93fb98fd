"""Linkage by rank: the tallest of those known is looked for among the tallest released, whatever the numbers became."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack
from shoal.attacks.linkage import not_of_a_permutation, random_record
from shoal.attacks.material import Material
from shoal.attacks.nearest import chances_of_linkage, known_points, released_points
from shoal.attacks.outcome import Outcome
from shoal.measures.column_pair import ColumnPair


def mean_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rank of each value, from 0; equal values share the mean of theirs.

    Examples
    --------
    >>> mean_ranks(np.array([7.0, 5.0, 7.0, 9.0])).tolist()
    [1.5, 0.0, 1.5, 3.0]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    result: NDArray[np.float64] = (np.cumsum(counts) - (counts + 1) / 2)[places]
    return result


def _ranked(column: ColumnPair) -> ColumnPair:
    if not column.is_continuous:
        return column
    return replace(column, original=mean_ranks(column.original), released=mean_ranks(column.released))


def _run(material: Material) -> Iterator[Outcome]:
    columns = tuple(map(_ranked, material.columns))
    chances = chances_of_linkage(material, known_points(columns), released_points(columns))
    yield Outcome(material.per_person(chances), random_record(material))


def _why_not(material: Material) -> str | None:
    if not any(column.is_continuous for column in material.columns):
        return "it needs a numeric or date column: others have no ranks, or are compared by them already"
    return not_of_a_permutation(material)


LINKAGE_RANK = Attack(
    "linkage_rank",
    "linkage by rank",
    "As linkage by distance, by an intruder who knows the whole original table of quasi-identifiers and compares the "
    "ranks of numbers, each in its own table, instead of the numbers.",
    "Muralidhar and Domingo-Ferrer 2016",
    _run,
    why_not=_why_not,
    promised=True,
)
