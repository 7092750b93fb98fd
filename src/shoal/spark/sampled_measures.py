"""Sampled measures: what needs neighbours or all pairs of records, on a sample of whole classes, with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.measures import MEASURES, Score, compute
from shoal.measures.tables import pair_tables
from shoal.plan import Plan
from shoal.protect import released_classes

PARTS = 10
"""Parts of a sample that are left out in turn."""
_STUDENT = 2.262
"""The quantile 0.975 of Student's distribution with nine degrees of freedom."""


def sampled_measures(
    originals: pa.Table, releases: pa.Table, plan: Plan, records: int, without: Iterable[str]
) -> dict[str, Score]:
    """Measure a sample of a release, and say so.

    Parameters
    ----------
    originals, releases
        Sampled records before and after, in whole classes.
    plan
        What was asked; columns are recoded already.
    records
        How many the table has.
    without
        The measures that are known of the whole table.

    Notes
    -----
    The interval is that of a jackknife that leaves out a tenth of the classes at a time (Kott 2001). A sample has fewer
    neighbours than the table, so that records are linked in it rather more often than among all.
    """
    known = set(without)
    classes = released_classes(Table.of(releases), plan.demand())
    scores = _measured(originals, releases, plan, known)
    if len(classes) >= records:
        return scores
    rng = np.random.default_rng(plan.seed)
    part = rng.permutation(np.arange(int(classes.max()) + 1) % PARTS)[classes]
    replicates = [
        _measured(originals.take(rows), releases.take(rows), plan, known)
        for rows in (pa.array(np.flatnonzero(part != number)) for number in range(PARTS))
    ]
    said = f" Estimated on a seeded sample of {len(classes):,} of {records:,} records, in whole classes."
    return {
        key: replace(
            score,
            definition=replace(score.definition, text=score.definition.text + said),
            interval=_interval(score, np.array([each[key].value for each in replicates])),
            groups={},
        )
        for key, score in scores.items()
    }


def _measured(originals: pa.Table, releases: pa.Table, plan: Plan, without: set[str]) -> dict[str, Score]:
    pair = pair_tables(Table.of(originals), Table.of(releases), plan)
    pair = replace(pair, labels=released_classes(Table.of(releases), plan.demand()))
    keys = [key for key, each in MEASURES.items() if key not in without and each.definition.applies(pair)]
    return compute(pair, keys)


def _interval(score: Score, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the interval of a delete-a-group jackknife, inside the range of the measure."""
    error = math.sqrt((PARTS - 1) / PARTS * float(((values - values.mean()) ** 2).sum()))
    low, high = score.value - _STUDENT * error, score.value + _STUDENT * error
    return max(low, score.definition.low), min(high, score.definition.high)
