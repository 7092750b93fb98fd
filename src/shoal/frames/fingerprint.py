"""A SHA-256 of what a table holds: names, types and values, whatever library holds them in whatever chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import compress
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from shoal.frames.columns import DType

_ROWS = 1 << 18  # rows turned into bytes at once


def fingerprint(columns: Iterable[tuple[str, nw.Series[Any], DType]], purpose: str = "") -> str:
    """Return the hash of a table's contents, column by column with name and dtype, as hexadecimal text.

    Hashes for different purposes tell nothing of each other.

    Notes
    -----
    Each column adds its name and dtype, then for each slice of rows which cells are there and the cells: numbers as
    they stand in memory, times as integers, everything else as text with its lengths. So no two different tables feed
    the same bytes.
    """
    digest = hashlib.sha256(purpose.encode())
    for name, series, dtype in columns:
        digest.update(f"{len(name)}:{name}:{dtype}:{len(series)};".encode())
        for start in range(0, len(series), _ROWS):
            part = series[start : start + _ROWS] if len(series) > _ROWS else series
            present = ~part.is_null().to_numpy().astype(np.bool_)
            digest.update(np.packbits(present).tobytes())
            if dtype in ("integer", "float", "boolean"):
                there = part if present.all() else part.drop_nulls()
                digest.update(np.ascontiguousarray(there.to_numpy()).tobytes())
            elif dtype == "datetime" and part.dtype != nw.Unknown:
                _update_times(digest, part if present.all() else part.drop_nulls())
            else:
                _update_text(digest, part, present, dtype)
    return digest.hexdigest()


def _update_times(digest: Any, part: nw.Series[Any]) -> None:
    """Count in microseconds, which reach every year; in nanoseconds only where there are any."""
    if getattr(part.dtype, "time_unit", None) == "ns":
        counts = part.dt.timestamp("ns").to_numpy().astype(np.int64)
        if np.any(counts % 1000):
            digest.update(b"ns" + counts.tobytes())
            return
    digest.update(part.dt.timestamp("us").to_numpy().astype(np.int64).tobytes())


def _update_text(digest: Any, part: nw.Series[Any], present: NDArray[np.bool_], dtype: str) -> None:
    cells = part.cast(nw.String()) if dtype == "categorical" else part
    texts = [str(value) for value in compress(cells.to_list(), present)]
    digest.update(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)).tobytes())
    digest.update("".join(texts).encode("utf-8", "surrogatepass"))
