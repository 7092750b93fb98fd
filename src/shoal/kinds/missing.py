"""What a missing cell is, for tables and for single records: one place that decides, and says so where it refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted, them
from shoal.kinds import Kind
from shoal.kinds.spec import Spec

_CATEGORY = ' (or "category" for a nominal or ordinal column)'


def admit_missing(spec: Spec, absent: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """Return the missing cells of a column where they may be, None where there are none.

    Raises
    ------
    DataError
        There are some, and the policy is to refuse them. The message says how many and where, never what.
    """
    if absent is None or not absent.any():
        return None
    if spec.missing.admits:
        return absent
    count = int(absent.sum())
    raise DataError(
        f"column {spec.name!r} has {counted(count, 'missing value')}, the first in row {first_row(absent)}, and "
        f'missing = "error": fill {them(count)}, or set missing = "impute"{_CATEGORY}'
    )


def admit_missing_cell(spec: Spec) -> None:
    """Do nothing where a cell of one record may be missing, else refuse it."""
    if not spec.missing.admits:
        raise DataError(
            f'column {spec.name!r} has a missing value, and missing = "error": fill it, or set missing = "impute"'
            + (_CATEGORY if spec.kind in (Kind.NOMINAL, Kind.ORDINAL) else "")
        )


def first_row(mask: NDArray[np.bool_]) -> int:
    """Return the first row a mask marks, counted from 1 as people do."""
    return int(np.argmax(mask)) + 1
