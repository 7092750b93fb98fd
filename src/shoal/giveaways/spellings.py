"""One thing written in several ways, and counted as several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from shoal.encode import subject_text
from shoal.frames import Table
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.survey import Survey
from shoal.protect import ConfidentialGuarantee, asked
from shoal.protect.confidential_guarantee import protected_names


def category_spellings(survey: Survey) -> Iterator[Giveaway]:
    """Find categories that differ only in spaces or letter case, where a guarantee counts them as different values."""
    demand = survey.plan.demand()
    counted: dict[str, dict[str, None]] = {}  # by which tables of the plan, each once
    for guarantee in asked(demand):
        if isinstance(guarantee, ConfidentialGuarantee):
            for name in protected_names(demand.sections[guarantee.section], demand.confidential):
                counted.setdefault(name, {})[guarantee.section] = None
    for name, sections in counted.items():
        variants, records = _variants(survey.original, name, str, _folded)
        if variants:
            one = variants == 1
            yield Giveaway(
                "category_spellings",
                f"{name!r} has {variants:,} categor{'y' if one else 'ies'} that differ{'s' if one else ''} from "
                f"another only in spaces or letter case, in {records:,} record{'s' if records > 1 else ''}, and "
                f"{' and '.join(sections)} count{'s' if len(sections) == 1 else ''} "
                f"{'it' if one else 'each'} as a value of its own: write each in one way first",
                (name,),
                records,
            )


def subject_spellings(survey: Survey) -> Iterator[Giveaway]:
    """Find subjects that differ only in letter case: one person could be counted as two."""
    subjects = survey.subjects
    if subjects is None or not subjects.case_variants:
        return
    variants, records = _variants(survey.original, subjects.name, subject_text, str.casefold)
    one = variants == 1
    yield Giveaway(
        "subject_spellings",
        f"{variants:,} subject{'' if one else 's'} of {subjects.name!r} differ{'s' if one else ''} from another only "
        f"in letter case, in {records:,} record{'s' if records > 1 else ''}, and k counts {'it' if one else 'each'} as "
        "a subject of its own: write each in one way first",
        (subjects.name,),
        records,
    )


def _folded(text: str) -> str:
    return " ".join(subject_text(text).casefold().split())


class _Variants(NamedTuple):
    """How many values are another's in a second spelling, and the records that have them."""

    values: int
    records: int


def _variants(table: Table, name: str, written: Callable[[Any], str], folded: Callable[[str], str]) -> _Variants:
    """Count the spellings of values beside their commonest, which is their own."""
    if table.dtype(name) not in ("string", "categorical"):
        return _Variants(0, 0)
    categories = table.categories(name)
    counts = np.bincount(categories.codes[categories.codes >= 0], minlength=len(categories.labels)).tolist()
    spellings: dict[str, dict[str, int]] = {}
    for label, count in zip(categories.labels, counts, strict=True):
        if count:
            text = written(label)
            of_value = spellings.setdefault(folded(text), {})
            of_value[text] = of_value.get(text, 0) + count
    several = [sorted(each.values()) for each in spellings.values() if len(each) > 1]
    return _Variants(sum(len(each) - 1 for each in several), sum(sum(each[:-1]) for each in several))
