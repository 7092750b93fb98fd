"""The engine of a stream of arrays: tuples in, groups out (Domingo-Ferrer and Soria-Comas 2017, Algorithm 3).

When a group leaves is decided by ``_core/stream/engine.cpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError, PlanError
from shoal.kinds.stream_column import LARGEST
from shoal.stream.engine.settings import StreamSettings

REASONS = tuple(reason.name for reason in _core.Drop)
"""Why tuples are dropped, in the order of the numbers in ``Released.reasons``."""


class Released(NamedTuple):
    """What one call released and dropped. Tuples are named by their positions in the stream, from 0."""

    positions: NDArray[np.int64]  # group after group, each in an order that tells nothing of that of arrival
    sizes: NDArray[np.int64]  # how many tuples each group has
    # The number of the group whose values are released: its own, or an earlier one for a tuple that was merged into it.
    classes: NDArray[np.int64]
    at: NDArray[np.int64]  # the position that had arrived last when each group left
    coords: NDArray[np.float64]  # what stands for each group's continuous attributes; NaN where no member has the cell
    ranks: NDArray[np.int32]  # the same for ordinal attributes; -1 where no member has the cell
    modes: NDArray[np.int64]  # a tuple that has the group's nominal value (or lacks the cell, where every member does)
    # The sum of the squared errors of each group's tuples, every attribute on [0, 1]. With the group's values they tell
    # how far apart its tuples were, of two tuples even what they were: not to be shown.
    errors: NDArray[np.float64]
    dropped: NDArray[np.int64]
    reasons: NDArray[np.int8]  # why, as an index into ``REASONS``


_TYPES = (*("int64",) * 4, "float64", "int32", "int64", "float64", "int64", "int8")
_NOTHING = tuple(np.empty(0, dtype) for dtype in _TYPES)


class StreamEngine:
    """A stream of arrays. A leaf of the index of the buffer (0 chooses) changes the speed, never the groups.

    >>> from shoal.stream.engine import ContinuousSetting
    >>> engine = StreamEngine(StreamSettings(k=2, max_delay=2, coords=(ContinuousSetting(),)))
    >>> out = engine.push_many([[1.0], [9.0], [2.0]])
    >>> out.positions.tolist(), out.coords.tolist()
    ([2, 0], [[1.5]])
    >>> engine.flush().dropped.tolist()
    [1]
    """

    def __init__(self, settings: StreamSettings, *, leaf: int = 0) -> None:
        self.settings = settings
        try:
            self._kernel = _core.StreamEngine(_core.StreamSettings(**settings.for_kernel(), leaf=leaf))
        except (ValueError, MemoryError):  # more than a vector, or the machine, holds
            raise PlanError(
                f"max_delay is {settings.max_delay}, and a buffer of so many records does not fit in memory: lower it"
            ) from None

    def push(self, cells: Sequence[float], *, subject: int = 0, confidential: Sequence[float] = ()) -> Released | None:
        """Take one tuple as `push_many` takes them, already checked; return what leaves because of it, often None."""
        arrays = self._kernel.push(cells, subject, confidential)
        return None if arrays is None else self._released(arrays)

    def push_many(
        self, cells: ArrayLike, *, subjects: ArrayLike | None = None, confidential: ArrayLike | None = None
    ) -> Released:
        """Take tuples in their order; the same as pushing them one by one.

        Cells are (n, attributes): continuous values, ordinal ranks and nominal codes, in this order; NaN where missing.
        Subjects are (n,) numbers, when tuples name them; confidential values (n, attributes), codes for nominal ones.
        """
        table = self._checked(cells)
        hidden = np.asfortranarray(np.empty((len(table), 0)) if confidential is None else confidential, np.float64)
        if hidden.shape != (len(table), len(self.settings.confidential)):
            raise DataError(
                f"confidential must have {len(table)} rows and {len(self.settings.confidential)} columns, "
                f"not the shape {hidden.shape}"
            )
        if not np.isfinite(hidden).all():
            raise DataError("confidential values must be finite: closeness has no place for missing ones")
        who = np.ascontiguousarray(np.empty(0) if subjects is None else subjects, np.int64)
        if len(who) != (len(table) if self.settings.subjects else 0):
            raise DataError(
                "subjects must be given, one per tuple, exactly when the settings say that tuples name their subjects"
            )
        return self._released(self._kernel.push_many(table, who, hidden))

    def expire(self) -> Released:
        """Let the oldest tuple leave before its time, released or dropped; nothing where there is none."""
        return self._released(self._kernel.expire())

    def flush(self) -> Released:
        """End the stream: release what can be released, drop the rest."""
        return self._released(self._kernel.flush())

    @property
    def oldest(self) -> int:
        """The position of the oldest tuple in the buffer; of the next to arrive when it is empty."""
        return self._kernel.oldest

    def waiting(self) -> NDArray[np.int64]:
        """Return the positions of the tuples in the buffer, oldest first."""
        return self._kernel.waiting()

    def waiting_cells(self) -> NDArray[np.float64]:
        """Return the cells of the tuples in the buffer, oldest first, as they came."""
        return self._kernel.waiting_cells().reshape(-1, self.settings.width)

    def tally(self) -> dict[str, Any]:
        """Return counts, errors, spreads and delays so far."""
        return self._kernel.tally()

    def save(self) -> bytes:
        """Return the whole state as bytes."""
        return self._kernel.save()

    @classmethod
    def restored(cls, settings: StreamSettings, state: bytes) -> StreamEngine:
        """Return an engine that goes on where the one with this state stopped. The settings must be the same."""
        engine = cls(settings)
        try:
            engine._kernel.load(state)
        except (ValueError, MemoryError) as error:
            raise DataError(f"the state of the stream cannot be restored: {error}") from None
        return engine

    def _checked(self, cells: ArrayLike) -> NDArray[np.float64]:
        table = np.asfortranarray(cells, np.float64)
        if table.ndim != 2 or table.shape[1] != self.settings.width:
            raise DataError(f"cells must have {self.settings.width} columns, not the shape {table.shape}")
        largest = np.nanmax(np.abs(table), initial=0.0) if table.size else 0.0
        if largest > LARGEST:
            raise DataError(f"cells must be finite and within ±{LARGEST:g}")
        if not self.settings.impute and np.isnan(table).any():
            raise DataError("a cell is missing and impute is off: fill it, or allow imputation")
        for j, axis in enumerate(self.settings.ranks, start=len(self.settings.coords)):
            column = table[:, j]
            ranks = column[~np.isnan(column)]
            if ((ranks < 0) | (ranks >= axis.levels) | (ranks != np.floor(ranks))).any():
                raise DataError(f"ranks in column {j} must be whole numbers from 0 to {axis.levels - 1}")
        return table

    def _released(self, arrays: tuple[NDArray[Any], ...] | None) -> Released:
        flat = Released(*(_NOTHING if arrays is None else arrays))
        groups = len(flat.sizes)
        return flat._replace(
            coords=flat.coords.reshape(groups, len(self.settings.coords)),
            ranks=flat.ranks.reshape(groups, len(self.settings.ranks)),
            modes=flat.modes.reshape(groups, len(self.settings.codes)),
        )
