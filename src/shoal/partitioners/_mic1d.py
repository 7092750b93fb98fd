"""Mic1D-k: the values of all attributes mixed in one line, and masked there."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.errors import DataError, PlanError
from shoal.options import Options, checked
from shoal.partitioners.method import Method, in_order
from shoal.points import Points, require_subjects, whole_k
from shoal.progress import Progress

Cut = Literal["fixed", "optimal"]


class Mic1dOptions(Options):
    """What a plan can choose."""

    cut: Cut = Field("fixed", description="runs of k values, fixed, or of k to 2k-1 where it costs least, optimal")


def mic1d(
    values: ArrayLike | Points, k: int, *, cut: Cut = "fixed", progress: Progress | None = None
) -> NDArray[np.float64]:
    """Mask a table by one-dimension microaggregation. The result is *not* k-anonymous by construction.

    Parameters
    ----------
    values
        A table (n, d) of numbers, or one attribute (n,); or `Points` with numeric and ordinal attributes.
    k
        How many *values* (not records) make a run. The more, the fewer values are left to tell records apart. Of
        `Points` that know whom their records are about, how many *subjects* must have values in a run.
    cut
        ``"fixed"``: runs of k values, the last one shorter, as in Nin 2014; a run of k subjects ends as soon as they
        are in, and too few that are left join the last one. ``"optimal"``: runs of k to 2k - 1 values (or those of k
        subjects that cannot be cut) with the least sum of squared errors, which keeps runs from reaching across gaps
        between values.
    progress
        Called about ten times a second with the number of values settled and the number of values.

    Returns
    -------
    values
        The masked table, of the shape that came in.

    Notes
    -----
    Nin 2014, section 3. All values are sorted, whatever attribute they belong to, and cut in runs; each is placed
    between the least and the greatest of its run, from 0 to 1 (0.5 where all are equal). Places are sorted and cut in
    runs again, and each becomes the mean of its run; then it goes back to where it came from, between the least and the
    greatest of its first run. Equal values are sorted attribute by attribute, then by row; equal places by the value
    they stand for.

    Two records look alike only where all their values fell in the same runs. Nothing makes k records do so: measure
    how many do (``k_prime``) before you release.

    Examples
    --------
    >>> mic1d([[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]], 3)
    array([[ 1.33333333, 16.66666667],
           [ 1.33333333, 43.33333333],
           [ 2.66666667, 43.33333333]])
    """
    optimal = checked(Mic1dOptions, cut=cut).cut == "optimal"
    points = Points.of(values)
    table = in_order(points)
    k = whole_k(k)
    if k < 2:
        raise PlanError(f"k must be at least 2, not {k}: a run of one value hides nothing")
    if points.subjects.size:
        k = require_subjects(k, points)
    elif table.size < k:
        raise DataError(f"k is {k} but there are only {table.size} values: lower k or bring more data")
    masked = _core.mic1d(table.ravel(order="F"), k, optimal, points.subjects, progress)
    return masked.reshape(table.shape if isinstance(values, Points) else np.shape(values), order="F")


MIC1D = Method(
    "mic1d",
    mic1d,
    "the values of all quasi-identifiers mixed in runs of k values; k not guaranteed",
    Mic1dOptions,
    nominal=False,
    attributes="mixed",
)
