"""k-Anonymity of histories: whoever follows a pseudonym sees the same as of at least k − 1 others."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.encode import Subjects, subject_texts
from shoal.errors import DataError
from shoal.options import Options
from shoal.protect.guarantee import Demand, Evidence, Guarantee, Judgement


class HistoryOptions(Options):
    """The key of the plan that asks for it."""

    keep_subject: Literal["pseudonym"] | None = Field(None, description="release the subject as a pseudonym")


class HistoryKAnonymity(Guarantee):
    """At least k pseudonyms whose rows, all taken together, have the same quasi-identifiers."""

    name = "history_k_anonymity"
    section = ""
    options = HistoryOptions
    key = "keep_subject"
    example = 'subject = "name"\nkeep_subject = "pseudonym"'
    summary = (
        "whoever follows a pseudonym through the release finds the same combinations of quasi-identifiers as with at "
        "least k − 1 other pseudonyms"
    )
    not_promised = (
        "how many rows a pseudonym has, and which confidential values follow each other in them, is not masked: who "
        "knows either may know the person"
    )

    def is_asked(self, demand: Demand) -> bool:
        """Where subjects leave as pseudonyms."""
        return demand.pseudonym is not None

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Compare the histories that a reader of the released table puts together by its pseudonyms."""
        name = demand.pseudonym
        assert name is not None
        if name not in evidence.released.names:
            raise DataError(f"the released table does not have {name!r}, which the plan says holds pseudonyms")
        pseudonyms = np.unique(evidence.released.class_codes(name), return_inverse=True)[1]
        smallest = int(alike_histories(pseudonyms, evidence.classes).min())
        faults = [*_mismatches(pseudonyms, evidence.subjects), *_still_named(name, evidence)]
        definition = (
            f"the rows of each pseudonym ({name}), all taken together, have the same combinations of "
            f"quasi-identifier values as those of at least {demand.k - 1} other pseudonyms"
        )
        holds = smallest >= demand.k and not faults
        return Judgement(self.name, demand.k, smallest, holds, definition, " ".join([*faults, self.caveat()]))


def alike_histories(pseudonyms: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each pseudonym how many, itself included, have rows in exactly the same classes.

    >>> alike_histories(np.array([0, 0, 1, 2, 2]), np.array([5, 5, 5, 5, 6])).tolist()
    [2, 2, 1]
    """
    count = int(classes.max()) + 1
    pairs = np.unique(pseudonyms * count + classes)
    who, where = pairs // count, pairs % count
    lengths = np.bincount(who)
    first = np.cumsum(lengths) - lengths
    # Nearly all histories are in one class: they are counted by it. A history in several is one of its own kind.
    single = lengths == 1
    alike = np.bincount(where[first[single]], minlength=count)[where[first]]
    several = np.flatnonzero(~single)
    keys = [where[first[i] : first[i] + lengths[i]].tobytes() for i in several]
    sizes = Counter(keys)
    alike[several] = [sizes[key] for key in keys]
    return np.asarray(alike)


def _mismatches(pseudonyms: NDArray[np.int64], subjects: Subjects | None) -> list[str]:
    """Say where pseudonyms and subjects are not one to one."""
    if subjects is None:
        return []
    count = int(pseudonyms.max()) + 1
    pairs = len(np.unique(subjects.numbers.astype(np.int64) * count + pseudonyms))
    shared = ["A pseudonym stands for several subjects."] if pairs > count else []
    return [*shared, "A subject has several pseudonyms."] if pairs > subjects.count else shared


def _still_named(name: str, evidence: Evidence) -> list[str]:
    """Say where the column of pseudonyms still holds subjects."""
    if name not in evidence.original.names:
        return []
    left = {*subject_texts(evidence.original, name)} & {*subject_texts(evidence.released, name)}
    if len(left) == 1:
        return ["1 subject is released by the name it had."]
    return [f"{len(left):,} subjects are released by the name they had."] if left else []
