"""Nin 2014, Tables 4 and 6: the anonymity that blocks leave and Mic1D-k keeps on Census, and the score of both.

The published figures stand beside ours. They cannot be met to the digit: the paper's Census has other correlations than
the public file, and its SSE another unit. Table 5 is on another file. What must hold, and is tested, is what the paper
concludes: at similar SSE, Mic1D-k leaves larger equivalence classes to whoever knows attributes of two or three blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shoal.measures import Pair, compute, k_prime, score
from shoal.partitioners import blocked, mdav, mic1d, projected
from shoal.progress import Progress
from shoal.reproduce.exhibit import Exhibit, Numbers, block_averages, table
from shoal.reproduce.nin_2014_published import KNOWN, PUBLISHED_ANONYMITY, PUBLISHED_SCORES
from shoal.reproduce.reference import Reference
from shoal.scaling import zscores

ATTRIBUTES = ("AGI", "FICA", "INTVAL", "EMCONTRB", "TAXINC", "WSALVAL", "ERNVAL", "PEARNVAL", "POTHVAL")
"""a1 … a9 of the paper's Table 2."""

BLOCKS = {"correlated": ((0, 1, 2), (3, 4, 5), (6, 7, 8)), "non-correlated": ((0, 3, 6), (1, 4, 7), (2, 5, 8))}

BLOCKED: Mapping[str, Callable[..., Any]] = {
    "MDAV": mdav,
    "PCP": partial(projected, axis="pcp"),
    "Zscores": partial(projected, axis="zscores"),
}

BLOCKED_KS = (5, 25, 50)
MIC1D_KS = (3000, 4000, 5000)


@dataclass(frozen=True)
class AnonymityRow:
    """A row of Table 4: SSE, and the mean k' over attributes of one, two and three blocks; then as published."""

    blocks: str
    method: str
    k: int
    sse: float
    k_primes: tuple[float, ...]
    published: tuple[float, ...]
    HEAD = ("SSE", "1G", "2G", "3G")

    def values(self) -> tuple[float, ...]:
        """Return what the head names."""
        return (self.sse, *self.k_primes)


@dataclass(frozen=True)
class ScoreLine:
    """A row of Table 6: IL, DLD, ID and score over all sets of attributes; then as published."""

    blocks: str
    method: str
    k: int
    il: float
    dld: float
    id: float
    score: float
    published: tuple[float, ...]
    HEAD = ("IL", "DLD", "ID", "score")

    def values(self) -> tuple[float, ...]:
        """Return what the head names."""
        return (self.il, self.dld, self.id, self.score)


def attributes_of(columns: Mapping[str, ArrayLike]) -> Numbers:
    """Take the paper's nine attributes from the Census file."""
    return np.column_stack([np.asarray(columns[name], dtype=np.float64) for name in ATTRIBUTES])


def anonymity_table(values: Numbers) -> tuple[AnonymityRow, ...]:
    """Return Table 4 for nine attributes."""
    rows = []
    for blocks, method, k, masked in releases(values):
        sse, k_primes, _ = anonymity(values, masked, blocks)
        rows.append(AnonymityRow(blocks, method, k, sse, k_primes, PUBLISHED_ANONYMITY[blocks, method, k]))
    return tuple(rows)


def score_table(values: Numbers, *, progress: Progress | None = None) -> tuple[ScoreLine, ...]:
    """Return Table 6 for nine attributes; over all 511 sets of them, the empty one that it counts left out.

    Mic1D-k does not look at blocks, so its rows are the same for both and computed once.
    """
    computed: dict[tuple[str, int], dict[str, float]] = {}
    every = list(releases(values))
    rows = []
    for done, (blocks, method, k, masked) in enumerate(every):
        if method in BLOCKED or (method, k) not in computed:
            scored = score(Pair.of(values, masked), subsets="all")
            computed[method, k] = {**{part: scored.parts[part] for part in ("il", "dld", "id")}, "score": scored.value}
        published = PUBLISHED_SCORES[blocks, method, k]
        rows.append(ScoreLine(blocks, method, k, **computed[method, k], published=published))
        if progress is not None:
            progress(done + 1, len(every))
    return tuple(rows)


def releases(values: Numbers) -> Iterator[tuple[str, str, int, Numbers]]:
    """Mask the table in every way that the paper compares."""
    points = zscores(values)
    for blocks in BLOCKS:
        for method, k in product(BLOCKED, BLOCKED_KS):
            labels = blocked(points, k, blocks=BLOCKS[blocks], partition=BLOCKED[method])
            yield blocks, method, k, block_averages(values, BLOCKS[blocks], labels)
        for k in MIC1D_KS:
            yield blocks, "Mic1D", k, mic1d(values, k)


class Anonymity(NamedTuple):
    """What a release loses, and what it leaves of k for whoever knows attributes of one, two and three blocks."""

    sse: float
    k_primes: tuple[float, ...]
    k: int = 0


def anonymity(values: Numbers, masked: Numbers, blocks: str, *, k: int = 0) -> Anonymity:
    """Return SSE, and the mean k' over the sets of attributes of one, two and three blocks (its Table 3)."""
    pair = Pair.of(values, masked)
    sets = [[[str(attribute - 1) for attribute in names] for names in group] for group in KNOWN[blocks]]
    k_primes = tuple(k_prime(pair, subsets=group).value for group in sets)
    return Anonymity(compute(pair, ["sse"])["sse"].value, k_primes, k)


def similar_mic1d(values: Numbers, sse: float, blocks: str) -> Anonymity:
    """Return the Mic1D-k that loses most without losing more than an SSE, chosen as in section 4.2."""
    best = Anonymity(-math.inf, ())
    for k in range(250, 5001, 250):
        candidate = anonymity(values, mic1d(values, k), blocks, k=k)
        if best.sse < candidate.sse <= sse:
            best = candidate
    return best


def lines(rows: Iterable[AnonymityRow | ScoreLine]) -> Iterator[str]:
    """Write rows as a table in Markdown, ours first and the published figure in brackets."""
    rows = tuple(rows)
    return table(
        ["blocks", "method", "k", *rows[0].HEAD],
        ([row.blocks, row.method, row.k, *map("{:.2f} ({:.2f})".format, row.values(), row.published)] for row in rows),
    )


def similar_lines(values: Numbers, rows: Iterable[AnonymityRow]) -> Iterator[str]:
    """Write each blocked release beside the Mic1D-k of similar SSE, in Markdown."""
    cells = []
    for row in rows:
        if row.method in BLOCKED:
            mixed = similar_mic1d(values, row.sse, row.blocks)
            sizes = ([f"{one.sse:.0f}", *(f"{k_prime:.2f}" for k_prime in one.k_primes[1:])] for one in (row, mixed))
            blocked_cells, mixed_cells = sizes
            cells.append([row.blocks, f"{row.method} {row.k}", *blocked_cells, mixed.k, *mixed_cells])
    return table(["blocks", "release", "SSE", "2G", "3G", "Mic1D k", "SSE", "2G", "3G"], cells)


OTHER_DATA = (
    "Ours first, the published figure in brackets. They cannot be met to the digit: the paper's Census has other "
    "correlations than the public file, and its SSE another unit."
)


def _table_4(reference: Reference) -> Iterator[str]:
    yield f"{OTHER_DATA}\n"
    yield "SSE, and the mean k' of an intruder who knows attributes of one block (1G), of two (2G) and of three (3G).\n"
    values = attributes_of(reference.columns("census"))
    rows = anonymity_table(values)
    yield from lines(rows)
    yield "Each blocked release beside the Mic1D-k (k in steps of 250) with the largest SSE that is not above its own."
    yield ""
    yield from similar_lines(values, rows)


def _table_6(reference: Reference) -> Iterator[str]:
    yield f"{OTHER_DATA}\n"
    yield "IL, and DLD, ID and score averaged over all sets of attributes that an intruder may know.\n"
    yield from lines(score_table(attributes_of(reference.columns("census"))))


EXHIBITS = (
    Exhibit("p2-table-4", "Nin 2014, Table 4: what is left of k with blocks and with Mic1D-k", _table_4, ("census",)),
    Exhibit("p2-table-6", "Nin 2014, Table 6: scores of blocks and of Mic1D-k", _table_6, ("census",)),
)
