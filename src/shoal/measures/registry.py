"""Every measure by its key, how one is added, and the one function that computes those asked for."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, get_args

from shoal.errors import PlanError
from shoal.measures.anonymity import k_linked, k_min, k_prime, subject_risk
from shoal.measures.closeness import delta_disclosure, emd_avg, emd_max, mutual_information
from shoal.measures.declaration import Measure
from shoal.measures.definition import External, Scores
from shoal.measures.disclosure_risk import dr, id, id_sd, score
from shoal.measures.diversity import l_avg, l_distinct, l_entropy, l_recursive, p_sensitive
from shoal.measures.linkage import dld
from shoal.measures.pair import Pair
from shoal.measures.population import population_error, population_il, population_k, population_risk
from shoal.measures.squared_error import d_x, d_y, il_percent, mae, mse, normalised_sse, sse
from shoal.measures.statistics import il, il1s
from shoal.registry import Registry, each_once


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
    [
        function.measure
        for functions in (
            (sse, il_percent, normalised_sse, mse, mae),
            (emd_max, emd_avg, k_min, k_prime, k_linked, subject_risk),
            (il, il1s, dld, id, id_sd, dr, score, d_x, d_y),
            (l_avg, l_distinct, l_entropy, l_recursive, p_sensitive, delta_disclosure, mutual_information),
            (population_k, population_risk, population_il, population_error),
        )
        for function in functions
    ],
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
    scores = Scores()
    for measure in chosen:
        taken = {name: value for name, value in options.items() if name in measure.options}
        scores[measure.key] = measure.function(pair, **taken)
    return scores
