"""Subsets of the quasi-identifiers: what an intruder may know, in every part or in a sample of the parts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.errors import PlanError
from shoal.progress import Progress

MOST = 2**16
"""The greatest number of subsets that is gone through one by one."""

Names = tuple[str, ...]

Known = Literal["all"] | int | Sequence[Sequence[str]]
"""``all`` subsets, those with a given number of columns, or a list of them."""


@dataclass(frozen=True)
class Subsets:
    """Some subsets of the quasi-identifiers, and of how many: as many where none was left out.

    >>> Subsets.of(("age", "town", "job"), 2).drawn
    (('age', 'town'), ('age', 'job'), ('town', 'job'))
    >>> sample = Subsets.of(("age", "town", "job"), "all", sample=3, seed=1)
    >>> len(sample.drawn), sample.population
    (3, 7)
    """

    drawn: tuple[Names, ...]
    population: int

    @classmethod
    def of(cls, names: Sequence[str], subsets: Known | None, *, sample: int | None = None, seed: int = 0) -> Subsets:
        """List the subsets that are known, or draw some of them, none twice; the one of all columns if None is."""
        if subsets is None:
            if sample is not None:
                raise PlanError('sample needs subsets to draw from: set subsets to "all", a number or a list')
            return cls((tuple(names),), 1)
        if sample is not None and sample < 2:
            raise PlanError(f"sample must be at least 2, not {sample}: an interval needs more than one value")

        def draw(population: int, every: Iterable[Names], ranked: Callable[[int], Names]) -> Subsets:
            if sample is None or sample >= population:
                if population > MOST:
                    raise PlanError(
                        f"there are {population} subsets, more than {MOST}: set sample to draw some of them"
                    )
                return cls(tuple(every), population)
            return cls(tuple(ranked(rank) for rank in _distinct_ranks(population, sample, seed)), population)

        subsets = int(subsets) if isinstance(subsets, np.integer) else subsets
        if not isinstance(subsets, (str, int)):
            listed = tuple(_checked(subset, names) for subset in subsets)
            if not listed:
                raise PlanError("subsets must list at least one subset of the quasi-identifiers")
            return draw(len(listed), listed, listed.__getitem__)
        d = len(names)
        if subsets == "all":
            every: Iterator[Names] = (subset for r in range(1, d + 1) for subset in itertools.combinations(names, r))
            return draw(
                2**d - 1, every, lambda rank: tuple(name for j, name in enumerate(names) if (rank + 1) >> j & 1)
            )
        if isinstance(subsets, str) or not 1 <= subsets <= d:
            raise PlanError(f'subsets must be "all", a list, or a number of columns from 1 to {d}, not {subsets!r}')
        size = subsets
        return draw(
            math.comb(d, size),
            itertools.combinations(names, size),
            lambda rank: tuple(names[j] for j in _combination(rank, d, size)),
        )

    def values(self, measure: Callable[[Names], float], progress: Progress | None = None) -> list[float]:
        """Return the value of a measure on each subset, telling how many are done."""
        values = []
        for names in self.drawn:
            values.append(measure(names))
            if progress is not None:
                progress(len(values), len(self.drawn))
        return values

    def estimate(self, values: Sequence[float]) -> tuple[float, tuple[float, float] | None]:
        """Return the mean of one value per subset, and its 95 % confidence interval where subsets were left out.

        Normal interval with the finite population correction: it shrinks to nothing as the sample becomes everything.
        """
        mean = math.fsum(values) / len(values)
        if len(values) == self.population:
            return mean, None
        left_out = (self.population - len(values)) / (self.population - 1)
        error = float(np.std(values, ddof=1)) * math.sqrt(left_out / len(values))
        return mean, (mean - 1.959963984540054 * error, mean + 1.959963984540054 * error)


def _checked(subset: Sequence[str], names: Sequence[str]) -> Names:
    chosen = (subset,) if isinstance(subset, str) else tuple(subset)
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(names):
        raise PlanError(
            f"subsets must name quasi-identifiers ({', '.join(names)}), each once, but one is {list(chosen)}"
        )
    return tuple(name for name in names if name in chosen)


def _distinct_ranks(population: int, sample: int, seed: int) -> list[int]:
    """Draw different whole numbers below ``population``, however large (Bentley and Floyd 1987)."""
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn: dict[int, None] = {}
    for top in range(population - sample, population):
        # 63 random bits per word: enough words that the remainder is uniform for every practical purpose.
        words = generator.integers(0, 2**63, size=1 + (top + 1).bit_length() // 63 + 1)
        rank = sum(int(word) << 63 * place for place, word in enumerate(words)) % (top + 1)
        drawn[top if rank in drawn else rank] = None
    return list(drawn)


def _combination(rank: int, d: int, size: int) -> list[int]:
    """Return the combination at a place of the lexicographic list of combinations of 0…d−1."""
    chosen: list[int] = []
    for item in range(d):
        if len(chosen) == size:
            break
        with_item = math.comb(d - item - 1, size - len(chosen) - 1)
        if rank < with_item:
            chosen.append(item)
        else:
            rank -= with_item
    return chosen
