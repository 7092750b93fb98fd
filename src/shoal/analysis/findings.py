"""Findings: the utility of a release in a few numbers, each with a word and a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shoal.analysis.result import Utility

Verdict = Literal["kept", "shifted", "lost"]
"""A finding in a word, by the limits of `LIMITS`."""

LIMITS: Mapping[str, tuple[float, float]] = {
    "distributions": (0.05, 0.15),
    "associations": (0.05, 0.15),
    "models": (0.8, 0.5),
    "prediction": (0.95, 0.8),
    "propensity": (3.0, 10.0),
}
"""Up to where a finding counts as kept, and up to where as shifted, by its key; beyond, it is lost.

Those of propensity are what Raab, Nowok and Dibben 2021 recommend; the others are conventions of shoal, chosen so that
*kept* is a difference that hardly shows in a table with two digits.
"""


@dataclass(frozen=True)
class Finding:
    """One number for page one, in words."""

    key: str  # ``distributions``, ``associations``, ``models``, ``prediction`` or ``propensity``
    title: str  # what it speaks of
    value: float  # the number
    verdict: Verdict  # the number in a word
    # what it means, with the worst case by name. It compares with the original, so it stays with the original
    sentence: str


def verdict_of(key: str, value: float) -> Verdict:
    """Return a number in a word.

    >>> verdict_of("distributions", 0.04), verdict_of("models", 0.7), verdict_of("propensity", 30.0)
    ('kept', 'shifted', 'lost')
    """
    sign = -1 if key in ("models", "prediction") else 1  # where more is better
    near, far = LIMITS[key]
    return "kept" if sign * value <= sign * near else "shifted" if sign * value <= sign * far else "lost"


def findings_of(utility: Utility) -> tuple[Finding, ...]:
    """Return the findings of a result, the most tangible first."""
    return (
        *_distributions(utility),
        *_associations(utility),
        *_models(utility),
        *_prediction(utility),
        *_propensity(utility),
    )


def _finding(key: str, title: str, value: float, sentence: str) -> Finding:
    return Finding(key, title, value, verdict_of(key, value), sentence)


def _distributions(utility: Utility) -> Iterator[Finding]:
    changed = [column for column in utility.columns if column.changed]
    mean = _mean([column.distance for column in changed])
    sentence = "No column changed."
    if changed:
        worst = max(changed, key=attrgetter("distance"))
        sentence = (
            f"The distributions of the {len(changed)} columns that changed are {mean:.2f} apart on average, where 0 is "
            f"the same and 1 nothing in common; most of all {worst.column}, {worst.distance:.2f}."
        )
    yield _finding("distributions", "Distributions of columns", mean, sentence)


def _associations(utility: Utility) -> Iterator[Finding]:
    changed = [pair for pair in utility.pairs if pair.changed]
    if not changed:
        return
    mean = _mean([abs(pair.change) for pair in changed])
    worst = max(changed, key=lambda pair: abs(pair.change))
    sentence = (
        f"How strongly two columns hang together, from 0 to 1, moves by {mean:.2f} on average over "
        f"{len(changed)} pairs; most of all {' and '.join(worst.columns)}, from {worst.before:.2f} to "
        f"{worst.after:.2f}."
    )
    yield _finding("associations", "Relations between columns", mean, sentence)


def _models(utility: Utility) -> Iterator[Finding]:
    if not utility.models:
        return
    mean = _mean([model.overlap for model in utility.models])
    worst = min(utility.models, key=attrgetter("overlap"))
    terms = [each for model in utility.models for each in model.coefficients if each.term != "intercept"]
    same = [each.same_conclusion for each in terms if each.same_conclusion is not None]
    sentence = (
        f"Confidence intervals of regressions overlap by {100 * mean:.0f}\N{NO-BREAK SPACE}% on average, least in "
        f"{worst.formula} ({100 * worst.overlap:.0f}\N{NO-BREAK SPACE}%); {sum(same)} of {len(same)} coefficients "
        "lead to the same conclusion."
    )
    yield _finding("models", "Regressions", mean, sentence)


def _prediction(utility: Utility) -> Iterator[Finding]:
    shares = [(each.retained, each.target) for each in utility.predictions if each.retained is not None]
    if not shares:
        return
    mean = _mean([retained for retained, _ in shares])
    least, worst = min(shares, key=lambda each: each[0])
    sentence = (
        f"Models that learn from the release keep {100 * mean:.0f}\N{NO-BREAK SPACE}% of what models learn from the "
        f"original, tested on original records; least for {worst}, {100 * least:.0f}\N{NO-BREAK SPACE}%."
    )
    yield _finding("prediction", "Prediction", mean, sentence)


def _propensity(utility: Utility) -> Iterator[Finding]:
    ratio = utility.propensity.ratio
    sentence = (
        f"A model that tells released records from original ones does {ratio:.1f} times what it does with two "
        "samples of one population (pMSE ratio)."
    )
    yield _finding("propensity", "Telling the tables apart", ratio, sentence)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
