"""Columns as arrays: what a table gives out, and takes back.

Three shapes are enough for every attribute: ``Numbers``, ``Instants`` (dates and times) and ``Categories``. The same
object goes out of a `Table` and, with other values, back into it; the table remembers the column's own type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.frames.instants import Instants

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value is missing."""
Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers.

    Parameters
    ----------
    values
        float64, NaN where missing. Integers beyond 2**53 are rounded to the nearest double.
    missing
        True where there is no value; None when every value is there.
    whole
        The column is an integer column. Given back with ``whole=True`` the values return to its integer type
        (they must be whole numbers that fit); with False the column becomes float64.
    """

    values: NDArray[np.float64]
    missing: Mask | None = None
    whole: bool = False

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories.

    Parameters
    ----------
    codes
        int32 positions in ``labels``, -1 where missing.
    labels
        The categories: in their own order when the column's type has one (a pandas categorical, a polars Enum, an Arrow
        dictionary), else sorted, so that the order of rows never decides. Text, or whole numbers and booleans for
        columns of these.
    scale
        The labels are steps of a scale: an ordered type goes on listing all of them, also where no record has one.
    """

    codes: NDArray[np.int32]
    labels: tuple[Label, ...]
    scale: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> Mask | None:
        """True where there is no value; None when every value is there."""
        mask: Mask = self.codes < 0
        return mask if mask.any() else None


@dataclass(frozen=True, eq=False)
class Rows:
    """A column of the table's own values, taken from other rows.

    Parameters
    ----------
    source
        For each row, the row whose value it receives.
    """

    source: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class Text:
    """A column that becomes one of text, whatever its type was.

    Parameters
    ----------
    codes
        Positions in ``labels``.
    labels
        The texts.
    """

    codes: NDArray[np.int32]
    labels: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.codes)


FrameColumn: TypeAlias = Numbers | Instants | Categories | Rows | Text
"""A column as a table gives it out and takes it back."""
