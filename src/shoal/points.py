"""Points: records as every partitioner sees them.

The squared distance of two records is the sum, in this order, of

* the squared differences of ``coords`` (continuous, date and artificial attributes, scaled and weighted),
* the squared differences of ``ranks * rank_steps`` (ordinal attributes),
* ``code_weights`` where ``codes`` differ (nominal attributes).

The order matters: kernels and their slow twins add in it, so that ties are ties on both sides.
Ties are broken by ``_core/search/tie_order.hpp``: the lowest row comes first.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal import _core
from shoal.errors import DataError, PlanError, counted
from shoal.scaling import require_finite

FARTHEST = 1e150
"""Coordinates beyond this are refused where distances are measured: squares of their differences must not overflow."""
HEAVIEST = 1e300
"""The same for what a nominal attribute adds to a squared distance."""


_MATRICES: dict[str, type[np.generic]] = {"coords": np.float64, "ranks": np.int32, "codes": np.int32}
_VECTORS = ("rank_steps", "rank_levels", "rank_convex", "code_weights", "code_levels")


@dataclass(frozen=True, eq=False)
class Points:
    """Records as coordinates, ordinal ranks and nominal codes, all column-major.

    Parameters
    ----------
    coords
        (n, d) continuous coordinates, already scaled and weighted.
    ranks
        (n, o) ordinal ranks from 0.
    rank_steps
        (o,) distance between neighbouring ranks.
    rank_levels
        (o,) number of categories of each ordinal attribute.
    rank_convex
        (o,) whether the attribute is averaged by the convex median instead of the median.
    codes
        (n, c) nominal codes from 0, numbered in category order.
    code_weights
        (c,) what a difference adds to the squared distance.
    code_levels
        (c,) number of categories of each nominal attribute.
    subjects
        (n,) whom each record is about, numbered from 0 without gaps; empty where every record is a subject of its own.
        Every minimum of k counts subjects. Distances do not look at them.

    Examples
    --------
    >>> points = Points.of([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> len(points), points.dimension, points.subject_count
    (3, 2, 3)
    >>> points.about(["ann", "bo", "ann"]).subject_count
    2
    """

    coords: NDArray[np.float64]
    ranks: NDArray[np.int32]
    rank_steps: NDArray[np.float64]
    rank_levels: NDArray[np.int32]
    rank_convex: NDArray[np.bool_]
    codes: NDArray[np.int32]
    code_weights: NDArray[np.float64]
    code_levels: NDArray[np.int32]
    subjects: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    @classmethod
    def of(cls, values: ArrayLike | Points) -> Points:
        """Take points as they are, or a finite float array (n, d) or (n,) as continuous coordinates."""
        if isinstance(values, Points):
            return values
        if np.ma.is_masked(values):
            raise DataError("points must not be masked: fill what is masked, or drop the records first")
        try:
            array = np.asarray(values)
            if array.dtype.kind not in "biufO":  # neither text, nor dates, nor parts of complex numbers
                raise TypeError("no numbers")
            array = array.astype(np.float64, copy=False)
        except (TypeError, ValueError, OverflowError):  # NumPy names the value, which may be a record's
            raise DataError(
                "points must be real numbers, records by attributes: encode text, dates and categories first, or give "
                "a frame and a plan to shoal.anonymize"
            ) from None
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2:
            raise DataError(f"points must be a table of records by attributes, not an array of {array.ndim} dimensions")
        if array.shape[1] == 0:
            raise DataError("points must have at least one attribute, and these have none")
        require_finite(array, "points")
        return cls.build(coords=array)

    @classmethod
    def build(
        cls,
        *,
        coords: ArrayLike | None = None,
        ranks: ArrayLike | None = None,
        rank_steps: ArrayLike = (),
        rank_levels: ArrayLike = (),
        rank_convex: ArrayLike = (),
        codes: ArrayLike | None = None,
        code_weights: ArrayLike = (),
        code_levels: ArrayLike = (),
    ) -> Points:
        """Assemble points from the parts that are there; the others are empty."""
        given = [np.asarray(part) for part in (coords, ranks, codes) if part is not None]
        if not given:
            raise DataError("points need at least one attribute")
        n = given[0].shape[0]

        def part(values: ArrayLike | None, dtype: type[np.generic]) -> NDArray[Any]:
            return np.asfortranarray(np.empty((n, 0)) if values is None else values, dtype)

        return cls(
            coords=part(coords, np.float64),
            ranks=part(ranks, np.int32),
            rank_steps=np.asarray(rank_steps, dtype=np.float64),
            rank_levels=np.asarray(rank_levels, dtype=np.int32),
            rank_convex=np.asarray(rank_convex, dtype=np.bool_),
            codes=part(codes, np.int32),
            code_weights=np.asarray(code_weights, dtype=np.float64),
            code_levels=np.asarray(code_levels, dtype=np.int32),
        )

    def __len__(self) -> int:
        return int(self.coords.shape[0])

    @property
    def dimension(self) -> int:
        """Attributes of all kinds."""
        return int(self.coords.shape[1] + self.ranks.shape[1] + self.codes.shape[1])

    @property
    def has_nominal(self) -> bool:
        """Whether a nominal attribute is among them."""
        return bool(self.codes.shape[1])

    @property
    def subject_count(self) -> int:
        """Number of different subjects that the records are about."""
        return int(self.subjects.max()) + 1 if self.subjects.size else len(self)

    def about(self, subjects: ArrayLike) -> Points:
        """Return the same records, each about the subject that is named for it; equal names are one subject."""
        numbers = np.unique(np.asarray(subjects), return_inverse=True)[1].astype(np.int32)
        if numbers.shape != (len(self),):
            raise DataError(f"subjects must name one subject per record: {len(self)} of them, not {numbers.size}")
        return replace(self, subjects=numbers)

    def records(self) -> _core.Records:
        """Return the same arrays as the kernels take them; nothing is copied."""
        return _core.Records(*vars(self).values())

    def take(self, rows: NDArray[np.integer[Any]]) -> Points:
        """Return the records at ``rows``, in that order."""
        subjects = _renumbered(self.subjects[rows]) if self.subjects.size else self.subjects
        taken = {name: np.asfortranarray(getattr(self, name)[rows], dtype) for name, dtype in _MATRICES.items()}
        return replace(self, **taken, subjects=subjects)

    def select(self, attributes: Sequence[int]) -> Points:
        """Return some of the attributes, numbered continuous first, then ordinal, then nominal."""
        ends = np.cumsum([getattr(self, name).shape[1] for name in _MATRICES])
        chosen = {
            name: [attribute - begin for attribute in attributes if begin <= attribute < end]
            for name, begin, end in zip(_MATRICES, (0, *ends), ends, strict=False)
        }
        matrices = {
            name: np.asfortranarray(getattr(self, name)[:, chosen[name]], dtype) for name, dtype in _MATRICES.items()
        }
        vectors = {
            name: getattr(self, name)[chosen["ranks" if name.startswith("rank") else "codes"]] for name in _VECTORS
        }
        return replace(self, **matrices, **vectors)

    def joined(self, other: Points) -> Points:
        """Append the attributes of other points of the same records, subjects aside: this is all that steering does."""
        parts = {name: np.column_stack([getattr(self, name), getattr(other, name)]) for name in _MATRICES}
        matrices = {name: np.asfortranarray(part, _MATRICES[name]) for name, part in parts.items()}
        vectors = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _VECTORS}
        return replace(self, **matrices, **vectors)

    def above(self, other: Points) -> Points:
        """Append the records of other points with the same attributes, subjects aside."""
        parts = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _MATRICES}
        matrices = {name: np.asfortranarray(part, _MATRICES[name]) for name, part in parts.items()}
        ranks = np.maximum(self.rank_levels, other.rank_levels)
        codes = np.maximum(self.code_levels, other.code_levels)
        return replace(self, **matrices, rank_levels=ranks, code_levels=codes, subjects=self.subjects[:0])

    def stretched(self, factor: float) -> Points:
        """Multiply every distance by a factor, so squared distances by its square."""
        return replace(
            self,
            coords=self.coords * factor,
            rank_steps=self.rank_steps * factor,
            code_weights=self.code_weights * factor**2,
        )

    def numeric(self) -> NDArray[np.float64]:
        """Continuous and ordinal attributes as one (n, d + o) matrix, column-major."""
        if self.ranks.shape[1] == 0:
            return self.coords
        return np.asfortranarray(np.column_stack([self.coords, self.ranks * self.rank_steps]), np.float64)


def comparable(values: ArrayLike | Points) -> Points:
    """Take points as `Points.of` does, and refuse those between which no distance can be measured.

    >>> comparable([[0.0], [1e300]])
    Traceback (most recent call last):
    ...
    shoal.errors.DataError: points must lie within ±1e+150, but column 0 has a value beyond: scale the columns first
    """
    points = Points.of(values)
    extremes = np.maximum(points.coords.max(axis=0, initial=0.0), -points.coords.min(axis=0, initial=0.0))
    beyond = ~(extremes <= FARTHEST)  # NaN is beyond, too
    if beyond.any():
        column = int(np.flatnonzero(beyond)[0])
        raise DataError(
            f"points must lie within ±{FARTHEST:g}, but column {column} has a value beyond: scale the columns first"
        )
    for name, places, levels in (
        ("ranks", points.ranks, points.rank_levels),
        ("codes", points.codes, points.code_levels),
    ):
        if places.size and ((places.min(axis=0) < 0) | (places.max(axis=0) >= levels)).any():
            raise DataError(f"{name} must be numbered from 0 and stay below the number of categories")
    if not (np.abs(points.rank_steps) * points.rank_levels <= FARTHEST).all():
        raise PlanError(f"the ranks of an ordinal attribute must lie within {FARTHEST:g}: lower its weight")
    if not (points.code_weights <= HEAVIEST).all():
        raise PlanError(f"a nominal attribute must not weigh more than {HEAVIEST:g}: lower its weight")
    return points


def require_k(k: int, n: int, of: str = "record") -> int:
    """Return a minimum group size as Python's number; refuse one that makes no sense for n records or subjects."""
    fewest = whole_k(k)
    if fewest < 2:
        raise PlanError(f"k must be at least 2, not {k}: a group of one record hides nobody")
    if n < fewest:
        verb = "is" if n == 1 else "are"
        raise DataError(f"k is {k} but there {verb} only {counted(n, of)}: lower k or bring more data")
    return fewest


def whole_k(k: int) -> int:
    """Return k as Python's number (one of NumPy may be so narrow that it overflows); refuse what is no whole number."""
    try:
        return operator.index(k)
    except TypeError:
        raise PlanError(f"k must be a whole number, not {k!r}") from None


def require_subjects(k: int, points: Points) -> int:
    """Return a minimum number of subjects in a group; refuse one that the records do not reach all together."""
    return require_k(k, points.subject_count, "different subject" if points.subjects.size else "record")


def _renumbered(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the subjects that are left from 0 without gaps, in their order."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int32)
    present[numbers] = 1
    return (np.cumsum(present, dtype=np.int32) - 1)[numbers]
