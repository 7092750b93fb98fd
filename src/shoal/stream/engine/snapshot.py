"""Snapshots: the whole state of a stream in one file that is either right or refused.

    magic            8 bytes   b"shoalsnp"
    version          4 bytes   little-endian
    header length    8 bytes   little-endian
    header           JSON: what the writer wants to know, and the name and size of each part
    parts            the bytes of each, one after the other
    SHA-256         32 bytes   of everything above

A snapshot is written beside its place, forced to the disk and renamed over the one before, so that a crash leaves the
old or the new one. It holds records as they came, before they were anonymized: only its owner may read it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import DataError, OutputError

MAGIC = b"shoalsnp"
VERSION = 5
"""2 compared confidential values in doubles, 3 let the records of a group leave in the order in which they came: such a
stream would go on otherwise than it began."""
_FIXED = len(MAGIC) + 4 + 8
_DIGEST = 32


def write_snapshot(path: str | Path, header: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
    """Write a snapshot in place of the one before.

    Parameters
    ----------
    path
        The file.
    header
        Plain values (JSON).
    parts
        Bytes by name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "state"
    >>> write_snapshot(file, {"k": 5}, {"engine": b"abc"})
    >>> read_snapshot(file)
    ({'k': 5}, {'engine': b'abc'})
    """
    path = Path(path)
    sizes = {name: len(part) for name, part in parts.items()}
    head = json.dumps({"header": dict(header), "parts": sizes}).encode()
    content = [MAGIC, VERSION.to_bytes(4, "little"), len(head).to_bytes(8, "little"), head, *parts.values()]
    digest = hashlib.sha256()
    for piece in content:
        digest.update(piece)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.writelines([*content, digest.digest()])
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _force_folder(path.parent)
    except OSError as error:
        raise OutputError(f"the snapshot {str(path)!r} cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def read_snapshot(path: str | Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read a snapshot: the header and the parts.

    Raises
    ------
    DataError
        The file cannot be read, is no snapshot, is of another version, or is damaged.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"the snapshot {str(path)!r} cannot be read: {error.strerror}") from None
    where = f"the snapshot {str(path)!r}"
    if not content.startswith(MAGIC) or len(content) < _FIXED + _DIGEST:
        raise DataError(f"{where} is not a snapshot of a stream, or was cut short")
    version = int.from_bytes(content[8:12], "little")
    if version != VERSION:
        raise DataError(
            f"{where} has version {version}, and this release of shoal reads version {VERSION}: end the stream with "
            "the release that wrote it, then start anew without the snapshot"
        )
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise DataError(f"{where} is damaged: its checksum does not fit; go back to an older one or start anew")
    end = _FIXED + int.from_bytes(content[12:20], "little")
    head = json.loads(body[_FIXED:end])
    parts = {}
    for name, size in head["parts"].items():
        parts[name] = body[end : end + size]
        end += size
    return head["header"], parts


def _force_folder(folder: Path) -> None:
    """Force the rename to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
