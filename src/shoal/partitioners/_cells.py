"""Cells: MDAV inside cells that are cut where records differ most."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal.options import Options, checked
from shoal.partitioners._mdav import mdav
from shoal.partitioners._mondrian import mondrian
from shoal.partitioners.method import Method, partition_each
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress


class CellsOptions(Options):
    """What a plan can choose."""

    cell: int = Field(6000, ge=2, description="fewest subjects of a cell, inside which MDAV forms groups")


def cells(
    points: ArrayLike | Points, k: int, *, cell: int = 6000, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Partition records into groups of at least k subjects by MDAV, inside cells that share no group.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes and subjects.
    k
        Fewest subjects of a group. Where every record is a subject of its own, groups have k to 2k - 1 records.
    cell
        Fewest subjects of a cell, or k where that is more. Tables with less than twice as many are one cell.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 cell by cell.

    Notes
    -----
    The cells are those of `mondrian`. The time of MDAV grows with the square of the records where attributes are many,
    here with the records alone; what is lost grows, because groups end where cells do. `shoal.refine` moves records
    across these borders: see ``docs/refine.md`` for when that pays.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(400, 3))
    >>> np.bincount(cells(points, 5, cell=100)).tolist() == [5] * 80
    True
    """
    cell = checked(CellsOptions, cell=cell).cell
    points = comparable(points)
    k = require_subjects(k, points)
    if points.subject_count < 2 * max(cell, k):
        return mdav(points, k, progress=progress)

    def form(rows: NDArray[np.int64], report: Progress) -> NDArray[np.int64]:
        return mdav(points.take(rows), k, progress=report)

    return partition_each(mondrian(points, max(cell, k)), form, progress)


CELLS = Method(
    "cells",
    cells,
    "MDAV inside cells that are cut where records differ most: quick with many attributes, to be refined",
    CellsOptions,
)
