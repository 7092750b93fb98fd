"""Guarantees, checked on the released table itself: the partition is not trusted."""

from __future__ import annotations

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.check.confidential import check_confidential
from shoal.check.remaining import remaining_anonymity
from shoal.classes import equivalence_classes
from shoal.frames import Table
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.blocks import waived
from shoal.run.release import Guarantee, Guarantees, Partition


def check_guarantees(original: Table, released: Table, partition: Partition, plan: Plan) -> Guarantees:
    """Measure what was asked on the released table.

    Parameters
    ----------
    original, released
        The table that came in and the one that would leave.
    partition
        Only for a release by permutation, whose groups are not visible in the table.
    plan
        What was asked.
    """
    if plan.release is ReleaseMode.PERMUTE:
        guarantee, classes = _permutation(original, released, partition, plan), partition.labels
    else:
        classes = released_classes(released, plan)
        sizes = np.bincount(classes)
        given_up = waived(plan) == "k_anonymity"
        guarantee = remaining_anonymity(released, sizes, plan) if given_up else _k_anonymity(sizes, plan)
    return Guarantees((guarantee, *check_confidential(original, released, classes, plan)))


def released_classes(released: Table, plan: Plan) -> NDArray[np.int64]:
    """Return the equivalence class of each released record on the quasi-identifiers (and ``by``)."""
    names = dict.fromkeys((*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else [])))
    return equivalence_classes([released.class_codes(name) for name in names])


def _k_anonymity(sizes: NDArray[np.int64], plan: Plan) -> Guarantee:
    smallest = int(sizes.min())
    return Guarantee(
        name="k_anonymity",
        asked=plan.k,
        achieved=smallest,
        holds=smallest >= plan.k,
        definition=(
            f"every combination of quasi-identifier values in the released table is shared by at least {plan.k} records"
        ),
        note=(
            "Confidential values are not changed: where the records of a group share one, it is known of all of them."
            if plan.names(Role.CONFIDENTIAL) and plan.closeness is None and plan.diversity is None
            else ""
        ),
    )


def _permutation(original: Table, released: Table, partition: Partition, plan: Plan) -> Guarantee:
    labels = partition.labels
    smallest = int(np.bincount(labels).min())
    kept = all(
        np.array_equal(original.class_codes(name), released.class_codes(name))
        for name in plan.names(Role.QUASI_IDENTIFIER)
    )
    confidential = plan.names(Role.CONFIDENTIAL)
    return Guarantee(
        name="probabilistic_k_anonymity",
        asked=plan.k,
        achieved=smallest,
        holds=smallest >= plan.k and kept and _same_contents(original, released, confidential, labels),
        definition=(
            f"the confidential values of a record are equally likely to belong to any of at least {plan.k} records"
        ),
        note="Quasi-identifiers are the original ones: that a person is in the table is not hidden.",
    )


def _same_contents(original: Table, released: Table, names: tuple[str, ...], labels: NDArray[np.int64]) -> bool:
    """Whether each group holds the same confidential records, in whatever order, before and after."""
    both = Table.of(nw.concat([original.frame.select(names), released.frame.select(names)]))
    classes = equivalence_classes([np.concatenate([labels, labels]), *(both.class_codes(name) for name in names)])
    before, after = np.split(classes, 2)
    count = int(classes.max()) + 1
    return np.array_equal(np.bincount(before, minlength=count), np.bincount(after, minlength=count))
