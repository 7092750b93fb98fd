"""Merging rare categories: those that too few have become one."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.frames import Categories, FrameColumn, Table, Text
from shoal.kinds import Kind
from shoal.kinds.text import category_text
from shoal.options import Options
from shoal.recode.recoding import RecodedColumn, Recoding


class Rare(Options):
    """Which categories are rare, and what becomes of them."""

    below: Annotated[int, Field(ge=2, strict=True)] = Field(
        description="categories that fewer subjects have than this (records, where each is its own) are merged"
    )
    into: Annotated[str, Field(min_length=1)] = Field("other", description="what they become")


class KnownRare(Rare):
    """Rare categories by name, where who asks has counted them in the whole of a table."""

    names: frozenset[str] = frozenset()


class MergingRare(Recoding):
    """Merge the categories that fewer than so many subjects have. A missing cell is none, and stays."""

    key = "rare"
    kinds = (Kind.NOMINAL,)
    summary = 'categories that fewer than `below` subjects have become one, `into` (`"other"`)'
    remedy = "lower below"

    def needs_table(self, option: Rare) -> bool:
        """How many have a category is known at the end."""
        return True

    def words(self, option: Rare) -> str:
        """Say what is rare."""
        return f"categories of fewer than {option.below} merged into {option.into!r}"

    def apply(self, table: Table, name: str, option: Rare, subjects: NDArray[np.int32] | None) -> RecodedColumn:
        """Merge the rare categories."""
        categories = table.categories(name)
        codes, count = categories.codes, len(categories.labels)
        present = codes >= 0
        pairs = codes[present].astype(np.int64)
        if subjects is not None:
            # A category is as common as those who have it, however many records each has.
            whose = subjects[present].astype(np.int64)
            distinct = np.unique(pairs * (int(subjects.max(initial=0)) + 1) + whose)
            pairs = distinct // (int(subjects.max(initial=0)) + 1)
        frequency = np.bincount(pairs, minlength=count)
        texts = [category_text(label) for label in categories.labels]
        rare = (frequency < option.below) & (frequency > 0)
        if isinstance(option, KnownRare):
            rare = np.array([text in option.names for text in texts], dtype=np.bool_)
        named_so = np.array([text == option.into for text in texts], dtype=np.bool_)
        changed: NDArray[np.bool_] = np.append(rare & ~named_so, False)[codes]
        if not changed.any():
            return RecodedColumn(categories, changed)
        return RecodedColumn(_merged(categories, rare | named_so, option.into, table.dtype(name)), changed)


def _merged(categories: Categories, merged: NDArray[np.bool_], into: str, dtype: str) -> FrameColumn:
    """Give the merged categories one label, which stands last; numbers become text, as the label is."""
    typed = dtype in ("string", "categorical")
    labels = [label if typed else category_text(label) for label in categories.labels]
    others = np.flatnonzero(~merged)
    position = np.full(len(labels) + 1, len(others), dtype=np.int32)
    position[others] = np.arange(len(others), dtype=np.int32)
    position[-1] = -1
    codes = position[categories.codes]
    names = (*(labels[place] for place in others.tolist()), into)
    if typed:
        return Categories(codes, names, scale=False)
    return Text(codes, tuple(str(name) for name in names))
