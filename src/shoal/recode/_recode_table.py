"""A table whose columns are recoded as its plan says, and what that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import FrameColumn, Table
from shoal.recode.recoding import Recoding
from shoal.recode.registry import RECODINGS


@dataclass(frozen=True)
class Step:
    """What one recoding did with one column."""

    # column, key: the column, and the key of the recoding
    column: str
    key: str
    words: str  # what was done
    cells: int  # how many cells changed
    of: int  # of how many that were there

    @property
    def sentence(self) -> str:
        """What was done, for people."""
        return f"{self.column!r} was recoded, {self.words}: {self.cells:,} of {self.of:,} cells changed"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the manifest."""
        return {"column": self.column, "recoding": self.key, "what": self.words, "cells": self.cells, "of": self.of}


@dataclass(frozen=True, eq=False)
class Recoded:
    """A table before and after recoding."""

    # the table with its values in the terms of the release, none of them lost: distances in place of dates
    before: Table
    table: Table  # the table as records are compared and released
    steps: tuple[Step, ...] = ()  # what was done, column by column


def recode_table(
    table: Table,
    columns: Mapping[str, Mapping[str, Any]],
    *,
    subjects: NDArray[np.int32] | None = None,
    part: bool = False,
) -> Recoded:
    """Recode the columns of a table.

    Parameters
    ----------
    table
        The table as it came.
    columns
        What is asked of each column, by the keys of the recodings.
    subjects
        Whom each record is about; every record is a subject of its own if None.
    part
        The table is a part of what is recoded, so that it may happen to be left with one value of a column.

    Raises
    ------
    DataError
        A recoding leaves one value of a column that had several; or a column does not hold what it must.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal.recode import Clip
    >>> ages = Table.of(pl.DataFrame({"age": [31, 47, 99]}))
    >>> recoded = recode_table(ages, {"age": {"round_to": 5.0, "clip": Clip(high=90)}})
    >>> recoded.table.data["age"].to_list(), [step.cells for step in recoded.steps]
    ([30, 45, 90], [3, 1])
    """
    steps: list[Step] = []
    before = table
    for key, recoding in RECODINGS.items():
        new: dict[str, FrameColumn] = {}
        for name, asked in columns.items():
            if asked.get(key) is None:
                continue
            # A distance is one between the dates as they came, whatever else is made of the other column.
            column = recoding.apply(before if not recoding.loses else table, name, asked[key], subjects)
            absent = table.missing(name)
            of = len(table) - (0 if absent is None else int(absent.sum()))
            steps.append(Step(name, key, recoding.words(asked[key]), int(column.changed.sum()), of))
            new[name] = column.cells
        if new:
            coarser = Table.of(table.replace(new))
            if recoding.loses and not part:
                for name in new:
                    _refuse_emptied(table, coarser, name, recoding)
            table = coarser
            before = before if recoding.loses else table
    return Recoded(before, table, tuple(steps))


def _refuse_emptied(before: Table, after: Table, name: str, recoding: Recoding) -> None:
    """Refuse to leave all records with one value where they had several."""
    absent = before.missing(name)
    was, now = (
        codes if absent is None else codes[~absent] for codes in (before.class_codes(name), after.class_codes(name))
    )
    if len(now) and (now == now[0]).all() and (was != was[0]).any():
        raise DataError(
            f"{recoding.key} of column {name!r} empties it: all its {len(now):,} values become the same one, so "
            f'{recoding.remedy}, or give it role = "identifier" to drop it'
        )
