"""What external readers are told that a measure does not exceed: no more than follows from what else they have."""

from __future__ import annotations

import math
from collections.abc import Mapping

from shoal.measures import Score


def bounds_of(
    scores: Mapping[str, Score], classes: int, records: int, lost: Mapping[str, tuple[int, int] | None]
) -> dict[str, float]:
    """Return bounds of the measures that external readers see no value of.

    Parameters
    ----------
    scores
        Scores by key.
    classes, records
        How many classes the release has, and how many records.
    lost
        By column, between which percents of its variance the loss is told; None where it is not.

    Notes
    -----
    Linked records: the records of a class are released alike, so they have the same nearest originals, and share one
    link between them; of n records in c classes no more than c are linked, 100 · c / n percent.

    Information lost: the mean over the columns of what each lost of its variance, so no more than the mean of what is
    told of them.
    """
    bounds = {"dld": float(math.ceil(100 * classes / records))}
    if "il_percent" in scores:
        published = [lost.get(name) for name in scores["il_percent"].columns]
        known = [each[1] for each in published if each is not None]
        if len(known) == len(published):
            bounds["il_percent"] = float(math.ceil(sum(known) / len(known)))
    # Records by another tool may be released alike and not by means: what is not so is not said.
    return {key: bound for key, bound in bounds.items() if key in scores and scores[key].value <= bound}
