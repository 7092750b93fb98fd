"""What refinement would save, by refining a few neighbourhoods alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.points import Points
from shoal.protect import Rule
from shoal.protect.rules import of_records
from shoal.refinement._refine import refinement

RECORDS = 1000
"""Records of a neighbourhood, or a few more: its groups are whole."""
NEIGHBOURHOODS = 3


@dataclass(frozen=True)
class Estimate:
    """What refinement would save: a share of the loss, from 0 to 1, by the least effort, on so many records."""

    saved: float
    records: int


def estimate_saving(
    points: Points,
    labels: NDArray[np.int64],
    k: int,
    *,
    seed: int = 0,
    rules: Sequence[Rule] = (),
    domains: NDArray[np.int64] | None = None,
) -> Estimate:
    """Estimate the share of the loss that refinement would save.

    Parameters
    ----------
    points, labels, k, rules
        As of `refine`.
    seed
        Of the draw of neighbourhoods.
    domains
        A number per record; groups do not mix different ones.

    Notes
    -----
    Neighbourhoods of records are drawn by what their groups lose, so that their average saving is that of the table.
    It comes out low: groups at the rim of a neighbourhood have nobody to change places with, and the effort is the
    least.

    Examples
    --------
    >>> from shoal.partitioners import mdav
    >>> points = Points.of(np.random.default_rng(1).normal(size=(20_000, 2)))
    >>> 0.05 < estimate_saving(points, mdav(points, 3), 3).saved < 0.2
    True
    """
    count = int(labels.max()) + 1
    losses = _core.group_losses(points.records(), labels, count)
    if losses.sum() == 0:
        return Estimate(0.0, len(points))
    if len(points) <= NEIGHBOURHOODS * RECORDS and domains is None:
        return Estimate(refinement(points, labels, k, effort="quick", rules=rules).saved, len(points))
    rng = np.random.default_rng(seed)
    shares, looked = [], 0
    for group in rng.choice(count, NEIGHBOURHOODS, p=losses / losses.sum()):
        centre = int(np.flatnonzero(labels == group)[0])
        rows = _whole_groups(points, labels, centre, domains)
        own_labels = np.unique(labels[rows], return_inverse=True)[1]
        result = refinement(points.take(rows), own_labels, k, effort="quick", rules=of_records(rules, rows))
        shares.append(result.saved)
        looked += len(rows)
    return Estimate(float(np.mean(shares)), looked)


def _whole_groups(
    points: Points, labels: NDArray[np.int64], centre: int, domains: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return the records of the groups that the nearest records of a record are in."""
    distances = _squared_distances(points, centre)
    if domains is not None:
        distances[domains != domains[centre]] = np.inf
    inside = int(np.isfinite(distances).sum())
    nearest = np.argpartition(distances, min(RECORDS, inside) - 1)[: min(RECORDS, inside)]
    chosen = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
    chosen[labels[nearest]] = True
    return np.flatnonzero(chosen[labels])


def _squared_distances(points: Points, row: int) -> NDArray[np.float64]:
    squares = np.zeros(len(points))
    for column in (*points.coords.T, *(points.ranks * points.rank_steps).T):
        squares += (column - column[row]) ** 2
    for weight, codes in zip(points.code_weights, points.codes.T, strict=True):
        squares += weight * (codes != codes[row])
    return squares
