"""Probabilistic k-anonymity: a confidential record may belong to any of at least k persons."""

from __future__ import annotations

import narwhals as nw
import numpy as np

from shoal.classes import equivalence_classes
from shoal.frames import Table
from shoal.protect.guarantee import Demand, Evidence, Judgement
from shoal.protect.k_anonymity import KAnonymity, counted


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
        return Judgement(
            name=self.name,
            asked=demand.k,
            achieved=smallest,
            holds=smallest >= demand.k and kept and _same_contents(evidence, tuple(demand.confidential)),
            definition=(
                "the confidential values of a record are equally likely to belong to any of " + counted(demand)
            ),
            note=self.caveat(),
        )


def _same_contents(evidence: Evidence, names: tuple[str, ...]) -> bool:
    """Whether each group holds the same confidential records, in whatever order, before and after."""
    before_and_after = (evidence.original, evidence.released)
    both = Table.of(nw.concat([table.frame.select(names) for table in before_and_after]))
    labels = np.concatenate([evidence.classes, evidence.classes])
    classes = equivalence_classes([labels, *(both.class_codes(name) for name in names)])
    before, after = np.split(classes, 2)
    count = int(classes.max()) + 1
    return np.array_equal(np.bincount(before, minlength=count), np.bincount(after, minlength=count))
