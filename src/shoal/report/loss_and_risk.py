"""Loss and risk in one line: what a release lost of the quasi-identifiers, and how often a guess finds a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.measures import measure_release
from shoal.plan import Plan, ReleaseMode
from shoal.report.wording import number, plural
from shoal.run.release import Release


@dataclass(frozen=True, eq=False)
class LossAndRisk:
    """What a release lost, and what its classes leave to a guess: those of a permutation are its groups."""

    # sizes: subjects of each class an outsider sees, which are records where each is its own
    sizes: NDArray[np.int64]
    of: str  # what is counted: ``subject``, or ``record``
    lost: float  # percentage of the information in the quasi-identifiers (`il_percent`)
    permuted: bool  # confidential values were shuffled, and quasi-identifiers stay

    @property
    def size(self) -> str:
        """Say how many classes there are, and of how many."""
        classes, smallest, largest = len(self.sizes), int(self.sizes.min()), int(self.sizes.max())
        many = plural(classes, "group") if self.permuted else plural(classes, "class", "classes")
        least = "" if smallest == largest else f"{smallest:,} to "
        return f"{many} of {least}{plural(largest, self.of)}"

    @property
    def sentence(self) -> str:
        """Say loss and risk in one line."""
        # One guess in each class for each of its subjects: on average as in a class of mean size.
        greatest, mean = 100 / int(self.sizes.min()), 100 / float(np.mean(self.sizes))
        risk = f"is right in {number(greatest, 3)} % at most, {number(mean, 3)} % on average"
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
    return LossAndRisk(
        sizes=scores["k_min"].groups["size"],
        of="record" if plan.subject_column() is None else "subject",
        lost=scores["il_percent"].value,
        permuted=plan.release is ReleaseMode.PERMUTE,
    )
