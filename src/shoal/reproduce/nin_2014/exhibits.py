"""Nin 2014: the anonymity that blocks leave and Mic1D-k keeps, and the score of both."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.nin_2014.tables import anonymity_table, attributes_of, lines, score_table, similar_lines
from shoal.reproduce.reference import Reference

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
