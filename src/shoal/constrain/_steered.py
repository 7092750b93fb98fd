"""t-closeness by steering: bucket numbers pull records of different confidential values together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.constrain._merge import closeness, repair
from shoal.constrain.way import Way, attributes_of, thresholds_of
from shoal.errors import PlanError
from shoal.options import Options
from shoal.partitioners import mdav
from shoal.points import Points, comparable, require_subjects
from shoal.pool import completing
from shoal.progress import Progress
from shoal.protect import Closeness, Spread
from shoal.protect.confidential import Confidential, Missing
from shoal.protect.strata import strata_count
from shoal.scaling import unit_range
from shoal.steer import bucket_count, number_buckets, separating_weight
from shoal.steer.steering import require_weight


class SteeredOptions(Options):
    """What a plan can choose in ``[closeness]``."""

    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="bucket numbers span [0, weight] (enough to spread every group if left out)"
    )


def steered(
    points: ArrayLike | Points,
    confidential: object,
    *,
    k: int,
    t: float | Fraction | Sequence[float | Fraction],
    weight: float | None = None,
    guarantee: bool = True,
    stratify: int = 0,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Form groups by MDAV on the quasi-identifiers and, with a weight, on bucket numbers of the confidential attribute.

    Parameters
    ----------
    points
        Records: an array (n, d) of numbers, which are scaled to [0, 1] here; or `Points`, taken as they are.
    confidential
        (n,) values, (n, c) values of several attributes, `Confidential`, or a list of these.
    k
        Fewest subjects of a group: records, where each is a subject of its own.
    t
        Largest distance, one for all attributes or one for each.
    weight
        ω: bucket numbers span [0, ω]. Without it, the weight that makes every group hold one record of each bucket.
        A lower one lets records that are alike stay together, at the price of t.
    guarantee
        Merge groups until all are within t. Otherwise they stay as steered, but for those that hold fewer than k
        subjects, and `emd` tells which t they reached.
    stratify
        Which of several attributes is cut in buckets; the others are met by merging alone.
    missing
        What a missing confidential value is: an ``error``, or a ``category`` of its own.
    progress
        Called about ten times a second with (records settled, records).

    Returns
    -------
    labels
        The group of each record, groups numbered from 0.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, Algorithm 1 with buckets of equal size: Proposition 1 needs them, since one
    record more in a bucket makes groups drift from number to number however large ω is. So the n mod b records in the
    middle of the confidential order wait until the groups are formed, and then join the nearest one. For categories,
    which Proposition 2 of Soria-Comas et al. 2015 does not speak of, there are as many buckets as `t_first` has
    subsets.

    From ω = |B₁|·√m on (`separating_weight`), the b records of one number are nearer to each other than to anybody
    else, so MDAV with groups of b takes them together, wherever it starts: the numbers are the groups, and MDAV
    need not run.

    Buckets and their numbers do not look at subjects: groups that hold fewer than k are merged.

    Examples
    --------
    >>> from shoal.constrain import emd
    >>> values = np.arange(1000.0)
    >>> for weight in (98, 99):
    ...     labels = steered(values, values, k=2, t=0.05, weight=weight, guarantee=False)
    ...     print(weight, emd(values, labels).max().round(4))
    98 0.0999
    99 0.0495
    """
    places = comparable(points if isinstance(points, Points) else unit_range(Points.of(points).coords))
    k = require_subjects(k, places)
    if weight is not None:
        require_weight(weight)
    rules = closeness(places, confidential, t, missing)
    if not 0 <= stratify < len(rules):
        raise PlanError(f"stratify must be the place of one of {len(rules)} attributes, not {stratify!r}")
    chosen = rules[stratify]
    count = group_size(chosen.attribute, k, chosen.t)
    size = len(places) // count
    labels = number_buckets(places, chosen.attribute.codes, count, progress=progress)
    if weight is not None and weight < separating_weight(places, size):
        rows = np.flatnonzero(labels >= 0)
        numbers = Points.of(labels[rows] * (weight / max(size - 1, 1)))
        # A bucket gives a group one record, whosever it is: every record is a subject of its own here.
        records = replace(places.take(rows).joined(numbers), subjects=np.empty(0, dtype=np.int32))
        labels[rows] = mdav(records, count, progress=progress)
    labels = _core.join_nearest(places.records(), labels, size)
    return repair(places, labels, rules if guarantee else (), k=k, progress=completing(progress, len(places)))


def group_size(attribute: Confidential, k: int, t: float | Fraction) -> int:
    """Return how many buckets an attribute is cut into, which is the size of the groups."""
    if attribute.distance == "ordered":
        return bucket_count(len(attribute), k, t)
    return strata_count(attribute, k, t)


def _form(
    points: Points,
    rules: Sequence[Closeness],
    k: int,
    options: SteeredOptions,
    *,
    guarantee: bool,
    progress: Progress | None,
) -> NDArray[np.int64]:
    attributes, t, weight = attributes_of(rules), thresholds_of(rules), options.weight
    return steered(points, attributes, k=k, t=t, weight=weight, guarantee=guarantee, progress=progress)


def _spread(rules: Sequence[Closeness], k: int, options: SteeredOptions) -> Spread:
    return Spread(group_size(rules[0].attribute, k, rules[0].t))


STEERED = Way("steered", "bucket numbers as an artificial attribute", SteeredOptions, _form, _spread, unit_range=True)
