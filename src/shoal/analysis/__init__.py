"""The analyst's work on original and release: what is the same, and what is lost.

`utility` compares statistics of every column and of every two, regressions that the user names, models that learn from
the release and are tested on original records, and how well the two tables can be told apart.
"""

from __future__ import annotations

from shoal.analysis._utility import utility
from shoal.analysis.findings import LIMITS, Finding, Verdict
from shoal.analysis.result import (
    Association,
    Coefficient,
    ColumnUtility,
    Estimate,
    ModelUtility,
    PairUtility,
    PredictionUtility,
    Propensity,
    Statistic,
    Utility,
)

__all__ = [
    "LIMITS",
    "Association",
    "Coefficient",
    "ColumnUtility",
    "Estimate",
    "Finding",
    "ModelUtility",
    "PairUtility",
    "PredictionUtility",
    "Propensity",
    "Statistic",
    "Utility",
    "Verdict",
    "utility",
]
