"""Measures of what a release gives away and of what it keeps.

>>> from shoal.measure import Pair, compute
>>> pair = Pair.of([1.0, 2.0, 3.0, 4.0], [1.5, 1.5, 3.5, 3.5], confidential=[10, 20, 20, 10])
>>> scores = compute(pair, ["il_percent", "k_min", "emd_max"])
>>> {key: round(score.value, 4) for key, score in scores.items()}
{'il_percent': 20.0, 'k_min': 2.0, 'emd_max': 0.0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.classes import equivalence_classes
from shoal.measure.definition import Definition, Score
from shoal.measure.pair import ColumnPair, Confidential, Pair
from shoal.measure.registry import MEASURES, Measure, compute
from shoal.measure.risk.anonymity import k_min, k_prime
from shoal.measure.risk.closeness import emd_avg, emd_max
from shoal.measure.risk.disclosure_risk import dr, score
from shoal.measure.risk.diversity import l_avg, l_distinct, l_entropy, l_recursive, p_sensitive
from shoal.measure.risk.inference import delta_disclosure, mutual_information
from shoal.measure.risk.interval_disclosure import id, id_sd
from shoal.measure.risk.linkage_disclosure import dld
from shoal.measure.utility.distortion import d_x, d_y
from shoal.measure.utility.il import il, il1s
from shoal.measure.utility.mse import mae, mse, normalised_sse
from shoal.measure.utility.sse import il_percent, sse
from shoal.subsets import Subsets

if TYPE_CHECKING:
    from shoal.measure.tables import measure

__all__ = [
    "MEASURES",
    "ColumnPair",
    "Confidential",
    "Definition",
    "Measure",
    "Pair",
    "Score",
    "Subsets",
    "compute",
    "d_x",
    "d_y",
    "delta_disclosure",
    "dld",
    "dr",
    "emd_avg",
    "emd_max",
    "equivalence_classes",
    "id",
    "id_sd",
    "il",
    "il1s",
    "il_percent",
    "k_min",
    "k_prime",
    "l_avg",
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "mae",
    "measure",
    "mse",
    "mutual_information",
    "normalised_sse",
    "p_sensitive",
    "score",
    "sse",
]


def __getattr__(name: str) -> Any:
    # Frames and plans need more than NumPy, so what works on them is loaded when it is first used.
    if name == "measure":
        from shoal.measure.tables import measure

        return measure
    raise AttributeError(f"module 'shoal.measure' has no attribute {name!r}")
