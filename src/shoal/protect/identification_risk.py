"""Identification risk: the chance to find a person by guessing among all who share the released quasi-identifiers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, model_validator

from shoal.classes import subjects_of_each
from shoal.encode import Subjects, read_subjects, read_weights
from shoal.errors import DataError, GuaranteeError
from shoal.frames import Table
from shoal.options import Options
from shoal.protect.dominance import BoundedShares
from shoal.protect.guarantee import Demand, Evidence, Forecast, Guarantee, Judgement
from shoal.protect.rules import Rule

PROFILES: Mapping[str, float] = {"public": 1 / 11, "restricted": 1 / 5}
"""Thresholds by name: classes of eleven (0.09) for the public, of five (0.2) for known recipients."""


def _threshold(value: float | str) -> float | str:
    if value not in PROFILES if isinstance(value, str) else not 0 < value <= 1:
        names = " or ".join(map(repr, PROFILES))
        raise ValueError(f"a threshold is above 0 and at most 1, or {names}, and {value!r} is not")
    return value


Threshold = Annotated[float | str, AfterValidator(_threshold)]
LEAST_FRACTION = 1e-10
"""The least share of a population that a table can be: one person of more than there are on earth."""

SLACK = 1e-9
"""A class that is just at the threshold passes, however its risk rounds."""

_FEW = 50
"""Below it the recurrence is used where the fraction is small; the series converges fast everywhere else."""


class RiskOptions(Options):
    """What the keys of ``[risk]`` have in common: each guarantee adds its own."""

    @model_validator(mode="after")
    def _asks_something(self) -> RiskOptions:
        asked = {key: getattr(self, key, None) is not None for key in ("prosecutor", "journalist", "marketer")}
        if not any(asked.values()):
            raise ValueError("asks for nothing: give prosecutor, journalist or marketer")
        if getattr(self, "fraction", None) is not None and not (asked["journalist"] or asked["marketer"]):
            raise ValueError("fraction changes nothing here: only journalist and marketer look at the population")
        return self


class IdentificationRisk(Guarantee):
    """A bound on the risk of every class, or on its mean: what the three adversaries have in common."""

    section = "risk"
    of_population: ClassVar[bool]
    """Whether it counts those of the population who share a class, or those of the table alone."""
    meaning: ClassVar[str]
    """What holds, in a sentence with a place for the threshold."""

    def reached(self, risks: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
        """Return the risk of a table from that of its classes and their subjects: the greatest."""
        return float(risks.max())

    def check_options(self, demand: Demand) -> None:
        """Refuse what would promise nothing."""
        section: Any = demand.sections[self.section]
        if demand.permuted:
            raise ValueError(
                f'risk.{self.key} needs masked quasi-identifiers, and release = "permute" leaves them as they are'
            )
        if section.fraction is not None and demand.weights is not None:
            raise ValueError("risk.fraction and weights both say how large the population is: leave one of them out")

    def threshold(self, demand: Demand) -> float:
        """Return the largest risk that the plan allows."""
        asked = getattr(demand.sections[self.section], self.key)
        return PROFILES[asked] if isinstance(asked, str) else float(asked)

    def fewest(self, demand: Demand) -> int | None:
        """Return the subjects that a class needs; None where that depends on the weights of its records."""
        if self.of_population and demand.weights is not None:
            return None
        return fewest_subjects(self.threshold(demand), self._fraction(demand))

    def _fraction(self, demand: Demand) -> float:
        """Return the share of those who are counted that is in the table; weights say it otherwise."""
        section: Any = demand.sections[self.section]
        return (section.fraction or 1.0) if self.of_population else 1.0

    def rules(self, demand: Demand, table: Table) -> tuple[Rule, ...]:
        """Return a rule that merges groups of too few subjects; none where k is enough."""
        fewest = self.fewest(demand)
        if fewest is None or fewest <= demand.k:
            return ()
        whose = None if demand.subject is None else read_subjects(table, demand.subject).numbers
        return (BoundedShares.of(f"a group, for risk.{self.key}", np.ones(len(table)), whose, 1 / fewest),)

    def require_feasible(
        self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None, subjects: Subjects | None = None
    ) -> None:
        """The table, or each value of ``by``, must have as many subjects as a class needs."""
        fewest = self.fewest(demand)
        for rule in rules:
            parts = np.zeros(len(rule.attribute), dtype=np.int64) if domains is None else domains
            there = int(subjects_of_each(parts, None if subjects is None else subjects.numbers).min())
            if fewest is not None and there < fewest:
                raise GuaranteeError(
                    f"risk.{self.key} = {self.threshold(demand):.4g} needs classes of at least {fewest} subjects, and "
                    f"there are {there}: allow a larger risk",
                    reached=1 / there,
                )

    def forecast(self, demand: Demand, rules: Sequence[Rule]) -> Forecast:
        """Groups as large as the risk asks."""
        fewest, asked = self.fewest(demand), f"risk.{self.key} = {self.threshold(demand):.4g}"
        if fewest is None:
            sentence = f"{asked} is judged by the weights of every class: where it fails, a larger k is needed"
            return Forecast(demand.k, (sentence,))
        if fewest <= demand.k:
            return Forecast(demand.k)
        sentence = (
            f"{asked} asks for classes of at least {fewest}: smaller groups are merged, and k = {fewest} loses less"
        )
        return Forecast(fewest, (sentence,))

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Estimate the risk of every class of the released table."""
        sizes = evidence.class_sizes
        shares: NDArray[np.float64] | float = self._fraction(demand)
        if self.of_population and demand.weights is not None:
            weights = read_weights(evidence.original, demand.weights)
            shares = shares_of_classes(sizes, evidence.classes, weights, evidence.subject_numbers)
        risks = expected_risk(sizes, shares)
        threshold, reached = self.threshold(demand), self.reached(risks, sizes)
        return Judgement(
            name=self.name,
            asked=float(f"{threshold:.6g}"),
            achieved=float(f"{reached:.6g}"),
            holds=reached <= threshold * (1 + SLACK),
            definition=self.meaning.format(threshold),
            note=self.caveat(),
            detail={"mean risk": float(f"{(risks @ sizes) / sizes.sum():.6g}")},
        )


def expected_risk(sizes: NDArray[np.int64], fraction: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the expected chance to find a person, 1 / people of the population, by the sampled people of its class.

    Given f sampled of a class, its people in the population are f and a negative binomial of the others (Benedetti and
    Franconi 1998; Polettini 2003): E(1/F | f) = ∫₀¹ u^(f−1)·p / (p + (1−p)·u) du, which is 1/f where all are sampled,
    p·ln(1/p) / (1−p) for f = 1, and more than p/f always. It follows the recurrence I(f+1) = p/(1−p)·(1/f − I(f)),
    which is stable for p below one half, and p/f·₂F₁(1, 1; f+1; 1−p), whose series converges fast elsewhere.

    >>> expected_risk(np.array([1, 5]), 1.0).tolist()
    [1.0, 0.2]
    >>> expected_risk(np.array([1, 5]), 0.1).round(4).tolist()
    [0.2558, 0.0242]
    """
    p = np.broadcast_to(fraction, sizes.shape)
    by_steps = (p < 0.5) & (sizes < _FEW)
    result = np.empty(len(sizes))
    result[~by_steps] = _by_series(sizes[~by_steps], p[~by_steps])
    if by_steps.any():
        result[by_steps] = _by_recurrence(sizes[by_steps], p[by_steps])
    return result


def _by_series(f: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    term, total = np.ones(len(f)), np.ones(len(f))
    for n in range(200):
        term = term * (n + 1) * (1 - p) / (f + 1 + n)
        total += term
        if (term <= 1e-17 * total).all():
            break
    return np.asarray(p / f * total)


def _by_recurrence(f: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = p / (1 - p)
    value = -odds * np.log(p)
    result = value.copy()
    for size in range(1, int(f.max())):
        value = odds * (1 / size - value)
        result = np.where(f == size + 1, value, result)
    return result


def fewest_subjects(threshold: float, fraction: float) -> int:
    """Return the smallest class whose expected risk is within a threshold.

    >>> fewest_subjects(0.2, 1.0), fewest_subjects(1 / 11, 1.0), fewest_subjects(0.09, 1.0), fewest_subjects(0.09, 0.1)
    (5, 11, 12, 2)
    """
    low, high = 1, math.ceil(1 / threshold)
    while low < high:
        middle = (low + high) // 2
        if expected_risk(np.array([middle]), fraction)[0] <= threshold * (1 + SLACK):
            high = middle
        else:
            low = middle + 1
    return low


def people_of_classes(
    classes: NDArray[np.int64], weights: NDArray[np.float64], subjects: NDArray[np.int32] | None
) -> NDArray[np.float64]:
    """Return the people that each class stands for, at least those that it has.

    Records of one subject in one class are one person, by the least of their weights.
    """
    if subjects is not None:
        order = np.lexsort((weights, subjects, classes))
        classes, weights, subjects = classes[order], weights[order], subjects[order]
        first = np.append(True, (classes[1:] != classes[:-1]) | (subjects[1:] != subjects[:-1]))
        classes, weights = classes[first], weights[first]
    return np.maximum(np.bincount(classes, weights), np.bincount(classes))


def shares_of_classes(
    sizes: NDArray[np.int64],
    classes: NDArray[np.int64],
    weights: NDArray[np.float64],
    subjects: NDArray[np.int32] | None,
) -> NDArray[np.float64]:
    """Return the share of the people of each class that was sampled, by `people_of_classes`; ``sizes`` were."""
    shares = sizes / people_of_classes(classes, weights, subjects)
    if shares.min() < LEAST_FRACTION:
        raise DataError(
            f"weights must not say that a person stands for more than {1 / LEAST_FRACTION:,.0f} people, and in a class "
            "they do: are they sampling weights?"
        )
    return shares
