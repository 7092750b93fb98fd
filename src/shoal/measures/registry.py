"""Every measure by its key, how one is added, and the one function that computes those asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, get_args

from shoal.errors import PlanError
from shoal.measures import (
    anonymity,
    closeness,
    disclosure_risk,
    distortion,
    diversity,
    linkage,
    population,
    squared_error,
    statistics,
)
from shoal.measures.definition import Definition, External, Score, Scores
from shoal.measures.pair import Pair
from shoal.registry import Registry, each_once


@dataclass(frozen=True)
class Measure:
    """A measure: what it is, the function that computes it, and what to beware of.

    Parameters
    ----------
    definition
        What stands beside every value of it, and what an external reader may see.
    function
        From a `Pair` and keyword options to a `Score`.
    caution
        From a score to what a person should know before signing, in whole sentences; None where the value says it all.
        Cautions stand in internal reports alone.
    """

    definition: Definition
    function: Callable[..., Score]
    caution: Callable[[Score], Iterable[str]] | None = None

    @property
    def key(self) -> str:
        """Its name."""
        return self.definition.key

    @property
    def options(self) -> frozenset[str]:
        """The keyword options that the function takes."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)


def _check(measure: Measure) -> None:
    """Refuse a key, a range or a word about outsiders that cannot be."""
    what = measure.definition
    if not what.key.isidentifier():
        raise PlanError(f"the key of a measure must be letters, digits and underscores, not {what.key!r}")
    if what.external not in get_args(External):
        raise PlanError(f"external of {what.key} must be {', '.join(get_args(External))}, not {what.external!r}")
    if not what.low <= what.high:
        raise PlanError(f"the range of {what.key} must run from low to high, not from {what.low} to {what.high}")


MEASURES: Registry[Measure] = Registry(
    "measure",
    (
        Measure(squared_error.SSE, squared_error.sse),
        Measure(squared_error.IL_PERCENT, squared_error.il_percent),
        Measure(squared_error.NORMALISED_SSE, squared_error.normalised_sse),
        Measure(squared_error.MSE, squared_error.mse),
        Measure(squared_error.MAE, squared_error.mae),
        Measure(closeness.EMD_MAX, closeness.emd_max),
        Measure(closeness.EMD_AVG, closeness.emd_avg),
        Measure(anonymity.K_MIN, anonymity.k_min),
        Measure(anonymity.K_PRIME, anonymity.k_prime),
        Measure(anonymity.K_LINKED, anonymity.k_linked, caution=anonymity.linked_subjects),
        Measure(anonymity.SUBJECT_RISK, anonymity.subject_risk),
        Measure(statistics.IL, statistics.il),
        Measure(statistics.IL1S, statistics.il1s),
        Measure(linkage.DLD, linkage.dld),
        Measure(disclosure_risk.ID, disclosure_risk.id),
        Measure(disclosure_risk.ID_SD, disclosure_risk.id_sd),
        Measure(disclosure_risk.DR, disclosure_risk.dr),
        Measure(disclosure_risk.SCORE, disclosure_risk.score),
        Measure(distortion.D_X, distortion.d_x),
        Measure(distortion.D_Y, distortion.d_y),
        Measure(diversity.L_AVG, diversity.l_avg),
        Measure(diversity.L_DISTINCT, diversity.l_distinct, caution=diversity.one_value_only),
        Measure(diversity.L_ENTROPY, diversity.l_entropy),
        Measure(diversity.L_RECURSIVE, diversity.l_recursive),
        Measure(diversity.P_SENSITIVE, diversity.p_sensitive),
        Measure(closeness.DELTA_DISCLOSURE, closeness.delta_disclosure),
        Measure(closeness.MUTUAL_INFORMATION, closeness.mutual_information),
        Measure(population.POPULATION_K, population.population_k),
        Measure(population.POPULATION_RISK, population.population_risk),
        Measure(population.POPULATION_IL, population.population_il),
        Measure(population.POPULATION_ERROR, population.population_error),
    ),
    name=attrgetter("key"),
    check=_check,
)
"""Every measure by its key, in the order that tables and reports list them.

``MEASURES.register(measure)`` adds one: `compute`, `shoal measure`, comparisons and reports then know it. An external
reader sees of it what its definition says, and nothing if that does not say.
"""


def compute(pair: Pair, keys: Iterable[str] | None = None, **options: Any) -> Scores:
    """Compute measures of a pair.

    Parameters
    ----------
    pair
        The table and its release.
    keys
        The measures wanted; None for every one that the columns allow.
    options
        Keyword options, handed to the measures that take them: ``subsets``, ``sample``, ``seed``, ``progress``, ``c``,
        ``width``.

    Returns
    -------
    Scores
        By key, in the order asked for.

    Notes
    -----
    Only what is asked is computed, and what several measures need is computed once.

    Examples
    --------
    >>> pair = Pair.of([1.0, 2.0, 3.0, 4.0], [1.5, 1.5, 3.5, 3.5])
    >>> {key: score.value for key, score in compute(pair, ["k_min", "k_prime"]).items()}
    {'k_min': 2.0, 'k_prime': 2.0}
    """
    chosen = [measure for measure in MEASURES.values() if measure.definition.applies(pair)]
    if keys is not None:
        chosen = [MEASURES.named(key) for key in each_once(keys, "keys")]
    if unknown := sorted(set(options) - {name for measure in MEASURES.values() for name in measure.options}):
        raise PlanError(f"no measure takes the option {unknown[0]!r}")
    return Scores(
        {
            measure.key: measure.function(
                pair, **{name: value for name, value in options.items() if name in measure.options}
            )
            for measure in chosen
        }
    )
