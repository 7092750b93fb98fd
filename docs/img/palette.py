"""Make pictures of screens small: the same PNG with a palette of 256 colours instead of three bytes a pixel."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def shrink(path: Path) -> None:
    """Write a picture again with its 256 commonest colours, every other pixel in the nearest of them."""
    pixels = _read(path.read_bytes())
    height, width, _ = pixels.shape
    codes = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    colours, where, counts = np.unique(codes, return_inverse=True, return_counts=True)
    chosen = colours[np.argsort(-counts, kind="stable")[:256]]
    apart = [_channels(chosen)[:, c].astype(np.int32) for c in range(3)]
    nearest = np.empty(len(colours), dtype=np.uint8)
    for part in np.array_split(np.arange(len(colours)), max(1, len(colours) // 2000)):
        own = _channels(colours[part]).astype(np.int32)
        nearest[part] = sum((own[:, c, None] - apart[c]) ** 2 for c in range(3)).argmin(axis=1)
    rows = nearest[where.reshape(height, width)]
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), rows], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 9)
    parts = [(b"IHDR", head), (b"PLTE", _channels(chosen).tobytes()), (b"IDAT", body), (b"IEND", b"")]
    path.write_bytes(_SIGNATURE + b"".join(_chunk(name, data) for name, data in parts))


def _channels(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.uint8)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _read(content: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG as browsers write it: eight bits, RGB or RGBA, not interlaced."""
    place, packed, width, height, depth = 8, b"", 0, 0, 3
    while place < len(content):
        size, name = struct.unpack(">I4s", content[place : place + 8])
        data = content[place + 8 : place + 8 + size]
        if name == b"IHDR":
            width, height, _, kind = struct.unpack(">IIBB", data[:10])
            depth = 4 if kind == 6 else 3
        packed += data if name == b"IDAT" else b""
        place += size + 12
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + width * depth)
    above = np.zeros((width, depth), dtype=np.int32)
    rows = []
    for line in lines:
        above = _unfiltered(int(line[0]), line[1:].reshape(width, depth).astype(np.int32), above)
        rows.append(above)
    return np.stack(rows)[:, :, :3].astype(np.uint8)


def _unfiltered(kind: int, line: NDArray[np.int32], above: NDArray[np.int32]) -> NDArray[np.int32]:
    """Undo the filter of a row (PNG specification, section 9.2)."""
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line, axis=0) % 256
    if kind == 2:
        return (line + above) % 256
    found = line.tolist()
    over = above.tolist()
    for x, pixel in enumerate(found):
        for c, value in enumerate(pixel):
            left, up = (found[x - 1][c] if x else 0), over[x][c]
            corner = over[x - 1][c] if x else 0
            if kind == 3:
                guess = (left + up) // 2
            else:
                ways = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
                guess = left if ways[0] <= ways[1] and ways[0] <= ways[2] else up if ways[1] <= ways[2] else corner
            found[x][c] = (value + guess) % 256
    return np.array(found, dtype=np.int32)
