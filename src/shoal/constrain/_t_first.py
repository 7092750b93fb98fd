"""t-closeness first: groups that take a record from every part of the confidential distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from shoal import _core
from shoal.constrain._merge import closeness, repair
from shoal.constrain.way import Way, attributes_of, thresholds_of
from shoal.errors import PlanError
from shoal.options import Options
from shoal.points import Points, comparable, require_subjects
from shoal.pool import completing
from shoal.progress import Progress
from shoal.protect import Closeness, Spread
from shoal.protect.confidential import Missing
from shoal.protect.strata import nested_counts, nested_subsets


class TFirstOptions(Options):
    """What a plan can choose in ``[closeness]``."""

    strata: Literal["first", "all"] = Field(
        "first",
        description="spread groups over the first attribute, and merge for the others; or over all, in larger groups",
    )


def t_first(
    points: ArrayLike | Points,
    confidential: object,
    *,
    k: int,
    t: float | Fraction | Sequence[float | Fraction],
    stratify: int | Literal["all"] = 0,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Form groups that hold one record from each of as many subsets of the confidential attribute as t asks for.

    Parameters
    ----------
    points
        Records: an array (n, d) of scaled coordinates, or `Points`.
    confidential
        (n,) values, (n, c) values of several attributes, `Confidential`, or a list of these.
    k
        Fewest subjects of a group: records, where each is a subject of its own.
    t
        Largest distance, one for all attributes or one for each.
    stratify
        Which of several attributes is cut in subsets; the others are met by `merge` alone. ``"all"``: the first is cut,
        its subsets are cut by the second, and so on, as long as two groups can be formed. Groups are then as large as
        the product of what the attributes need.
    missing
        What a missing confidential value is: an ``error``, or a ``category`` of its own.
    progress
        Called about ten times a second with (records settled, records).

    Returns
    -------
    labels
        The group of each record, groups numbered from 0 as they are formed; `merge` has repaired what ties, a
        remainder or other attributes left above t.

    Notes
    -----
    Soria-Comas et al. 2015, Algorithm 3 with equation 4's floor: `cluster_size` says how many subsets there are of
    ordered values, and a bound on categories as many as they need. Records are sorted by value, then row; a remainder
    joins the middle subset, or is shared by the two middle ones, the odd record to the lower. A group takes the record
    nearest to its centre from each subset, and one extra while there are extras.

    As long as a group holds fewer than k subjects it takes another record from each subset: a union of groups within t
    is within t. The further records of its subjects come along. To pass over them, so that each subset gives a record
    of another subject, would leave them to groups farther away: docs/t-closeness.md has what both lose.

    One tree per subset finds the nearest record, and one over all records the farthest.

    Examples
    --------
    >>> t_first([[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 4.0, 3.0], k=2, t=0.35)
    array([0, 1, 0, 1])
    """
    points = comparable(points)
    k = require_subjects(k, points)
    rules = closeness(points, confidential, t, missing)
    if stratify != "all" and not 0 <= stratify < len(rules):
        raise PlanError(f"stratify must be the place of one of {len(rules)} attributes, or 'all', not {stratify!r}")
    cut = rules if stratify == "all" else [rules[stratify]]
    counts = nested_counts(attributes_of(cut), k, thresholds_of(cut))
    subsets = nested_subsets(attributes_of(cut[: len(counts)]), counts)
    labels = _core.t_first(points.records(), subsets, math.prod(counts), k, progress)
    return repair(points, labels, rules, k=k, progress=completing(progress, len(points)))


def _form(
    points: Points, rules: Sequence[Closeness], k: int, options: TFirstOptions, *, progress: Progress | None, **_: bool
) -> NDArray[np.int64]:
    attributes, t = attributes_of(rules), thresholds_of(rules)
    stratify: int | Literal["all"] = "all" if options.strata == "all" else 0
    return t_first(points, attributes, k=k, t=t, stratify=stratify, progress=progress)


def _spread(rules: Sequence[Closeness], k: int, options: TFirstOptions) -> Spread:
    spread_over = rules if options.strata == "all" else rules[:1]
    counts = nested_counts(attributes_of(spread_over), k, thresholds_of(spread_over))
    return Spread(math.prod(counts), len(counts))


T_FIRST = Way("t_first", "strata of the first attribute", TFirstOptions, _form, _spread)
