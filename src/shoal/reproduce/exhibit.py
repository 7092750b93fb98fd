"""Exhibit: a table or figure of a paper, made again and set beside what was published."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.reproduce.reference import Reference

Numbers = NDArray[np.float64]


class TwoSides(NamedTuple):
    """A table to reproduce with: the quasi-identifiers, and what depends on them."""

    quasi: Numbers
    confidential: Numbers


def averages(x: Numbers, labels: NDArray[np.int64]) -> Numbers:
    """Give each record the average of its group."""
    columns = x.reshape(len(labels), -1)
    sums = np.stack([np.bincount(labels, column) for column in columns.T], axis=1)
    means: Numbers = (sums / np.bincount(labels)[:, None])[labels]
    return means.reshape(x.shape)


def block_averages(x: Numbers, blocks: Sequence[Sequence[int]], labels: NDArray[np.int64]) -> Numbers:
    """Give each record the averages of its groups, those of one block of columns in each column of labels."""
    masked = np.empty_like(x, dtype=np.float64)
    for block, groups in zip(blocks, labels.T, strict=True):
        masked[:, block] = averages(x[:, block], groups)
    return masked


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper."""

    name: str  # what it is called on the command line, such as ``p1-table-3``
    title: str  # paper, number and subject
    # from the reference tables to lines of Markdown, ours beside the published
    make: Callable[[Reference], Iterable[str]]
    needs: tuple[str, ...] = ()  # the reference tables it reads

    def missing(self, reference: Reference) -> tuple[str, ...]:
        """Return the reference tables that it needs and that are not there."""
        return tuple(name for name in self.needs if not reference.has(name))

    def section(self, reference: Reference) -> str:
        """Return the exhibit as a section of a Markdown page."""
        return "\n".join([f"## {self.title}", "", *self.make(reference)]).rstrip() + "\n"


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Write a table in Markdown.

    >>> print(*table(["k", "ours"], [[3, 5.69]]), sep="\\n")
    | k | ours |
    |---|---|
    | 3 | 5.69 |
    <BLANKLINE>
    """
    yield f"| {' | '.join(map(str, head))} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
