"""Every measure by its key, and the one function that computes those asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from shoal.errors import PlanError
from shoal.measure.definition import Definition, Score
from shoal.measure.pair import Pair
from shoal.measure.risk import anonymity, closeness, disclosure_risk, diversity, inference
from shoal.measure.risk import interval_disclosure as interval
from shoal.measure.risk import linkage_disclosure as linkage
from shoal.measure.utility import distortion, il, mse, sse


@dataclass(frozen=True)
class Measure:
    """A measure: what it is, and the function that computes it."""

    definition: Definition
    function: Callable[..., Score]

    @property
    def key(self) -> str:
        """Its name."""
        return self.definition.key

    @property
    def options(self) -> frozenset[str]:
        """The keyword options that the function takes."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        measure.key: measure
        for measure in (
            Measure(sse.SSE, sse.sse),
            Measure(sse.IL_PERCENT, sse.il_percent),
            Measure(mse.NORMALISED_SSE, mse.normalised_sse),
            Measure(mse.MSE, mse.mse),
            Measure(mse.MAE, mse.mae),
            Measure(closeness.EMD_MAX, closeness.emd_max),
            Measure(closeness.EMD_AVG, closeness.emd_avg),
            Measure(anonymity.K_MIN, anonymity.k_min),
            Measure(anonymity.K_PRIME, anonymity.k_prime),
            Measure(il.IL, il.il),
            Measure(il.IL1S, il.il1s),
            Measure(linkage.DLD, linkage.dld),
            Measure(interval.ID, interval.id),
            Measure(interval.ID_SD, interval.id_sd),
            Measure(disclosure_risk.DR, disclosure_risk.dr),
            Measure(disclosure_risk.SCORE, disclosure_risk.score),
            Measure(distortion.D_X, distortion.d_x),
            Measure(distortion.D_Y, distortion.d_y),
            Measure(diversity.L_AVG, diversity.l_avg),
            Measure(diversity.L_DISTINCT, diversity.l_distinct),
            Measure(diversity.L_ENTROPY, diversity.l_entropy),
            Measure(diversity.L_RECURSIVE, diversity.l_recursive),
            Measure(diversity.P_SENSITIVE, diversity.p_sensitive),
            Measure(inference.DELTA_DISCLOSURE, inference.delta_disclosure),
            Measure(inference.MUTUAL_INFORMATION, inference.mutual_information),
        )
    }
)
"""Key to measure, in the order of the specification."""


def compute(pair: Pair, keys: Iterable[str] | None = None, **options: Any) -> dict[str, Score]:
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
    Scores by key, in the order asked for.

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
        chosen = [find(key) for key in dict.fromkeys(keys)]
    if unknown := sorted(set(options) - {name for measure in MEASURES.values() for name in measure.options}):
        raise PlanError(f"no measure takes the option {unknown[0]!r}")
    return {
        measure.key: measure.function(
            pair, **{name: value for name, value in options.items() if name in measure.options}
        )
        for measure in chosen
    }


def find(key: str) -> Measure:
    """Return the measure of a key; refuse a key that there is not."""
    if key not in MEASURES:
        raise PlanError(f"there is no measure {key!r}: choose from {', '.join(MEASURES)}")
    return MEASURES[key]
