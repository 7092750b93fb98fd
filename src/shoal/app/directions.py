"""Places and cycles on the step Roles: which column has the longitudes, after how much a cycle begins anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

DIRECTIONS = ("place", "cyclic")

_LONGITUDE = re.compile(r"lon|lng", re.IGNORECASE)
_PERIODS = (
    (re.compile(r"hour|stunde|time", re.IGNORECASE), 24),
    (re.compile(r"week|wday|wochentag", re.IGNORECASE), 7),
    (re.compile(r"month|monat", re.IGNORECASE), 12),
    (re.compile(r"minute", re.IGNORECASE), 60),
    (re.compile(r"day|tag", re.IGNORECASE), 365.25),
    (re.compile(r"angle|degree|direction|winkel|grad|richtung", re.IGNORECASE), 360),
)


def guessed_direction(name: str, kind: str | None, names: Sequence[str]) -> dict[str, Any]:
    """Guess what a place or a cycle needs by the names of columns; nothing where they do not tell.

    Examples
    --------
    >>> guessed_direction("lat", "place", ["id", "lat", "lon"]), guessed_direction("hour", "cyclic", ["hour"])
    ({'longitude': 'lon'}, {'period': 24})
    >>> guessed_direction("x", "cyclic", ["x"])
    {}
    """
    if kind == "place":
        found = [other for other in names if other != name and _LONGITUDE.search(other)]
        return {"longitude": found[0]} if found else {}
    if kind == "cyclic":
        period = next((period for pattern, period in _PERIODS if pattern.search(name)), None)
        return {} if period is None else {"period": period}
    return {}


def longitude_of(name: str) -> dict[str, Any]:
    """Return the line of the longitudes whose latitudes a column has."""
    return {"role": "quasi_identifier", "kind": "place", "latitude": name}


def freed(before: Mapping[str, Any], proposed: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the line that the other column of a place gets when this one is none any more: as it was proposed."""
    other = before.get("longitude") or before.get("latitude")
    return {} if other is None else {other: dict(proposed.get(other, {}))}
