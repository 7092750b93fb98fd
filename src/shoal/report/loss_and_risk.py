"""Loss and risk in one line: what a release lost of the quasi-identifiers, and how often a guess finds a person."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.measures import measure_release
from shoal.plan import Plan, ReleaseMode
from shoal.report.wording import number, plural
from shoal.run.release import Release


class LossAndRisk(NamedTuple):
    """What a release lost, and what its classes leave to a guess: those of a permutation are its groups."""

    size: str  # how many classes there are, and of how many
    sentence: str  # loss and risk in one line


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
    # Subjects of each class that an outsider sees, which are records where each is its own.
    sizes, of = scores["k_min"].groups["size"], "record" if plan.subject_column() is None else "subject"
    smallest, largest = int(sizes.min()), int(sizes.max())
    # One guess in each class for each of its subjects: on average as in a class of mean size.
    greatest, mean = 100 / smallest, 100 / float(np.mean(sizes))
    risk = f"is right in {number(greatest, 3)} % at most, {number(mean, 3)} % on average"
    if plan.release is ReleaseMode.PERMUTE:  # confidential values were shuffled
        many = plural(len(sizes), "group")
        sentence = (
            f"loss: quasi-identifiers stay as they are; risk: that a confidential value is the person's own {risk}"
        )
    else:
        many = plural(len(sizes), "class", "classes")
        lost = number(scores["il_percent"].value, 3)
        sentence = (
            f"loss: {lost} % of the information in the quasi-identifiers; risk: a guess in the class of a person {risk}"
        )
    least = "" if smallest == largest else f"{smallest:,} to "
    return LossAndRisk(f"{many} of {least}{plural(largest, of)}", sentence)
