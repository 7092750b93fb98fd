"""Projected: records sorted along an axis, then cut into the groups that are cheapest in all dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.options import Options, checked
from shoal.partitioners.axis import AXES, Axis
from shoal.partitioners.method import Method, in_order
from shoal.points import Points, require_subjects
from shoal.progress import Progress


class ProjectedOptions(Options):
    """What a plan can choose."""

    axis: Axis = Field("pcp", description="the first principal component, pcp, or the sum of z-scores, zscores")


def projected(
    points: ArrayLike | Points, k: int, *, axis: Axis = "pcp", progress: Progress | None = None
) -> NDArray[np.int64]:
    """Partition records into groups of at least k that are neighbours along one axis.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with numeric and ordinal attributes.
    k
        Fewest subjects of a group. Where every record is a subject of its own, groups have k to 2k - 1 records.
    axis
        ``"pcp"``, the first principal component, or ``"zscores"``, the sum of the attributes' z-scores.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 along the axis.

    Notes
    -----
    Nin 2014, algorithm 1: of all partitions into runs of k to 2k - 1 neighbours on the axis, the one with the least sum
    of squared errors over all attributes. Records with the same place on the axis are sorted by row; equal costs are
    settled as in `univariate`. Time grows as n·k·d.

    With several records of a subject it is the cheapest of all partitions into runs that hold k subjects, as long as no
    run has more than 4096 places to start at (about k times the records that a subject has side by side on the axis).
    Beyond, the latest 4096 are compared: groups still hold k subjects, but may cost more than the cheapest.

    Examples
    --------
    >>> projected([[0.0, 0.1], [5.0, 5.2], [0.2, 0.0], [5.1, 5.0]], 2)
    array([0, 1, 0, 1])
    """
    project = AXES[checked(ProjectedOptions, axis=axis).axis]
    points = Points.of(points)
    table = in_order(points)
    k = require_subjects(k, points)
    return _core.projected(table, project(table), k, points.subjects, progress)


PROJECTED = Method(
    "projected",
    projected,
    "groups of k to 2k-1 neighbours along one axis, the cheapest",
    ProjectedOptions,
    nominal=False,
)
