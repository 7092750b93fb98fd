"""Whether tables speak of the records they should: a release of the original's, a control of none of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.attack.proportions import wilson
from shoal.classes import equivalence_classes
from shoal.encode import category_text
from shoal.encode.subjects import subject_texts
from shoal.errors import DataError
from shoal.frames import Table
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.run.earlier import unchanged_columns


def require_same_records(original: Table, released: Table, plan: Plan) -> None:
    """Refuse a release whose rows are not those of the original in their order.

    Raises
    ------
    DataError
        No column that leaves as it was agrees row by row more often than it would in any order.
    """
    judged, agreeing = False, False
    for before, after in unchanged_columns(original, released, plan, np.arange(len(released))):
        if _chance_to_agree(before, after) > 0.99:
            continue  # nearly constant: it agrees in any order
        judged = True
        agreeing |= agrees_beyond_chance(before, after)
    if judged and not agreeing:
        raise DataError(
            "the released rows are not those of the original in its order: the columns that leave as they are do not "
            "agree, so say how rows belong together, by a row map or a key column"
        )


def agrees_beyond_chance(before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
    """Tell whether codes agree row by row more often than they would in any order; −1 equals nothing.

    Examples
    --------
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([4, 5, 6, 7, 4]))
    True
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([5, 6, 7, 8, 4]))
    False
    """
    agreeing = float(((before == after) & (before >= 0)).sum())
    return wilson(agreeing, len(before))[0] > _chance_to_agree(before, after)


def _chance_to_agree(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    n, levels = len(before), int(max(before.max(), after.max(), 0)) + 1
    counts = [np.bincount(codes[codes >= 0], minlength=levels) for codes in (before, after)]
    return float((counts[0] / n * counts[1] / n).sum())


def require_other_persons(original: Table, control: Table, plan: Plan) -> None:
    """Refuse a control that shares persons with the original.

    Raises
    ------
    DataError
        The control is empty, has a subject or an identifier of the original, or more of its records are equal to one of
        the original's than records of the original are to each other.
    """
    if len(control) == 0:
        raise DataError("the control has no records: bring persons who are not in the original, or leave it out")
    subject = plan.subject_column()
    names = [subject] if subject is not None else list(plan.names(Role.IDENTIFIER))
    for name in (name for name in names if name in original.names and name in control.names):
        shared = len(set(subject_texts(original, name)) & set(subject_texts(control, name)))
        if shared:
            raise DataError(
                f"the control overlaps the original: {shared:,} values of {name!r} are in both, and a control must be "
                "persons who are not in the original"
            )
    both = [name for name in original.names if name in control.names and name in plan.attributes]
    together = equivalence_classes([codes_together(original, control, name) for name in both])
    counts = np.bincount(together[: len(original)], minlength=int(together.max()) + 1)
    alike = float((counts[together[: len(original)]] > 1).mean())
    found = int((counts[together[len(original) :]] > 0).sum())
    if wilson(found, len(control))[0] > alike and found:
        raise DataError(
            f"the control overlaps the original: {found:,} of its {len(control):,} records are equal to one of the "
            "original's in every column, and a control must be persons who are not in the original"
        )


def codes_together(first: Table, second: Table, name: str, second_name: str | None = None) -> NDArray[np.int64]:
    """Return codes of both tables' cells in one numbering, compared as they are written.

    Parameters
    ----------
    first, second
        The tables.
    name, second_name
        The column of both, or of the first and of the second.
    """
    known: dict[str, int] = {}
    parts = []
    for table, column in ((first, name), (second, second_name or name)):
        categories = table.categories(column)
        of_label = [known.setdefault(category_text(label), len(known)) for label in categories.labels]
        parts.append(np.array([*of_label, -1])[categories.codes])
    return np.concatenate(parts).astype(np.int64)
