"""Loss and risk in one line: what a release lost of the quasi-identifiers, and how often a guess finds a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.measures import measure_release
from shoal.plan import Plan, ReleaseMode
from shoal.report.wording import number, plural
from shoal.run.release import Release


@dataclass(frozen=True)
class LossAndRisk:
    """What a release lost, and what its classes leave to a guess.

    Parameters
    ----------
    classes
        How many classes an outsider sees: records whose released quasi-identifiers are all alike. Of a permutation, the
        groups that confidential values are shuffled in.
    smallest, largest
        Subjects of the smallest and of the largest class.
    mean
        Subjects of a class on average.
    lost
        Percentage of the information in the quasi-identifiers that is lost (`il_percent`).
    of
        What a subject is: ``subject``, or ``record`` where each is its own.
    permuted
        Whether confidential values were shuffled, and quasi-identifiers stay.
    """

    classes: int
    smallest: int
    largest: int
    mean: float
    lost: float
    of: str
    permuted: bool

    @property
    def greatest_risk(self) -> float:
        """Percentage of right guesses in the smallest class."""
        return 100 / self.smallest

    @property
    def mean_risk(self) -> float:
        """Percentage of right guesses, one in each class for each of its subjects."""
        return 100 / self.mean

    @property
    def size(self) -> str:
        """Say how many classes there are, and of how many."""
        many = plural(self.classes, "group") if self.permuted else plural(self.classes, "class", "classes")
        least = "" if self.smallest == self.largest else f"{self.smallest:,} to "
        return f"{many} of {least}{plural(self.largest, self.of)}"

    @property
    def sentence(self) -> str:
        """Say loss and risk in one line."""
        risk = f"is right in {number(self.greatest_risk, 3)} % at most, {number(self.mean_risk, 3)} % on average"
        if self.permuted:
            return (
                f"loss: quasi-identifiers stay as they are; risk: that a confidential value is the person's own {risk}"
            )
        return (
            f"loss: {number(self.lost, 3)} % of the information in the quasi-identifiers; risk: a guess in the class "
            f"of a person {risk}"
        )


def loss_and_risk(original: Any, release: Release, plan: Plan) -> LossAndRisk:
    """Measure what a release lost, and what its classes leave to a guess.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67, 70]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> outcome = loss_and_risk(frame, shoal.anonymize(frame, plan), plan)
    >>> outcome.size
    '2 classes of 2 to 3 records'
    >>> outcome.sentence[-80:]
    'risk: a guess in the class of a person is right in 50 % at most, 40 % on average'
    """
    scores = measure_release(original, release, plan, keys=["il_percent", "k_min"])
    sizes = scores["k_min"].groups["size"]
    return LossAndRisk(
        classes=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        mean=float(np.mean(sizes)),
        lost=scores["il_percent"].value,
        of="record" if plan.subject_column() is None else "subject",
        permuted=plan.release is ReleaseMode.PERMUTE,
    )
