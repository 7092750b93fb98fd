"""Dominance: no record, and no subject by all of its records, makes too much of a mean that stands for its class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import _core
from shoal.classes import equivalence_classes
from shoal.encode import Subjects, read_subjects, read_weights
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.guarantee import Demand, Evidence, Forecast, Guarantee, Judgement
from shoal.protect.k_anonymity import released_classes
from shoal.protect.rules import Rule, worst_breach

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]

WITH_WEIGHTS = 0.5
"""The largest share where a plan has weights and does not say: the others of a class make at least as much."""

_SLACK = 1e-9
"""A contributor that has just the share passes, however the sum of the others rounds."""


class DominanceOptions(Options):
    """The key of the plan that asks for it."""

    dominance: Share | None = Field(
        None,
        description="largest share that one record, or one subject by all of its records, may have of its group's mean "
        "(0.5 with weights, otherwise not asked)",
    )


@dataclass(frozen=True, eq=False)
class BoundedShares:
    """No contributor has more than a share of what the records of a group weigh together.

    Parameters
    ----------
    attribute
        A code for each record, those of a contributor side by side.
    weights, contributors
        By code: how much the record counts, at least 0, and whose it is.
    share
        The largest that one contributor may have.

    Notes
    -----
    The dominance rule of tables of magnitudes, for one contributor (Hundepool et al. 2012), on the weights behind a
    mean. A union of groups has no larger share than the worse of its parts.

    Examples
    --------
    >>> from shoal.protect.rules import met
    >>> rule = BoundedShares.of("the mean", np.array([5.0, 1.0, 1.0, 3.0, 3.0]), None, 0.5)
    >>> met([rule], np.array([0, 0, 0, 1, 1]), 2).tolist()
    [False, True]
    """

    attribute: Confidential
    weights: NDArray[np.float64]
    contributors: NDArray[np.int32]
    share: float

    @classmethod
    def of(
        cls, name: str, weights: NDArray[np.float64], contributors: NDArray[np.int32] | None, share: float
    ) -> BoundedShares:
        """Make the rule from the weight and the contributor of each record; without contributors, each is its own."""
        whose = np.arange(len(weights), dtype=np.int32) if contributors is None else contributors
        order = np.argsort(whose, kind="stable")
        return cls(Confidential.ordered(np.argsort(order), name=name), weights[order], whose[order], share)

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"every share at or below {self.share:g}"

    def reached(self, shortfall: float) -> float:
        """The largest share in a group with this shortfall."""
        return shortfall * self.share

    @cached_property
    def kernel(self) -> _core.Dominance:
        """Adds up the weights of each contributor."""
        return _core.Dominance(self.attribute.kernel, self.weights, self.contributors, self.share)


class Dominance(Guarantee):
    """The mean of a class is made by many: where one made most of it, it would tell that one's value."""

    name = "dominance"
    section = ""
    options = DominanceOptions
    key = "dominance"
    example = "dominance = 0.2"
    summary = "no record, and no subject by all of its records, makes more than a share of a mean of its class"
    not_promised = "how near a mean lies to the values behind it is not limited: they may all be alike"
    largest_is_worst = True

    def is_asked(self, demand: Demand) -> bool:
        """Whether the plan names a share, or weights."""
        return demand.dominance is not None

    def rules(self, demand: Demand, table: Table) -> tuple[Rule, ...]:
        """Return one rule for all means over every record of a group, and one for each over those that have a value."""
        weights, share = _weights(demand, table), _asked(demand)
        contributors = None if demand.subject is None else read_subjects(table, demand.subject).numbers
        rules = []
        for name, missing in _different_means(table, demand.averaged):
            behind = weights if missing is None else np.where(missing, 0.0, weights)
            rules.append(BoundedShares.of(f"the mean of {name!r}", behind, contributors, share))
        return tuple(rules)

    def require_feasible(
        self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None, subjects: Subjects | None = None
    ) -> None:
        """All records of the table, or of each domain, must have enough beside the heaviest."""
        for rule in rules:
            coarsest = np.zeros(len(rule.attribute), dtype=np.int64) if domains is None else domains
            breach = worst_breach(rule, coarsest)
            if breach is None:
                continue
            remedy = "" if demand.weights is None else f", or lower its weight in {demand.weights!r}"
            raise GuaranteeError(
                f"dominance = {_asked(demand):g} cannot be kept: even of all records together, one {_whom(demand)} "
                f"makes {breach.reached:.4g} of {rule.attribute.name}; allow a larger share{remedy}",
                reached=breach.reached,
            )

    def forecast(self, demand: Demand, rules: Sequence[Rule]) -> Forecast:
        """At least so many records that equal ones keep the share, and more where one weighs more."""
        share = _asked(demand)
        fewest = math.ceil(1 / Fraction(str(share)))
        whom = _whom(demand)
        sentence = f"no {whom} may make more than {share:g} of its group's mean: groups in which one does are merged"
        return Forecast(max(demand.k, fewest), (sentence,) if share < 1 else ())

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Add up, in every class of the released table, the original weights of the records behind each mean."""
        share, original = _asked(demand), evidence.original
        weights = _weights(demand, original)
        largest = 0.0
        for block in evidence.blocks or (demand.quasi_identifiers,):
            is_every_column = len(block) == len(demand.quasi_identifiers)
            classes = evidence.classes if is_every_column else released_classes(evidence.released, demand, block)
            for _, missing in _different_means(original, [name for name in block if name in demand.averaged]):
                largest = max(largest, largest_share(classes, weights, evidence.subject_numbers, missing))
        means = "mean" if demand.weights is None else "weighted mean"
        return Judgement(
            name=self.name,
            asked=share,
            achieved=float(f"{largest:.9g}"),  # a sum of weights that rounded is not shown as more than it is
            holds=largest <= share * (1 + _SLACK),
            definition=f"no {_whom(demand)} makes more than {share:g} of a {means} that stands for its class",
        )


def largest_share(
    classes: NDArray[np.int64],
    weights: NDArray[np.float64],
    contributors: NDArray[np.int32] | None,
    missing: NDArray[np.bool_] | None,
) -> float:
    """Return the largest share that one contributor has of the weights of its class; 0 where nobody has a value.

    >>> classes, weights = np.array([0, 0, 0, 1, 1]), np.array([2.0, 1.0, 1.0, 1.0, 3.0])
    >>> largest_share(classes, weights, None, None)
    0.75
    >>> largest_share(classes[:3], weights[:3], np.array([0, 1, 0]), None)
    0.75
    """
    if missing is not None:
        classes, weights = classes[~missing], weights[~missing]
        contributors = None if contributors is None else contributors[~missing]
    if len(classes) == 0:
        return 0.0
    # In units of the heaviest of each class, so that neither huge nor tiny weights leave the range of numbers.
    unit = np.zeros(int(classes.max()) + 1)
    np.maximum.at(unit, classes, weights)
    weights = weights / unit[classes]
    totals = np.bincount(classes, weights)
    if contributors is None:
        return float((weights / totals[classes]).max())
    pairs = equivalence_classes([classes, contributors])
    return float((np.bincount(pairs, weights)[pairs] / totals[classes]).max())


def _asked(demand: Demand) -> float:
    assert demand.dominance is not None, "only of a plan that asks for it"
    return demand.dominance


def _weights(demand: Demand, table: Table) -> NDArray[np.float64]:
    return np.ones(len(table)) if demand.weights is None else read_weights(table, demand.weights)


def _whom(demand: Demand) -> str:
    return "record" if demand.subject is None else f"subject ({demand.subject})"


def _different_means(table: Table, names: Iterable[str]) -> Iterator[tuple[str, NDArray[np.bool_] | None]]:
    """Name the columns whose means are made by different records, and where each has no value.

    Those with a value in every record are alike, so that one of them stands for all.
    """
    complete = False
    for name in names:
        missing = table.missing(name)
        if missing is not None or not complete:
            yield name, missing
        complete |= missing is None
