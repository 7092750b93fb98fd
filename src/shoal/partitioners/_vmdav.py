"""V-MDAV: groups that grow where the next record belongs to them more than elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.options import Options, checked
from shoal.partitioners.method import Engine, Method, require_engine
from shoal.points import Points, comparable, require_subjects
from shoal.progress import Progress


class VmdavOptions(Options):
    """What a plan can choose."""

    gain: float = Field(
        0.2, ge=0, allow_inf_nan=False, description="how readily a group grows; 0 keeps groups at k, 1.1 lets them grow"
    )


def vmdav(
    points: ArrayLike | Points, k: int, *, gain: float = 0.2, engine: Engine = "auto", progress: Progress | None = None
) -> NDArray[np.int64]:
    """Partition records into groups of k to 2k - 1 subjects, larger where records lie close together.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points` with ordinal and nominal attributes. Several records
        may be about one subject: ``Points.of(array).about(subjects)``.
    k
        Fewest subjects of a group; records, where each is a subject of its own.
    gain
        How readily a group grows: the next record joins if it is nearer to the group than ``gain`` times its
        distance to any other record outside. 0 never grows; about 0.2 suits scattered data, about 1.1 clustered data.
    engine
        How records are searched: "tree" (a k-d tree, fast in few dimensions), "scan" (one pass over the records per
        question) or "auto" (what promises to be faster). The labels are the same.
    progress
        Called about ten times a second with the number of records settled and the number of records.

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 as they are formed.

    Notes
    -----
    Solanas and Martínez-Ballesté (2006), made exact:

    1. The average record of the whole table is computed once (mean, median or convex median, mode).
    2. While at least k records are free: e is the free record farthest from the average; e and its k - 1 nearest free
       records form a group. Then, up to 2k - 1 records: x is the free record nearest to any member of the group, at
       distance a; b is its distance to the nearest other free record (infinite if there is none); x joins if
       a < gain * b, else the group is complete.
    3. Fewer than k records are left. Each goes to the group, as formed in step 2, whose average record is nearest.
       These groups may have more than 2k - 1 records.

    Among equally far or near records the lowest row is taken, among equally near groups the lowest number.

    Where several records are about one subject, k and 2k - 1 count subjects: step 2 goes on while at least k have free
    records, groups begin as in `mdav` with the nearest records of k subjects and what comes along, and grow by records
    of whatever subject until 2k - 1 subjects are in. Equal records of a subject are one in all this: x takes its own
    along, and b is the distance to another.

    Examples
    --------
    >>> vmdav([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]], 2, gain=1.1)
    array([1, 1, 1, 2, 2, 0, 0])
    >>> vmdav([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]], 2, gain=0.0)
    array([1, 1, 2, 2, 2, 0, 0])
    """
    points = comparable(points)
    k = require_subjects(k, points)
    growth = checked(VmdavOptions, gain=gain)
    return _core.vmdav(points.records(), k, growth.gain, require_engine(engine), progress)


VMDAV = Method("vmdav", vmdav, "groups of k to 2k-1 that grow where records are dense", VmdavOptions, borders=False)
