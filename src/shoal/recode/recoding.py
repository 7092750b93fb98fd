"""Recoding: one way to make a column coarser, or to say it in other terms, before records are compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.frames import FrameColumn, Table
from shoal.kinds import Kind


@dataclass(frozen=True, eq=False)
class RecodedColumn:
    """A column as it is from now on, and which of its values are others than before."""

    cells: FrameColumn
    changed: NDArray[np.bool_]


class Recoding(ABC):
    """One recoding: a subclass in a file of its own, and one line in the registry."""

    key: ClassVar[str]
    """The key of a column in the plan that asks for it."""
    kinds: ClassVar[tuple[Kind, ...]]
    """The kinds of columns it is for."""
    summary: ClassVar[str]
    """What it does, for people who choose."""
    remedy: ClassVar[str] = ""
    """What helps where it leaves one value of many."""
    loses: ClassVar[bool] = True
    """It makes values coarser, so that what it changes is lost. Otherwise it only says them in other terms."""

    def needs_table(self, option: Any) -> bool:
        """Whether it asks something of the whole table, which a stream cannot know."""
        return False

    @abstractmethod
    def words(self, option: Any) -> str:
        """Say what is done with a column, in a few words."""

    @abstractmethod
    def apply(self, table: Table, name: str, option: Any, subjects: NDArray[np.int32] | None) -> RecodedColumn:
        """Return the column as it is from now on.

        Parameters
        ----------
        table
            The table as it is so far.
        name, option
            The column, and what the plan says of it.
        subjects
            Whom each record is about, where the plan names them.
        """
