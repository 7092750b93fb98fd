"""Files that are compressed: gzip, which Python knows, and Zstandard, by an extra."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import IO, Any, Literal

from shoal.errors import DataError

GZIP_MARK, ZSTD_MARK = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_LEVEL = 3  # fixed, so that the same table gives the same bytes
_FEW = 1 << 28  # bytes that anything may unpack to
_FACTOR = 200  # a table takes a tenth of its size packed, seldom less than a fiftieth
_CHUNK = 1 << 20
_LITTLE = 1 << 12


def packing_of(path: PurePath) -> Literal["gzip", "zstd"] | None:
    """Return by what a file is compressed, as its name says; None where it is not."""
    return {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower())  # type: ignore[return-value]


def is_packed(path: PurePath) -> bool:
    """Whether the name says that the file is compressed."""
    return packing_of(path) is not None


def unpacked(data: bytes, name: str) -> bytes:
    """Return what was compressed, by the mark at its beginning; data without one as they are.

    A file that is damaged or cut short, or unpacks to more than a table would, is refused.
    """
    try:
        if data.startswith(GZIP_MARK):
            file = gzip.GzipFile(fileobj=io.BytesIO(data))
            return _within(iter(lambda: file.read(_CHUNK), b""), len(data), name)
        if data.startswith(ZSTD_MARK):
            return _within(_from_zstd(data), len(data), name)
    except (OSError, EOFError, zlib.error):
        kind = "gzip" if data.startswith(GZIP_MARK) else "zstd"
        raise DataError(f"{name} is a damaged or truncated {kind} file") from None
    return data


def require_table_size(path: Path, name: str) -> None:
    """Refuse a workbook, a zip archive, that says of itself that it unpacks to more than a table would."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (OSError, zipfile.BadZipFile):
        return  # the reader of workbooks says what it is
    if size > _most(path.stat().st_size):
        raise _bomb(name)


def _most(packed: int) -> int:
    return max(_FEW, _FACTOR * packed)


def _bomb(name: str) -> DataError:
    return DataError(
        f"{name} unpacks to more than {_FACTOR} times its size, which is made to fill the memory: if it is a table, "
        "unpack it first"
    )


def _within(parts: Iterable[bytes], packed: int, name: str) -> bytes:
    """Join what comes out of a file, piece by piece, and no more than a table would be."""
    pieces: list[bytes] = []
    left = _most(packed)
    for part in parts:
        pieces.append(part)
        left -= len(part)
        if left < 0:
            raise _bomb(name)
    return b"".join(pieces)


def packer(raw: IO[bytes], *, zstd: bool) -> Any:
    """Return a file that compresses what is written to it; closed, it leaves the other open."""
    if zstd:
        return require_zstd().ZstdCompressor(level=_LEVEL).stream_writer(raw, closefd=False)
    # A fixed time and no name in the gzip header: the same table gives the same bytes.
    return gzip.GzipFile("", "wb", fileobj=raw, mtime=0)


def require_zstd() -> Any:
    """Return the library for Zstandard, or say how to install it."""
    try:
        import zstandard
    except ImportError:
        raise DataError(
            "files compressed by zstd need zstandard: install the extra, pip install 'shoal[zstd]'"
        ) from None
    return zstandard


def _from_zstd(data: bytes) -> Iterator[bytes]:
    library = require_zstd()
    frame = library.ZstdDecompressor().decompressobj()
    at = 0
    while at < len(data):
        if frame.eof:
            frame = library.ZstdDecompressor().decompressobj()
        try:
            # Little at a time: four bytes can stand for 131,072.
            yield frame.decompress(data[at : at + _LITTLE])
        except library.ZstdError:
            raise OSError from None
        at = min(at + _LITTLE, len(data)) - len(frame.unused_data)
    if not frame.eof:
        raise EOFError
