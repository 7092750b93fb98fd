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
from shoal.measures.balance._score import score
from shoal.measures.column_pair import ColumnPair
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.measures.registry import MEASURES, Measure, compute
from shoal.measures.risk.anonymity import k_min, k_prime
from shoal.measures.risk.closeness import emd_avg, emd_max
from shoal.measures.risk.disclosure_risk import dr
from shoal.measures.risk.diversity import l_avg, l_distinct, l_entropy, l_recursive, p_sensitive
from shoal.measures.risk.inference import delta_disclosure, mutual_information
from shoal.measures.risk.interval_disclosure import id, id_sd
from shoal.measures.risk.linkage_disclosure import dld
from shoal.measures.risk.population import population_k, population_risk
from shoal.measures.risk.subjects import k_linked, subject_risk
from shoal.measures.risk.uniques import PopulationUniques, population_uniques
from shoal.measures.scores import Scores
from shoal.measures.utility._il import il, il1s
from shoal.measures.utility._mse import mae, mse, normalised_sse
from shoal.measures.utility._sse import il_percent, sse
from shoal.measures.utility.distortion import d_x, d_y
from shoal.measures.utility.population import population_error, population_il
from shoal.subsets import Subsets

if TYPE_CHECKING:
    from shoal.measures._assess import assess, measure_release, visible_groups
    from shoal.measures.generalized import Generalized, read_generalized
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
    "assess",
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
    "AdversaryRisk": "identification",
    "Generalized": "generalized",
    "IdentificationRisks": "identification",
    "PopulationMatch": "population_table",
    "assess": "_assess",
    "identification_risks": "identification",
    "match_population": "population_table",
    "measure": "tables",
    "measure_release": "_assess",
    "read_generalized": "generalized",
    "visible_groups": "_assess",
}


def __getattr__(name: str) -> Any:
    if name in _OF_TABLES:
        return getattr(import_module(f"shoal.measures.{_OF_TABLES[name]}"), name)
    raise AttributeError(f"module 'shoal.measures' has no attribute {name!r}")
