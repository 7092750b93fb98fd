"""Probabilistic k-anonymity: a confidential record may belong to any of at least k persons."""

from __future__ import annotations

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.frames import Table
from shoal.protect.guarantee import Demand, Evidence, Judgement
from shoal.protect.k_anonymity import KAnonymity, counted

_HOMOGENEOUS = "Where the records of a group share a confidential value, it is known of all of them."

# Without a number: it goes to strangers too, and a small count is nothing for them.
_UNCHANGED = "Some groups came out unchanged, by chance or because all their records have the same values."


class ProbabilisticKAnonymity(KAnonymity):
    """Confidential records are permuted inside groups of at least k (Soria-Comas et al. 2015, section 2.3)."""

    name = "probabilistic_k_anonymity"
    summary = "the confidential values of a record are equally likely to belong to any of at least k records"
    not_promised = "quasi-identifiers are the original ones: that a person is in the table is not hidden"
    in_streams = False  # a stream releases averages

    def is_asked(self, demand: Demand) -> bool:
        """Of a permutation."""
        return demand.permuted

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Check that nothing moved but confidential records, and those inside their groups."""
        original, released = evidence.original, evidence.released
        smallest = int(evidence.class_sizes.min())
        kept = all(
            np.array_equal(original.class_codes(name), released.class_codes(name)) for name in demand.quasi_identifiers
        )
        before, after = _confidential_records(evidence, tuple(demand.confidential))
        unchanged = _unchanged_groups(evidence.classes, before, after)
        notes = [
            self.caveat(),
            *([_HOMOGENEOUS] if not demand.sections else []),
            *([_UNCHANGED] if unchanged else []),
        ]
        return Judgement(
            name=self.name,
            asked=demand.k,
            achieved=smallest,
            holds=smallest >= demand.k and kept and _same_contents(before, after),
            definition=(
                "the confidential values of a record are equally likely to belong to any of " + counted(demand)
            ),
            note=" ".join(notes),
            detail={"unchanged_groups": unchanged} if unchanged else {},
        )


def _confidential_records(evidence: Evidence, names: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the confidential records of each group, equal ones alike, before and after."""
    before_and_after = (evidence.original, evidence.released)
    both = Table.of(nw.concat([table.frame.select(names) for table in before_and_after]))
    labels = np.concatenate([evidence.classes, evidence.classes])
    before, after = np.split(equivalence_classes([labels, *(both.class_codes(name) for name in names)]), 2)
    return before, after


def _same_contents(before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
    """Whether each group holds the same confidential records, in whatever order, before and after."""
    count = int(max(before.max(), after.max())) + 1
    return np.array_equal(np.bincount(before, minlength=count), np.bincount(after, minlength=count))


def _unchanged_groups(groups: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]) -> int:
    """Count the groups of which every record has the confidential values that it had."""
    return int(groups.max()) + 1 - len(np.unique(groups[before != after]))
