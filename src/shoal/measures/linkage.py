"""Distance linkage: how many records an intruder would link to the right original by taking the nearest one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.classes import equivalence_classes, first_rows
from shoal.kinds.direction import spread_of
from shoal.measures.column_pair import ColumnPair
from shoal.measures.declaration import CHANCE, STEPS, QuasiIdentifiers, Value, declare_measure, over_subsets
from shoal.measures.pair import Pair
from shoal.points import Points
from shoal.progress import Progress
from shoal.subsets import Known

Side = Literal["original", "released"]


@dataclass(frozen=True, eq=False)
class Linkage:
    """The outcome of linking every released record to its nearest original.

    Classes are of released records that are equal for the intruder; ``members`` are by class the records whose own
    original is as near as any, ``candidates`` the originals that are, 0 where the nearest belongs to no member.
    """

    classes: NDArray[np.int64]
    members: NDArray[np.int64]
    candidates: NDArray[np.int64]

    @property
    def expected(self) -> NDArray[np.float64]:
        """Per class, the expected number of right links when ties are broken at random."""
        return np.divide(self.members, self.candidates, out=np.zeros(len(self.members)), where=self.candidates > 0)

    @property
    def percentage(self) -> float:
        """The expected percentage of records linked rightly."""
        return 100.0 * float(self.expected.sum()) / len(self.classes)


def link(pair: Pair, *, progress: Progress | None = None) -> Linkage:
    """Link every released record to its nearest originals.

    Notes
    -----
    Continuous columns are z-scored, each side by its own mean and deviation, so that the intruder needs no key
    to the masking. Equal records are searched for once. Memory is linear in the number of records.
    """
    original_of, originals = distinct_points(points_of(pair.columns, "original", unit="original"))
    released_of, released = distinct_points(points_of(pair.columns, "released", unit="released"))
    members, candidates = _core.link(
        originals.records(), np.bincount(original_of), released.records(), original_of, released_of, progress
    )
    return Linkage(released_of, members, candidates)


def linked_percentage(pair: Pair, names: tuple[str, ...], *, progress: Progress | None = None) -> float:
    """Return the percentage of records linked by an intruder who knows some columns, computed once per pair."""
    if names == pair.names:
        return pair.once("linkage", lambda: link(pair, progress=progress)).percentage
    return pair.once(("linked", names), lambda: link(pair.only(names)).percentage)


def points_of(columns: tuple[ColumnPair, ...], side: Side, *, unit: Side, centred: bool = True) -> Points:
    """Return one side of a pair as points: z-scores by the spread of ``unit``, ordinal ranks, nominal codes.

    The unit vectors of places and cycles lie around their mean, or (not ``centred``) around the centre of the sphere.
    """
    continuous = [part for column in columns for part in _coordinates(column, side, unit, centred=centred)]
    ordinal = [column for column in columns if column.kind.is_ordinal]
    nominal = [column for column in columns if column.kind.is_nominal]
    codes = [part for column in nominal for part in _codes(column, side)]
    return Points.build(
        coords=np.array(continuous).T if continuous else None,
        ranks=np.array([getattr(column, side) for column in ordinal]).T if ordinal else None,
        rank_steps=[1.0 / column.levels for column in ordinal],
        rank_levels=[column.levels for column in ordinal],
        rank_convex=[False for _ in ordinal],
        codes=np.array(codes).T if codes else None,
        code_weights=[weight for c in nominal for weight in ((1.0,) if c.tree is None else c.tree.weights)],
        code_levels=[count for c in nominal for count in ((c.levels,) if c.tree is None else c.tree.counts)],
    )


def _coordinates(column: ColumnPair, side: Side, unit: Side, *, centred: bool) -> list[NDArray[np.float64]]:
    """The z-scores of a column; of places and cycles those of all coordinates by one unit, so that angles stay."""
    values: NDArray[np.float64] = getattr(column, side)
    if column.is_directional:
        scale: NDArray[np.float64] = getattr(column, unit)
        spread = spread_of(scale)
        around = values - scale.mean(axis=0) if centred else values
        return list((around / spread if spread else np.zeros_like(values)).T)
    if not column.is_continuous:
        return []
    mean, deviation = column.spread if unit == "original" else column.released_spread
    return [np.zeros(len(values)) if deviation == 0 else (values - mean) / deviation]


def _codes(column: ColumnPair, side: Side) -> list[NDArray[Any]]:
    codes = getattr(column, side)
    return [codes] if column.tree is None else list(column.tree.columns(codes))


class DistinctPoints(NamedTuple):
    """The place of each record among the distinct ones, and those."""

    places: NDArray[np.int64]
    points: Points


def distinct_points(points: Points) -> DistinctPoints:
    """Tell equal records apart from others."""
    labels = equivalence_classes([*points.coords.T, *points.ranks.T.astype(np.int64), *points.codes.T.astype(np.int64)])
    first = first_rows(labels)
    return DistinctPoints(labels, points if len(first) == len(labels) else points.take(first))


@declare_measure(
    "dld",
    "Percentage of released records whose nearest original is their own: continuous columns z-scored on each side by "
    f"its own mean and standard deviation, {STEPS}; a tie between c originals counts 1/c.",
    title="records nearest to their own original",
    **CHANCE,
)
def dld(
    pair: Pair,
    columns: QuasiIdentifiers,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Value:
    """Return the percentage of records that an intruder links to the right original by taking the nearest.

    Notes
    -----
    Nin 2014, section 2.3. ``groups`` holds, for all quasi-identifiers together, the expected number of right links in
    each equivalence class. The nearest original need not be found: it is enough to know whether any is nearer than the
    record's own, which a tree of boxes mostly answers at once. Over subsets it is the mean, with an interval where they
    are a sample, and ``parts`` holds that of each.

    Examples
    --------
    In their own z-scores the releases 1, 1, 9, 9 stand at ∓0.87, and the originals 0, 2, 8, 10 at ∓1.05 and ∓0.63: the
    first and the last record are nearest to their own original.

    >>> dld(Pair.of([0.0, 2.0, 8.0, 10.0], [1.0, 1.0, 9.0, 9.0])).value
    50.0

    Three people of whom two cannot be told apart: ½ + ½ + 1 right links are expected.

    >>> towns = {"town": ["Vic", "Vic", "Olot"]}
    >>> round(dld(Pair.of(towns, towns, kinds={"town": "nominal"})).value, 4)
    66.6667
    """
    if subsets is None and sample is None:
        linkage = pair.once("linkage", lambda: link(pair, progress=progress))
        # A missing number stands at the mean: then classes that readers tell apart may be one for the intruder.
        same = np.array_equal(linkage.classes, pair.classes)
        return Value(linkage.percentage, groups={"expected_links": linkage.expected} if same else {})
    return over_subsets(pair, partial(linked_percentage, pair), subsets, sample=sample, seed=seed, progress=progress)
