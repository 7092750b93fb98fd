"""Snapshots: the whole state of a stream in one file that is either right or refused.

    magic            8 bytes   b"shoalsnp"
    version          4 bytes   little-endian
    sealed           4 bytes   little-endian, 1 where a key seals it
    header length    8 bytes   little-endian
    header           JSON: what the writer wants to know, and the name and size of each part
    parts            the bytes of each, one after the other
    digest          32 bytes   of everything above: SHA-256, or HMAC-SHA-256 by the key

A snapshot is written beside its place, forced to the disk and renamed over the one before, so that a crash leaves the
old or the new one. It holds records as they came, before they were anonymized: only its owner may read it. The digest
finds accidents. Who can write the file can make the digest, too, unless a key that they do not have seals it.

Records stand in their parts as JSON lines from which every value returns with its type.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from shoal.classes import is_missing
from shoal.errors import DataError, OutputError
from shoal.files.private import FOR_OWNER
from shoal.files.staging import force_to_disk
from shoal.files.temporary import claim_beside, give_up

MAGIC = b"shoalsnp"
VERSION = 6
"""2 compared confidential values in doubles, 3 let the records of a group leave in the order in which they came: such a
stream would go on otherwise than it began. 4 had no seal, and did not say what its records take. 5 did not know how the
values of groups that others may join were written."""
_FIXED = struct.Struct("<8sIIQ")  # magic, version, sealed, header length
_DIGEST = 32

_TAG = "\x00type"
_TYPES: dict[type, tuple[Any, Any]] = {  # how values are written, and read
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    time: (time.isoformat, time.fromisoformat),
    timedelta: (lambda value: [value.days, value.seconds, value.microseconds], lambda value: timedelta(*value)),
    Decimal: (str, Decimal),
    bytes: (bytes.hex, bytes.fromhex),
    tuple: (list, tuple),
}
_READERS = {kind.__name__: read for kind, (_, read) in _TYPES.items()}
_READERS["dict"] = dict  # one that has the tag itself among its keys


class Snapshot(NamedTuple):
    """The state of a stream: plain values (JSON), and bytes by name."""

    header: dict[str, Any]
    parts: dict[str, bytes]


def write_snapshot(
    path: str | Path, header: Mapping[str, Any], parts: Mapping[str, bytes], *, key: bytes | None = None
) -> None:
    """Write a snapshot in place of the one before; without the key that seals it nobody can change it unnoticed.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "state"
    >>> write_snapshot(file, {"k": 5}, {"engine": b"abc"})
    >>> read_snapshot(file)
    Snapshot(header={'k': 5}, parts={'engine': b'abc'})
    """
    path = Path(path)
    content = _packed(header, parts, key)
    try:
        temporary = claim_beside(path, mode=FOR_OWNER)
        try:
            with temporary.open("wb") as file:
                file.writelines(content)
            force_to_disk(temporary)
            temporary.replace(path)
            force_to_disk(path.parent)  # the rename
        finally:
            with contextlib.suppress(OSError):
                give_up(temporary)
    except OSError as error:
        raise OutputError(f"the snapshot {str(path)!r} cannot be written: {error.strerror}") from None


def read_snapshot(path: str | Path, *, key: bytes | None = None) -> Snapshot:
    """Read the snapshot in a file, or say why that cannot be; see `unpack_snapshot`."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"the snapshot {str(path)!r} cannot be read: {error.strerror}") from None
    return unpack_snapshot(content, key=key, where=f"the snapshot {str(path)!r}")


def pack_snapshot(header: Mapping[str, Any], parts: Mapping[str, bytes], *, key: bytes | None = None) -> bytes:
    """Return the bytes of a snapshot, for who keeps them elsewhere than in a file.

    >>> unpack_snapshot(pack_snapshot({"k": 5}, {"engine": b"abc"}))
    Snapshot(header={'k': 5}, parts={'engine': b'abc'})
    """
    return b"".join(_packed(header, parts, key))


def unpack_snapshot(content: bytes, *, key: bytes | None = None, where: str = "the snapshot") -> Snapshot:
    """Return the header and the parts of a snapshot, or say why its bytes are none that can be used.

    ``where`` is what it is called in messages. Where a ``key`` is given, one that is sealed by none is refused, too.
    """
    if not content.startswith(MAGIC) or len(content) < _FIXED.size + _DIGEST:
        raise DataError(f"{where} is not a snapshot of a stream, or was cut short")
    _, version, sealed, length = _FIXED.unpack_from(content)
    if version != VERSION:
        raise DataError(
            f"{where} has version {version}, and this release of shoal reads version {VERSION}: end the stream with "
            "the release that wrote it, then start anew without the snapshot"
        )
    if sealed != int(key is not None):
        raise DataError(
            f"{where} is sealed by a key: give the one it was saved with (--state-key-file; key= in Python)"
            if key is None
            else f"{where} is sealed by no key, and a key was given: anybody may have changed it; start anew without it"
        )
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    expected = _digest(key)
    expected.update(body)
    if not hmac.compare_digest(expected.digest(), digest):
        other = ", or sealed by another key" if key is not None else ""
        raise DataError(f"{where} is damaged{other}: its checksum does not fit; go back to an older one or start anew")
    try:
        end = _FIXED.size + length
        head = json.loads(body[_FIXED.size : end])
        parts = {}
        for name, size in head["parts"].items():
            if not 0 <= size <= len(body) - end:
                raise ValueError("a part is longer than the file")
            parts[name] = body[end : end + size]
            end += size
        if end != len(body) or not isinstance(head["header"], dict):
            raise ValueError("the file has more in it than its parts")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DataError(f"{where} is damaged: its parts do not fit; go back to an older one or start anew") from None
    return Snapshot(head["header"], parts)


def _packed(header: Mapping[str, Any], parts: Mapping[str, bytes], key: bytes | None) -> list[bytes]:
    """Return the bytes of a snapshot piece by piece."""
    sizes = {name: len(part) for name, part in parts.items()}
    head = json.dumps({"header": dict(header), "parts": sizes}).encode()
    content = [_FIXED.pack(MAGIC, VERSION, key is not None, len(head)), head, *parts.values()]
    digest = _digest(key)
    for piece in content:
        digest.update(piece)
    return [*content, digest.digest()]


def _digest(key: bytes | None) -> Any:
    return hashlib.sha256() if key is None else hmac.new(key, digestmod=hashlib.sha256)


def dump_records(rows: Iterable[tuple[int, Any]]) -> bytes:
    """Write numbered records.

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
    for kind, (write, _) in _TYPES.items():
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
