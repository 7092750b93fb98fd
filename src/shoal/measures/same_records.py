"""Whether a release speaks of the records of the original, in their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.masking.recoding import recoded
from shoal.measures.proportions import LEVEL, exact
from shoal.plan import Plan
from shoal.republish.earlier_release import unchanged_columns


def require_same_records(original: Table, released: Table, plan: Plan, *, perturbed: bool = False) -> None:
    """Refuse a release whose rows are not those of the original in their order.

    Parameters
    ----------
    original, released, plan
        The tables, as many rows in each, and what each column is.
    perturbed
        Whether another tool may have changed the columns that should leave as they are: then only the same values in
        another order are refused.

    Raises
    ------
    DataError
        No column that leaves as it was agrees row by row more often than it would in any order.
    """
    judged = False
    for before, after in unchanged_columns(original, released, plan, np.arange(len(released))):
        if _chance_to_agree(before, after) > 0.99:
            continue  # nearly constant: it agrees in any order
        judged |= not perturbed or np.array_equal(np.sort(before), np.sort(after))
        # A few records cannot agree beyond chance, and need not where all of them do.
        if np.array_equal(before, after) or agrees_beyond_chance(before, after):
            return
    if judged:
        raise DataError(
            "the released rows are not those of the original in its order: the columns that leave as they are do not "
            "agree, so say how rows belong together, by a row map or a key column"
        )


def require_known_order(
    original: Table, released: Table, plan: Plan, *, key_column: str | None, rows: ArrayLike | None
) -> None:
    """Refuse a release whose rows stand in another order, where neither a key nor their places say in which.

    Parameters
    ----------
    original, released, plan
        The tables as they are, the release by any tool, and what each column is.
    key_column, rows
        What was said of how rows belong together.
    """
    if key_column is None and rows is None and len(original) == len(released):
        before = recoded(original, plan, judge_totals=False).table
        require_same_records(before, released, plan, perturbed=True)


def agrees_beyond_chance(before: NDArray[np.int64], after: NDArray[np.int64], *, level: float = LEVEL) -> bool:
    """Tell whether codes agree row by row more often than they would in any order; −1 equals nothing.

    Examples
    --------
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([4, 5, 6, 7, 4]))
    True
    >>> agrees_beyond_chance(np.array([4, 5, 6, 7, 8]), np.array([5, 6, 7, 8, 4]))
    False
    """
    agreeing = float(((before == after) & (before >= 0)).sum())
    return exact(agreeing, len(before), level=level)[0] > _chance_to_agree(before, after)


def _chance_to_agree(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    n, levels = len(before), int(max(before.max(), after.max(), 0)) + 1
    counts = [np.bincount(codes[codes >= 0], minlength=levels) for codes in (before, after)]
    return float((counts[0] / n * counts[1] / n).sum())
