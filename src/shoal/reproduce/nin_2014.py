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
from shoal.reproduce.exhibit import Exhibit, Numbers, averages
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


def attributes_of(columns: Mapping[str, ArrayLike]) -> Numbers:
    """Take the paper's nine attributes from the Census file."""
    return np.column_stack([np.asarray(columns[name], dtype=np.float64) for name in ATTRIBUTES])


def anonymity_table(table: Numbers) -> tuple[AnonymityRow, ...]:
    """Return Table 4 for nine attributes."""
    rows = []
    for blocks, method, k, masked in releases(table):
        sse, k_primes, _ = anonymity(table, masked, blocks)
        rows.append(AnonymityRow(blocks, method, k, sse, k_primes, PUBLISHED_ANONYMITY[blocks, method, k]))
    return tuple(rows)


def score_table(table: Numbers, *, progress: Callable[[int, int], object] | None = None) -> tuple[ScoreLine, ...]:
    """Return Table 6 for nine attributes; over all 511 sets of them, the empty one that it counts left out.

    Notes
    -----
    Mic1D-k does not look at blocks, so its rows are the same for both and computed once.
    """
    known: dict[tuple[str, int], dict[str, float]] = {}
    every = list(releases(table))
    rows = []
    for done, (blocks, method, k, masked) in enumerate(every):
        if method not in BLOCKED and (method, k) in known:
            parts = known[method, k]
        else:
            found = score(Pair.of(table, masked), subsets="all")
            parts = known[method, k] = {**found.parts, "score": found.value}
        published = PUBLISHED_SCORES[blocks, method, k]
        rows.append(
            ScoreLine(blocks, method, k, parts["il"], parts["dld"], parts["id"], parts["score"], published=published)
        )
        if progress is not None:
            progress(done + 1, len(every))
    return tuple(rows)


def releases(table: Numbers) -> Iterator[tuple[str, str, int, Numbers]]:
    """Mask the table in every way that the paper compares."""
    points = zscores(table)
    for blocks in BLOCKS:
        for method, k in product(BLOCKED, BLOCKED_KS):
            labels = blocked(points, k, blocks=BLOCKS[blocks], partition=BLOCKED[method])
            masked = np.empty_like(table)
            for number, block in enumerate(BLOCKS[blocks]):
                masked[:, block] = averages(table[:, block], labels[:, number])
            yield blocks, method, k, masked
        for k in MIC1D_KS:
            yield blocks, "Mic1D", k, mic1d(table, k)


class Anonymity(NamedTuple):
    """What a release loses, and what it leaves of k for whoever knows attributes of one, two and three blocks."""

    sse: float
    k_primes: tuple[float, ...]
    k: int = 0


def anonymity(table: Numbers, masked: Numbers, blocks: str, *, k: int = 0) -> Anonymity:
    """Return SSE, and the mean k' over the sets of attributes of one, two and three blocks (its Table 3)."""
    pair = Pair.of(table, masked)
    sets = [[[str(attribute - 1) for attribute in known] for known in group] for group in KNOWN[blocks]]
    return Anonymity(
        compute(pair, ["sse"])["sse"].value, tuple(k_prime(pair, subsets=group).value for group in sets), k
    )


def similar_mic1d(table: Numbers, sse: float, blocks: str) -> Anonymity:
    """Return the Mic1D-k that loses most without losing more than an SSE, chosen as in section 4.2."""
    best = Anonymity(-math.inf, ())
    for k in range(250, 5001, 250):
        candidate = anonymity(table, mic1d(table, k), blocks, k=k)
        if best.sse < candidate.sse <= sse:
            best = candidate
    return best


def lines(rows: Iterable[AnonymityRow | ScoreLine]) -> Iterator[str]:
    """Write rows as a table in Markdown, ours first and the published figure in brackets."""
    names: tuple[str, ...] = ()
    for row in rows:
        if not names:
            names = ("SSE", "1G", "2G", "3G") if isinstance(row, AnonymityRow) else ("IL", "DLD", "ID", "score")
            yield f"| blocks | method | k | {' | '.join(names)} |"
            yield f"|---|---|---|{'---|' * len(names)}"
        if isinstance(row, AnonymityRow):
            ours: tuple[float, ...] = (row.sse, *row.k_primes)
        else:
            ours = (row.il, row.dld, row.id, row.score)
        cells = (f"{mine:.2f} ({theirs:.2f})" for mine, theirs in zip(ours, row.published, strict=True))
        yield f"| {row.blocks} | {row.method} | {row.k} | {' | '.join(cells)} |"


def similar_lines(table: Numbers, rows: Iterable[AnonymityRow]) -> Iterator[str]:
    """Write each blocked release beside the Mic1D-k of similar SSE, in Markdown."""
    yield "| blocks | release | SSE | 2G | 3G | Mic1D k | SSE | 2G | 3G |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        if row.method in BLOCKED:
            sse, (_, two, three), k = similar_mic1d(table, row.sse, row.blocks)
            blocked_cells = f"{row.sse:.0f} | {row.k_primes[1]:.2f} | {row.k_primes[2]:.2f}"
            mixed_cells = f"{k} | {sse:.0f} | {two:.2f} | {three:.2f}"
            yield f"| {row.blocks} | {row.method} {row.k} | {blocked_cells} | {mixed_cells} |"


OTHER_DATA = (
    "Ours first, the published figure in brackets. They cannot be met to the digit: the paper's Census has other "
    "correlations than the public file, and its SSE another unit."
)


def _table_4(reference: Reference) -> Iterator[str]:
    yield OTHER_DATA
    yield ""
    yield "SSE, and the mean k' of an intruder who knows attributes of one block (1G), of two (2G) and of three (3G)."
    yield ""
    table = attributes_of(reference.columns("census"))
    rows = anonymity_table(table)
    yield from lines(rows)
    yield ""
    yield "Each blocked release beside the Mic1D-k (k in steps of 250) with the largest SSE that is not above its own."
    yield ""
    yield from similar_lines(table, rows)


def _table_6(reference: Reference) -> Iterator[str]:
    yield OTHER_DATA
    yield ""
    yield "IL, and DLD, ID and score averaged over all sets of attributes that an intruder may know."
    yield ""
    yield from lines(score_table(attributes_of(reference.columns("census"))))


EXHIBITS = (
    Exhibit("p2-table-4", "Nin 2014, Table 4: what is left of k with blocks and with Mic1D-k", _table_4, ("census",)),
    Exhibit("p2-table-6", "Nin 2014, Table 6: scores of blocks and of Mic1D-k", _table_6, ("census",)),
)
