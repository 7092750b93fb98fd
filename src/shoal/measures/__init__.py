"""Measures of what a release gives away and of what it keeps.

>>> from shoal.measures import Pair, compute
>>> pair = Pair.of([1.0, 2.0, 3.0, 4.0], [1.5, 1.5, 3.5, 3.5], confidential=[10, 20, 20, 10])
>>> scores = compute(pair, ["il_percent", "k_min", "emd_max"])
>>> {key: round(score.value, 4) for key, score in scores.items()}
{'il_percent': 20.0, 'k_min': 2.0, 'emd_max': 0.0}
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.classes import equivalence_classes
from shoal.measures.anonymity import k_linked, k_min, k_prime, subject_risk
from shoal.measures.closeness import delta_disclosure, emd_avg, emd_max, mutual_information
from shoal.measures.column_pair import ColumnPair
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.declaration import Measure, Value, declare_measure
from shoal.measures.definition import Definition, Score, Scores
from shoal.measures.disclosure_risk import dr, id, id_sd, score
from shoal.measures.diversity import l_avg, l_distinct, l_entropy, l_recursive, p_sensitive
from shoal.measures.linkage import dld
from shoal.measures.pair import Pair
from shoal.measures.population import population_error, population_il, population_k, population_risk
from shoal.measures.registry import MEASURES, compute
from shoal.measures.squared_error import d_x, d_y, il_percent, mae, mse, normalised_sse, sse
from shoal.measures.statistics import il, il1s
from shoal.measures.uniques import PopulationUniques, population_uniques
from shoal.subsets import Subsets

if TYPE_CHECKING:
    from shoal.measures._assess import assess, measure_release, measure_released, visible_groups
    from shoal.measures.generalization import Generalized, read_generalized
    from shoal.measures.identification import AdversaryRisk, IdentificationRisks, identification_risks
    from shoal.measures.population_table import PopulationMatch, match_population
    from shoal.measures.tables import measure

__all__ = [
    "MEASURES",
    "AdversaryRisk",
    "ColumnPair",
    "ConfidentialColumn",
    "Definition",
    "Generalized",
    "IdentificationRisks",
    "Measure",
    "Pair",
    "PopulationMatch",
    "PopulationUniques",
    "Score",
    "Scores",
    "Subsets",
    "Value",
    "assess",
    "compute",
    "d_x",
    "d_y",
    "declare_measure",
    "delta_disclosure",
    "dld",
    "dr",
    "emd_avg",
    "emd_max",
    "equivalence_classes",
    "id",
    "id_sd",
    "identification_risks",
    "il",
    "il1s",
    "il_percent",
    "k_linked",
    "k_min",
    "k_prime",
    "l_avg",
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "mae",
    "match_population",
    "measure",
    "measure_release",
    "measure_released",
    "mse",
    "mutual_information",
    "normalised_sse",
    "p_sensitive",
    "population_error",
    "population_il",
    "population_k",
    "population_risk",
    "population_uniques",
    "read_generalized",
    "score",
    "sse",
    "subject_risk",
    "visible_groups",
]


# Frames, plans and releases need more than arrays, so what works on them is loaded when it is first used.
_OF_TABLES = {
    "_assess": ("assess", "measure_release", "measure_released", "visible_groups"),
    "generalization": ("Generalized", "read_generalized"),
    "identification": ("AdversaryRisk", "IdentificationRisks", "identification_risks"),
    "population_table": ("PopulationMatch", "match_population"),
    "tables": ("measure",),
}


def __getattr__(name: str) -> Any:
    for module, names in _OF_TABLES.items():
        if name in names:
            return getattr(import_module(f"shoal.measures.{module}"), name)
    raise AttributeError(f"module 'shoal.measures' has no attribute {name!r}")
