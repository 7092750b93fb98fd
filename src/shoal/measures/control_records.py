"""Records of other people: a control that attacks are compared with, a holdout that models are tested on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes
from shoal.encode import subject_texts
from shoal.errors import DataError, counted
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.plan import Plan
from shoal.plan.attribute import Role

BEYOND_CHANCE = 4.0
"""Standard deviations of the number of equal records beyond which two tables share people."""


def require_other_people(original: Table, others: Table, plan: Plan, *, called: str) -> None:
    """Refuse records of people who are in the original, by the subject, else the identifiers; ``called`` names them.

    None at all are refused, too, and records that equal those of the original more often than chance explains. Where
    both are samples of one population, another record has its equal in the original about as often as an original
    record has one among the others. Identifiers and weights do not count: a table may have others of its own.
    """
    if len(others) == 0:
        raise DataError(f"the {called} has no records: bring people who are not in the original, or leave it out")
    subject = plan.subject_column()
    identifiers = plan.names(Role.IDENTIFIER)
    for name in (subject,) if subject is not None else identifiers:
        if name not in original.names or name not in others.names:
            continue
        shared = len(set(subject_texts(original, name)) & set(subject_texts(others, name)))
        if shared:
            raise DataError(
                f"the {called} overlaps the original: both have {counted(shared, 'value')} of {name!r}, and a {called} "
                "must be people who are not in the original"
            )
    apart = {*identifiers, subject, plan.weights}
    both = [name for name in plan.attributes if name in original.names and name in others.names and name not in apart]
    if both:
        _refuse_copies([codes_together(original, others, name) for name in both], len(original), called)


def _refuse_copies(columns: list[NDArray[np.int64]], records: int, called: str) -> None:
    """Refuse records after the first so many that equal one of those too often."""
    together = equivalence_classes(columns)
    first, second = together[:records], together[records:]
    sizes = np.bincount(first, minlength=int(together.max()) + 1)
    copies = int((sizes[second] > 0).sum())
    chance = (int((sizes[first] > 1).sum()) + 1) / (records + 2)
    expected = chance * len(second)
    if copies > expected + BEYOND_CHANCE * math.sqrt(expected * (1 - chance)) + 1:
        raise DataError(
            f"the {called} overlaps the original: {copies:,} of its {len(second):,} records are equal to one of the "
            f"original's in every column, and chance explains about {expected:,.0f}; a {called} must be people who are "
            "not in the original"
        )


def codes_together(first: Table, second: Table, name: str, second_name: str | None = None) -> NDArray[np.int64]:
    """Return codes of both tables' cells in one numbering, compared as they are written; -1 where missing.

    ``second_name`` is what the second table calls the column, where that is something else.
    """
    code_of: dict[str, int] = {}
    parts = []
    for table, column in ((first, name), (second, second_name or name)):
        categories = table.categories(column)
        of_label = [code_of.setdefault(category_text(label), len(code_of)) for label in categories.labels]
        parts.append(np.array([*of_label, -1])[categories.codes])
    return np.concatenate(parts).astype(np.int64)
