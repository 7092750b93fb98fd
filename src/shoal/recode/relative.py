"""A date as its distance from another column's: days since birth, since admission."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Numbers, Table, finest_unit, units_in
from shoal.kinds import Kind
from shoal.recode.recoding import RecodedColumn, Recoding


class Relative(Recoding):
    """Replace a date by the days from another date of the same record to it.

    Notes
    -----
    The other column may have any role: of an identifier, which never leaves, the distance does. The days are whole
    where both columns hold days, and have fractions where one holds times. Where either is missing, the distance is.
    """

    key = "relative_to"
    kinds = (Kind.DATE,)
    summary = "the date becomes the number of days from this other column's date, of the same record, to it"
    loses = False

    def words(self, option: str) -> str:
        """Say from where the days are counted."""
        return f"days since {option!r}"

    def apply(self, table: Table, name: str, option: str, subjects: NDArray[np.int32] | None) -> RecodedColumn:
        """Count the days."""
        date, origin = table.instants(name), table.instants(option)
        unit = finest_unit(date.unit, origin.unit)
        ticks = date.values * units_in(date.unit, unit) - origin.values * units_in(origin.unit, unit)
        missing = np.zeros(len(date), dtype=np.bool_)
        for part in (date.missing, origin.missing):
            if part is not None:
                missing |= part
        values = ticks / units_in("D", unit)
        values[missing] = np.nan
        absent = missing if missing.any() else None
        return RecodedColumn(Numbers(values, absent, whole=unit == "D"), ~missing)
