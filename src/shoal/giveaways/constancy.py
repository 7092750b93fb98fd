"""Attributes that are the same in all records of a subject, but for a few subjects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.giveaways.dependencies import determination
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.survey import Survey
from shoal.plan.attribute import Role

_FEW = 0.05
"""Subjects that may vary where the others do not, of those with several records; one, where they are not many."""

_ENOUGH = 10
"""Subjects with several records that are needed to say that an attribute does not vary."""


def nearly_constant(survey: Survey) -> Iterator[Giveaway]:
    """Find masked attributes that vary in a few subjects alone: those of a constant one would be masked once.

    That an attribute hardly varies in subjects says nothing where it hardly varies at all: it must be told by the
    subject, as columns are by others.
    """
    subjects = survey.subjects
    if subjects is None or survey.permutes:
        return
    sizes = np.bincount(subjects.numbers)
    several = int((sizes > 1).sum())
    if several < _ENOUGH:
        return
    for name in survey.plan.names(Role.QUASI_IDENTIFIER):
        if name == survey.plan.by or name not in survey.comparable:
            continue
        codes = survey.codes(name)
        varies = np.zeros(subjects.count, dtype=np.bool_)
        varies[subjects.numbers[codes != codes[subjects.first_rows][subjects.numbers]]] = True
        count = int(varies.sum())
        if 0 < count <= max(1, _FEW * several) and determination(subjects.numbers, codes).determines:
            records = int(sizes[varies].sum())
            yield Giveaway(
                "nearly_constant",
                f"{name!r} is the same in all records of a subject, but for {count:,} of {several:,} subjects with "
                f"several records, so it is masked record by record and not once for each subject: is that an error in "
                "the data?",
                (name,),
                records,
            )
