"""Pair: a table and its release, as every measure sees them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.errors import DataError
from shoal.kinds import Kind
from shoal.measures.column_pair import ColumnPair
from shoal.measures.confidential_column import ConfidentialColumn, Counts

T = TypeVar("T")
Columns = ArrayLike | Mapping[str, ArrayLike]
"""A table of records by columns, or one array per column name."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The quasi-identifiers before and after, and the confidential attributes as released, record by record.

    Notes
    -----
    What several measures need is computed once and kept: equivalence classes, standard deviations, linkage.

    Examples
    --------
    >>> pair = Pair.of([[1.0], [2.0], [3.0]], [[1.5], [1.5], [3.0]], confidential=[7, 8, 8])
    >>> len(pair), pair.names, pair.classes.tolist(), pair.sizes.tolist()
    (3, ('0',), [0, 0, 1], [2, 1])
    """

    columns: tuple[ColumnPair, ...]  # the quasi-identifiers
    confidential: tuple[ConfidentialColumn, ...] = ()  # the confidential attributes as released
    # the equivalence class of each released record on the quasi-identifiers, where already known
    labels: NDArray[np.int64] | None = None
    # whom each record is about, numbered from 0; None where every record is a subject of its own
    subjects: NDArray[np.int32] | None = None
    recoded: Pair | None = None  # the quasi-identifiers before and after recoding alone; None where nothing was
    # how many people of the population each record stands for; None where that is not known
    weights: NDArray[np.float64] | None = None
    dropped: int = 0  # records of the original that were not released, and are not in the pair
    _computed: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.columns:
            raise DataError("a pair of tables needs at least one quasi-identifier to compare")
        n = len(self.columns[0])
        if n == 0:
            raise DataError("a pair of tables needs at least one record to compare")
        every: tuple[ColumnPair | ConfidentialColumn, ...] = (*self.columns, *self.confidential)
        for column in every:
            if len(column) != n:
                raise DataError(f"column {column.name!r} has {len(column)} records, but the first column has {n}")
        if self.subjects is not None and len(self.subjects) != n:
            raise DataError(f"subjects name {len(self.subjects)} records, but the first column has {n}")
        if self.weights is not None and (len(self.weights) != n or not (self.weights > 0).all()):
            raise DataError(f"weights must be {n} positive numbers, one for each record")
        _require_distinct([column.name for column in self.columns])
        _require_distinct([column.name for column in self.confidential])

    @classmethod
    def of(
        cls,
        original: Columns,
        released: Columns,
        *,
        confidential: Columns | None = None,
        kinds: Mapping[str, Kind | str | Sequence[Any]] | None = None,
        subjects: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Pair:
        """Pair arrays, record i of one with record i of the other.

        Parameters
        ----------
        original, released
            The quasi-identifiers before and after: an array of records by columns (columns are named "0", "1", …), or
            one array per column name.
        confidential
            The confidential attributes as released (unnamed columns are named "confidential 0", …).
        kinds
            What columns are, by name: ``numeric`` (the default), ``date``, ``nominal``, or for an ordinal column
            the list of its categories, lowest first.
        subjects
            Whom each record is about, by any names; every record by itself if None.
        weights
            How many people of the population each record stands for.
        """
        kinds = kinds or {}
        before, after = _named(original, ""), _named(released, "")
        if list(before) != list(after):
            raise DataError(
                f"original and released must have the same columns, but they are {list(before)} and {list(after)}"
            )
        secret = {} if confidential is None else _named(confidential, "confidential ")
        if unknown := sorted(set(kinds) - set(before) - set(secret)):
            raise DataError(f"kinds speaks of {unknown}, which no table has")
        return cls(
            tuple(
                ColumnPair.of(name, before[name], after[name], kind=kinds.get(name, Kind.NUMERIC)) for name in before
            ),
            tuple(ConfidentialColumn.of(name, secret[name], kind=kinds.get(name, Kind.NUMERIC)) for name in secret),
            subjects=None if subjects is None else np.unique(subjects, return_inverse=True)[1].astype(np.int32),
            weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """The equivalence class of each released record, numbered by first appearance."""
        if self.labels is not None:
            return self.labels
        return equivalence_classes([column.cells for column in self.columns])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each equivalence class."""
        return np.bincount(self.classes)

    @cached_property
    def subject_sizes(self) -> NDArray[np.int64]:
        """The number of different subjects of each equivalence class."""
        return subjects_of_each(self.classes, self.subjects)

    def only(self, names: Iterable[str]) -> Pair:
        """Return the pair with these quasi-identifiers alone: what an intruder who knows no others would compare."""
        wanted = set(names)
        if unknown := sorted(wanted - set(self.names)):
            raise DataError(f"{unknown} are not among the quasi-identifiers {list(self.names)}")
        columns = tuple(column for column in self.columns if column.name in wanted)
        return Pair(columns, self.confidential, subjects=self.subjects, weights=self.weights)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what is kept under ``key``, computing it the first time it is asked for."""
        if key not in self._computed:
            self._computed[key] = compute()
        result: T = self._computed[key]
        return result


def counts_of(pair: Pair, column: ConfidentialColumn) -> Counts:
    """Count the values of a confidential attribute in each class, once per pair."""
    return pair.once(("counts", column.name), lambda: Counts.of(pair.classes, column.codes))


def _require_distinct(names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise DataError(f"column names must differ, but they are {names}")


def _named(columns: Columns, prefix: Literal["", "confidential "]) -> dict[str, NDArray[Any]]:
    """Name the columns of an array by their position."""
    if isinstance(columns, Mapping):
        return {str(name): np.asarray(column) for name, column in columns.items()}
    array = np.asarray(columns)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise DataError(f"a table must be records by columns, not an array of {array.ndim} dimensions")
    return {f"{prefix}{j}": array[:, j] for j in range(array.shape[1])}
