"""Files that are compressed: gzip, which Python knows, and Zstandard, by an extra."""

from __future__ import annotations

import gzip
import zlib
from pathlib import PurePath
from typing import IO, Any

from shoal.errors import DataError

GZIP_MARK, ZSTD_MARK = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_LEVEL = 3  # fixed, so that the same table gives the same bytes


def is_gzip(path: PurePath) -> bool:
    """Whether the name says that the file is compressed by gzip."""
    return path.suffix.lower() == ".gz"


def is_zstd(path: PurePath) -> bool:
    """Whether the name says that the file is compressed by Zstandard."""
    return path.suffix.lower() == ".zst"


def is_packed(path: PurePath) -> bool:
    """Whether the name says that the file is compressed."""
    return is_gzip(path) or is_zstd(path)


def unpacked(data: bytes, name: str) -> bytes:
    """Return what was compressed, by the mark at its beginning; data without one as they are.

    Raises
    ------
    DataError
        The file is damaged or cut short, or the library is not installed.
    """
    try:
        if data.startswith(GZIP_MARK):
            return gzip.decompress(data)
        if data.startswith(ZSTD_MARK):
            return _from_zstd(data)
    except (OSError, EOFError, zlib.error):
        kind = "gzip" if data.startswith(GZIP_MARK) else "zstd"
        raise DataError(f"{name} is a damaged or truncated {kind} file") from None
    return data


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


def _from_zstd(data: bytes) -> bytes:
    library = require_zstd()
    parts: list[bytes] = []
    while data:
        one = library.ZstdDecompressor().decompressobj()
        try:
            parts.append(one.decompress(data))
        except library.ZstdError:
            raise OSError from None
        if not one.eof:
            raise EOFError
        data = one.unused_data
    return b"".join(parts)
