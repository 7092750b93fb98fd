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


class ProbabilisticKAnonymity(KAnonymity):
    """Confidential records are permuted inside groups of at least k (Soria-Comas et al. 2015, section 2.3)."""

    name = "probabilistic_k_anonymity"
    example = 'release = "permute"'
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
        unchanged = all(
            np.array_equal(original.class_codes(name), released.class_codes(name)) for name in demand.quasi_identifiers
        )
        before, after = _confidential_records(original, released, evidence.classes, tuple(demand.confidential))
        # Each group holds the same confidential records as before, in whatever order.
        is_permuted = np.array_equal(np.bincount(before), np.bincount(after))
        holds = smallest >= demand.k and unchanged and is_permuted
        definition = f"the confidential values of a record are equally likely to belong to any of {counted(demand)}"
        note = self.caveat() if demand.protects_confidential else f"{self.caveat()} {_HOMOGENEOUS}"
        return Judgement(self.name, demand.k, smallest, holds, definition, note)


def unchanged_groups(original: Table, released: Table, groups: NDArray[np.int64], names: tuple[str, ...]) -> int:
    """Count the groups of which every record has the confidential values that it had.

    That is by chance, which no reader can know, or because all records of the group have the same values.
    """
    before, after = _confidential_records(original, released, groups, names)
    return int(groups.max()) + 1 - len(np.unique(groups[before != after]))


def _confidential_records(
    original: Table, released: Table, groups: NDArray[np.int64], names: tuple[str, ...]
) -> list[NDArray[np.int64]]:
    """Number the confidential records of each group, equal ones alike, before and after."""
    both = Table.of(nw.concat([table.select(names).frame for table in (original, released)]))
    labels = np.concatenate([groups, groups])
    return np.split(equivalence_classes([labels, *(both.class_codes(name) for name in names)]), 2)
