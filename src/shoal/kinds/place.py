"""Places: latitudes and longitudes of two columns, in degrees; directions of the globe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, counted
from shoal.frames import Table
from shoal.kinds.column import Column, Spec, admit_missing, first_row
from shoal.kinds.cyclic import turn_texts
from shoal.kinds.direction import DirectionKind
from shoal.kinds.numeric import check_range, number_texts
from shoal.kinds.precision import round_like
from shoal.kinds.vocabulary import Kind

_MOST_DEGREES = (90.0, 360.0)
"""Of a latitude, and of a longitude, which may be counted from 0 to 360."""


class PlaceKind(DirectionKind):
    """Places on the globe, as complex numbers: latitude + longitude·i."""

    name = Kind.PLACE
    dtype = np.complex128
    width = 3

    def read(self, table: Table, spec: Spec) -> Column:
        """Read the latitudes, and the longitudes beside them; a place without one of the two is missing."""
        latitudes = table.numbers(spec.name)
        check_range(spec.name, latitudes.values)
        assert spec.longitude is not None, "a place is read by the line of its latitude"
        longitudes = table.numbers(spec.longitude)
        _check_degrees(spec.name, latitudes.values, _MOST_DEGREES[0], "latitude")
        _check_degrees(spec.longitude, longitudes.values, _MOST_DEGREES[1], "longitude")
        absent = np.isnan(latitudes.values) | np.isnan(longitudes.values)
        places = np.empty(len(absent), dtype=np.complex128)
        places.real, places.imag = (np.where(absent, 0.0, part.values) for part in (latitudes, longitudes))
        whole = latitudes.whole and longitudes.whole
        return Column(spec.name, spec, places, admit_missing(spec, absent), whole=whole)

    def parts(self, values: NDArray[Any]) -> tuple[NDArray[np.float64], ...]:
        """Return latitudes and longitudes."""
        return values.real, values.imag

    def value(self, cells: Sequence[float], names: Sequence[str]) -> complex:
        """Return the place of a latitude and a longitude."""
        for name, cell, most in zip(names, cells, _MOST_DEGREES, strict=True):
            if abs(cell) > most:
                raise DataError(f"column {name!r} has a value beyond {most:g} degrees")
        return complex(*cells)

    def rounded(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Round latitudes and longitudes to the decimals that each of them has."""
        if not column.spec.round:
            return values
        latitudes, longitudes = map(round_like, self.parts(values), self.parts(column.observed))
        return np.asarray(latitudes + 1j * longitudes)

    def in_window(self, values: NDArray[Any], column: Column) -> NDArray[Any]:
        """Count longitudes from 0 to 360 where the column does."""
        if (column.observed.imag > 180).any():
            return np.asarray(values.real + 1j * np.remainder(values.imag, 360.0))
        return values

    def texts(self, column: Column, values: NDArray[Any]) -> list[str]:
        """Write latitudes, and longitudes as shares of a turn."""
        both = zip(number_texts(values.real), turn_texts(values.imag, 360.0), strict=True)
        return [f"{latitude} {longitude}" for latitude, longitude in both]

    def to_plain(self, column: Column) -> list[Any]:
        """Return pairs of numbers."""
        return [[place.real, place.imag] for place in column.values.tolist()]

    def from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        """Return the places of pairs."""
        return np.array([complex(*(value or (0.0, 0.0))) for value in values], dtype=np.complex128)


def _check_degrees(name: str, values: NDArray[np.float64], most: float, what: str) -> None:
    beyond = np.abs(values) > most  # NaN is missing, and not beyond
    if beyond.any():
        raise DataError(
            f"column {name!r} has {counted(int(beyond.sum()), what)} beyond {most:g} degrees, the first in row "
            f"{first_row(beyond)}: give degrees, latitude before longitude"
        )


KIND = PlaceKind()
