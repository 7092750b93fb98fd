"""Records of plain values as JSON lines, and back: every value returns with its type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from shoal.classes import is_missing
from shoal.errors import DataError

_TAG = "\x00type"
_WRITERS: dict[type, Any] = {
    datetime: datetime.isoformat,
    date: date.isoformat,
    time: time.isoformat,
    timedelta: lambda value: [value.days, value.seconds, value.microseconds],
    Decimal: str,
    bytes: bytes.hex,
    tuple: list,
}
_READERS: dict[str, Any] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda value: timedelta(*value),
    "Decimal": Decimal,
    "bytes": bytes.fromhex,
    "tuple": tuple,
    "dict": dict,  # one that has the tag itself among its keys
}


def dump_records(rows: Iterable[tuple[int, Any]]) -> bytes:
    """Write numbered records.

    Examples
    --------
    >>> list(load_records(dump_records([(7, {"when": date(2024, 2, 29), "x": 0.1, "who": None})])))
    [(7, {'when': datetime.date(2024, 2, 29), 'x': 0.1, 'who': None})]
    """
    try:
        lines = [json.dumps([position, _plain(dict(record))], ensure_ascii=True) for position, record in rows]
    except RecursionError:
        raise DataError("a value is nested too deeply to be saved: convert the column to a plain type") from None
    return "\n".join(lines).encode("ascii")


def load_records(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read what `dump_records` wrote."""
    for line in content.decode("ascii").splitlines():
        position, record = json.loads(line, object_hook=_typed)
        yield position, record


def _plain(value: Any) -> Any:
    """Return JSON's own types; others carry their type beside them."""
    if value is None or isinstance(value, bool | str | int | float):
        return value
    if isinstance(value, dict):
        plain = {str(key): _plain(inner) for key, inner in value.items()}
        return {_TAG: "dict", "value": list(plain.items())} if _TAG in plain else plain
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime) and value != value:  # pandas' NaT, which would be written as the year 1
        return None
    for kind, write in _WRITERS.items():
        if isinstance(value, kind):
            written = write(value)
            return {_TAG: kind.__name__, "value": _plain(written) if isinstance(written, list) else written}
    if hasattr(value, "item"):  # a NumPy scalar
        return _plain(value.item())
    if is_missing(value):  # pandas' other missing values
        return None
    raise DataError(f"a value of type {type(value).__name__} cannot be saved: convert the column to a plain type")


def _typed(mapping: dict[str, Any]) -> Any:
    if _TAG in mapping:
        return _READERS[mapping[_TAG]](mapping["value"])
    return mapping
