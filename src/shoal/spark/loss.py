"""Loss of a release on Spark: squared errors added up where records still stand beside their originals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from shoal.encode import read_column
from shoal.frames import Table
from shoal.measure.tables import pair_tables
from shoal.plan import Plan
from shoal.spark.fields import LOSS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.spark.judge import Verdict


def squared_errors(
    original: Table, released: Table, plan: Plan, deviations: Mapping[str, float]
) -> tuple[int, dict[str, float]]:
    """Return how many records a fragment has, and the squared error of each column by deviations of the whole table."""
    pair = pair_tables(original, released, plan)
    parts = {}
    for column in pair.columns:
        error = column.squared_deviations
        if column.is_continuous:
            own = read_column(original, plan.spec(column.name)).observed
            spread = float(np.std(own, ddof=1)) if len(own) > 1 else 0.0
            error = error * (spread / deviations[column.name]) ** 2 if column.name in deviations else 0.0
        parts[column.name] = error
    return len(original), parts


def measured(settled: DataFrame, totals: Mapping[str, float], verdict: Verdict) -> dict[str, Any]:
    """Return the measures of a release that add up over fragments and classes, by their keys.

    Notes
    -----
    ``sse`` and ``il_percent`` are defined as on one machine (`shoal.measure`), with the deviations of the whole table.
    A missing cell stands at the mean of its fragment, where one machine puts it at that of the table.
    """
    found = [json.loads(row[LOSS]) for row in settled.where(F.col(LOSS).isNotNull()).select(LOSS).collect()]
    errors = {name: math.fsum(each[name] for each in found) for name in totals}
    error, total = math.fsum(errors.values()), math.fsum(totals.values())
    distances = {each.name: each.achieved for each in verdict.guarantees.values() if each.name == "t_closeness"}
    return {
        "sse": error,
        "il_percent": _percent(error, total),
        "il_percent_by_attribute": {name: _percent(errors[name], totals[name]) for name in totals},
        "k_min": verdict.fewest,
        "classes": verdict.classes,
        "class_size": {
            "smallest": verdict.smallest,
            "mean": verdict.records / verdict.classes,
            "largest": verdict.largest,
        },
        **({"emd_max": distances["t_closeness"]} if distances else {}),
    }


def _percent(error: float, total: float) -> float:
    if total == 0:
        return 0.0 if error == 0 else 100.0
    return 100.0 * error / total
