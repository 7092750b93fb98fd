"""A confidential attribute as the constraints see it: a code per record, and how far apart the codes are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError, PlanError, counted
from shoal.kinds.hierarchy import Hierarchy

Missing = Literal["error", "category"]
Distance = Literal["ordered", "equal", "hierarchical"]
Tree = Hierarchy | Mapping[str, Any]

_EMPTY = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Confidential:
    """One confidential attribute, ready to measure how far a group is from the table.

    Use one of the constructors: `ordered` for numbers and dates, `ranked` for categories with an order, `nominal` for
    categories without, `hierarchical` for categories with a tree, `marginal` for an order made from a tree.

    Parameters
    ----------
    codes
        (n,) position of each record's value, from 0; ordered distances count the steps between positions.
    counts
        (levels,) how many records of the table have each position. The records may be a part of the table: their
        groups are compared with the whole of it.
    distance
        ``ordered``: steps between positions, divided by ``levels`` − 1. ``equal``: 0 or 1. ``hierarchical``: height
        at which two positions meet in the tree, divided by its height.
    parents, climbs, height
        The tree: node above each node and how much higher it stands (leaves first, root last), height of the root.
        An attribute with equal distances is a tree of height 1; one with ordered distances has none.
    name
        Column name for messages.

    Examples
    --------
    >>> Confidential.ordered([10.0, 30.0, 20.0, 30.0]).codes
    array([0, 2, 1, 2], dtype=int32)
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    distance: Distance
    parents: NDArray[np.int32]
    climbs: NDArray[np.int32]
    height: int = 1
    name: str = "confidential"

    @classmethod
    def ordered(cls, values: ArrayLike, *, missing: Missing = "error", name: str = "confidential") -> Confidential:
        """Numbers or dates: the distance counts distinct values between two values.

        With ``missing="category"`` a missing value is a value of its own, after the greatest.
        """
        cells = _Cells.read(values, missing, name)
        try:
            distinct, inverse = np.unique(cells.present, return_inverse=True)
        except TypeError:
            raise DataError(f"{name} mixes values that cannot be compared: make them all of one type") from None
        codes = np.full(len(cells.absent), len(distinct), dtype=np.int32)
        codes[~cells.absent] = inverse
        return cls(codes, np.bincount(codes), "ordered", _EMPTY, _EMPTY, name=name)

    @classmethod
    def nominal(cls, values: ArrayLike, *, missing: Missing = "error", name: str = "confidential") -> Confidential:
        """Categories without an order: two values are equal or different, nothing between."""
        flat = cls.ordered(values, missing=missing, name=name)
        parents = np.append(np.full(flat.levels, flat.levels, dtype=np.int32), np.int32(-1))
        climbs = np.append(np.ones(flat.levels, dtype=np.int32), np.int32(0))
        return cls(flat.codes, flat.counts, "equal", parents, climbs, name=name)

    @classmethod
    def ranked(
        cls, values: ArrayLike, order: Sequence[Hashable], *, missing: Missing = "error", name: str = "confidential"
    ) -> Confidential:
        """Categories in an order: the distance counts those that occur between two values.

        With ``missing="category"`` a missing value is a category of its own, after the last.
        """
        cells = _Cells.read(values, missing, name)
        if len(set(order)) != len(order):
            raise PlanError(f"the order of {name} must name each category once")
        return cls.ordered(cells.positions(order, "order"), name=name)

    @classmethod
    def hierarchical(
        cls, values: ArrayLike, tree: Tree, *, missing: Missing = "error", name: str = "confidential"
    ) -> Confidential:
        """Categories in a tree: the distance is the height at which two values meet.

        With ``missing="category"`` a missing value is a category of its own, right below the root.
        """
        cells = _Cells.read(values, missing, name)
        hierarchy = tree if isinstance(tree, Hierarchy) else Hierarchy.of(tree)
        codes = cells.positions(hierarchy.leaves, "hierarchy")
        if cells.absent.any():
            hierarchy = hierarchy.with_leaf(None)
        counts = np.bincount(codes, minlength=len(hierarchy.leaves))
        return cls(codes, counts, "hierarchical", hierarchy.parents, hierarchy.climbs, hierarchy.height, name=name)

    @classmethod
    def marginal(
        cls, values: ArrayLike, tree: Tree, *, missing: Missing = "error", name: str = "confidential"
    ) -> Confidential:
        """Categories ordered from the centre of the tree to its margin, weighted by the records; then as `ranked`."""
        cells = _Cells.read(values, missing, name)
        hierarchy = tree if isinstance(tree, Hierarchy) else Hierarchy.of(tree)
        codes, last = cells.positions(hierarchy.leaves, "hierarchy"), len(hierarchy.leaves)
        counts = np.bincount(codes[~cells.absent], minlength=last)  # a missing value is in no leaf
        ranks = np.argsort([*hierarchy.by_marginality(counts), last])  # a missing value comes last
        return cls.ordered(ranks[codes], name=name)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def levels(self) -> int:
        """Number of positions."""
        return len(self.counts)

    @property
    def table_size(self) -> int:
        """Number of records of the table that groups are compared with."""
        return int(self.counts.sum())

    def take(self, rows: NDArray[np.integer[Any]]) -> Confidential:
        """Return the records at ``rows``, in that order, still compared with the whole table."""
        return replace(self, codes=self.codes[rows])

    @property
    def scale(self) -> int:
        """What the summed, weighted differences of counts are divided by, besides the sizes of group and table."""
        return max(self.levels - 1, 1) if self.distance == "ordered" else 2 * self.height

    @cached_property
    def kernel(self) -> _core.Attribute:
        """The compiled side of the attribute: counts and their prefix sums."""
        return _core.Attribute(self.codes, self.counts, self.parents, self.climbs, self.scale)


def confidentials(confidential: object, n: int, *, missing: Missing = "error") -> tuple[Confidential, ...]:
    """Read one attribute or several, as arrays or as `Confidential`, for n records.

    Numbers and dates get ordered distances, anything else equal ones. A two-dimensional array holds one attribute per
    column; a list of arrays or of `Confidential` holds one attribute each.
    """
    attributes = tuple(_read(confidential, missing))
    if not attributes:
        raise PlanError("confidential must hold at least one attribute")
    for attribute in attributes:
        if len(attribute) != n:
            raise DataError(f"{attribute.name} has {len(attribute)} values for {n} records: they must match one to one")
    return attributes


def _read(confidential: object, missing: Missing) -> list[Confidential]:
    if isinstance(confidential, Confidential):
        return [confidential]
    if isinstance(confidential, (list, tuple)) and any(
        isinstance(part, (Confidential, np.ndarray)) for part in confidential
    ):
        return [attribute for part in confidential for attribute in _read(part, missing)]
    array = np.asarray(confidential)
    if array.ndim == 2:
        return [_guess(array[:, j], missing, f"confidential column {j}") for j in range(array.shape[1])]
    return [_guess(array, missing, "confidential")]


def _guess(values: NDArray[Any], missing: Missing, name: str) -> Confidential:
    if values.dtype.kind in "fiumMb":
        return Confidential.ordered(values, missing=missing, name=name)
    return Confidential.nominal(values, missing=missing, name=name)


class _Cells(NamedTuple):
    """The values of one column that are there, and in which records none is."""

    present: NDArray[Any]
    absent: NDArray[np.bool_]
    name: str

    @classmethod
    def read(cls, values: ArrayLike, missing: Missing, name: str) -> _Cells:
        if missing not in ("error", "category"):
            raise PlanError(f"missing must be 'error' or 'category', not {missing!r}")
        array = np.asarray(values)
        if array.ndim != 1:
            raise DataError(f"{name} must be one column of values, not an array of {array.ndim} dimensions")
        if array.dtype.kind == "O":
            absent = np.array([value is None or value != value for value in array], dtype=np.bool_)
        else:
            absent = array != array  # what is no number and no date is not itself
        if missing == "error" and absent.any():
            raise DataError(
                f"{name} is missing in {int(absent.sum())} of {len(array)} records: "
                "fill it, drop the records, or let missing be a category of its own"
            )
        return cls(array[~absent], absent, name)

    def positions(self, categories: Sequence[Hashable], where: str) -> NDArray[np.int32]:
        """Position of each value among the categories; after the last where it is missing."""
        position = {category: index for index, category in enumerate(categories)}
        codes = np.full(len(self.absent), len(categories), dtype=np.int32)
        values = self.present.tolist()
        try:
            codes[~self.absent] = [position[value] for value in values]
        except KeyError:
            unknown = counted(len(set(values) - set(position)), "category")
            raise DataError(
                f"{self.name} has {unknown} that its {where} does not name: add them to the {where}"
            ) from None
        return codes
