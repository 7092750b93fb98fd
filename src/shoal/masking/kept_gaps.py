"""Gaps of quasi-identifiers: how groups keep them (`missing = "keep"`), and how many cells a run filled or suppressed.

A gap tells people apart as a value does, so it is part of the class. Inside a group records with the same gaps stay
together where they are of k subjects; the others join those with whom the fewest cells change, and the majority says
whether a cell leaves filled or missing. Every class then has k subjects, gaps and all. What leaves by the other
policies is decided in `aggregate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.frames import Mask, Table
from shoal.kinds.column import Column
from shoal.labels import rows_of_each
from shoal.masking.grouping import Grouping
from shoal.masking.inputs import Inputs
from shoal.masking.refinement import required_rules
from shoal.masking.steering import kept_gaps
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.protect.rules import met

Labels = NDArray[np.int64]


def keep_gaps(grouping: Grouping, block: Sequence[Column], inputs: Inputs, plan: Plan) -> Grouping:
    """Say for each group which of its cells leave missing, and part groups where that keeps k and all rules.

    What is constant of a subject is masked once for all its records, so its gaps are decided by the whole group of
    subjects; all else by the groups of records.
    """
    gaps = kept_gaps(block)
    if not gaps:
        return grouping
    varying = {name: mask for name, mask in gaps.items() if name not in grouping.constant}
    labels = _parted(grouping.labels, varying, inputs, plan) if varying else grouping.labels
    of_subjects = grouping.of_subjects
    missing = {name: _majority(labels if name in varying else of_subjects, mask) for name, mask in gaps.items()}
    return replace(grouping, labels=labels, gaps=missing)


def _majority(labels: Labels, missing: Mask) -> Mask:
    """Return for each record whether most cells of its group are missing; among equals they are filled."""
    sizes = np.bincount(labels)
    absent = np.bincount(labels[missing], minlength=len(sizes))
    return np.asarray((2 * absent > sizes)[labels])


def _parted(labels: Labels, gaps: Mapping[str, Mask], inputs: Inputs, plan: Plan) -> Labels:
    """Part groups of at least 2k subjects by their gaps, where all parts have k subjects and keep all rules."""
    numbers = None if inputs.subjects is None else inputs.subjects.numbers
    patterns = np.column_stack(list(gaps.values()))
    _, first_rows = np.unique(equivalence_classes([labels, *gaps.values()]), return_index=True)
    several = np.bincount(labels[first_rows])  # patterns of a group
    large = subjects_of_each(labels, numbers) >= 2 * plan.k
    rows_of = rows_of_each(labels)
    parts = np.zeros(len(labels), dtype=np.int64)
    for group in np.flatnonzero(large & (several > 1)):
        rows = rows_of[group]
        parts[rows] = parts_by_gaps(patterns[rows], plan.k, None if numbers is None else numbers[rows])
    made = equivalence_classes([labels, parts])
    rules = [rule for each in required_rules(inputs.rules, plan).values() for rule in each]
    if rules:
        broken = np.unique(labels[~met(rules, made, int(made.max()) + 1)[made]])
        parts[np.isin(labels, broken)] = 0
        made = equivalence_classes([labels, parts])
    return labels if made.max() + 1 == len(several) else made


def parts_by_gaps(patterns: NDArray[np.bool_], k: int, subjects: NDArray[np.int32] | None) -> Labels:
    """Part the records of a group by their gaps, patterns of (records, columns), into parts of at least k subjects.

    The part with the fewest subjects joins another until all have k, each time the one with which the fewest cells
    change where the majority decides; among equals the first that came. Without subjects, each record is its own.

    >>> patterns = np.array([[1, 0], [1, 0], [0, 0], [0, 0], [0, 1]], dtype=bool)
    >>> parts_by_gaps(patterns, 2, None).tolist()
    [0, 0, 1, 1, 1]
    """
    parts = equivalence_classes(list(patterns.T))
    while True:
        sizes = np.bincount(parts)
        counts = subjects_of_each(parts, subjects)
        if len(counts) == 1 or counts.min() >= k:
            return parts
        few = int(counts.argmin())
        absent = np.stack([np.bincount(parts, column, len(sizes)) for column in patterns.T])
        cost = np.minimum(absent, sizes - absent).sum(axis=0)
        both, together = absent + absent[:, [few]], sizes + sizes[few]
        more = np.minimum(both, together - both).sum(axis=0) - cost - cost[few]
        more[few] = np.inf
        parts[parts == few] = int(more.argmin())
        parts = equivalence_classes([parts])


def count_gaps(original: Table, released: Table, plan: Plan) -> dict[str, dict[str, int]]:
    """Count the quasi-identifiers' cells that were missing, were filled, and were suppressed, by column that has any.

    The original is in the terms of the release, where a distance from a date is missing as soon as one of the two is.
    """
    counts = {}
    for name in plan.names(Role.QUASI_IDENTIFIER):
        before, after = original.missing(name), released.missing(name)
        if before is None and after is None:
            continue
        was, left = (np.zeros(len(original), np.bool_) if mask is None else mask for mask in (before, after))
        counts[name] = {
            "missing": int(was.sum()),
            "filled": int((was & ~left).sum()),
            "suppressed": int((left & ~was).sum()),
        }
    return counts


def gap_sentences(gaps: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Say what became of gaps, a sentence for each column.

    >>> gap_sentences({"age": {"missing": 12, "filled": 10, "suppressed": 3}})
    ('age: of 12 missing cells 10 were filled, and 3 observed cells suppressed',)
    """
    return tuple(
        f"{name}: of {count['missing']:,} missing cell{'s' if count['missing'] != 1 else ''} {count['filled']:,} "
        f"{'was' if count['filled'] == 1 else 'were'} filled, and {count['suppressed']:,} observed "
        f"cell{'s' if count['suppressed'] != 1 else ''} suppressed"
        for name, count in gaps.items()
    )
