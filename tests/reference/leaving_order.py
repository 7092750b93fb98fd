"""The order in which tuples of a group leave: SipHash-2-4 of all that came and of a position, in Python's integers."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

WORD = 2**64 - 1
PURPOSE = 0x6F7264657220206F


class SlowOrder:
    """The running state."""

    def __init__(self, seed: int) -> None:
        keys = (seed & WORD, PURPOSE)
        constants = (b"somepseu", b"dorandom", b"lygenera", b"tedbytes")
        self.v = [keys[i % 2] ^ int.from_bytes(constant, "big") for i, constant in enumerate(constants)]

    def arrive(self, values: Iterable[float | int]) -> None:
        for value in values:
            self.v = compressed(self.v, word(value))

    def key(self, position: int) -> int:
        v = compressed(self.v, position)
        v[2] ^= 0xFF
        for _ in range(4):
            v = rounded(v)
        return v[0] ^ v[1] ^ v[2] ^ v[3]


def word(value: float | int) -> int:
    if isinstance(value, int):
        return value & WORD
    return struct.unpack("<Q", struct.pack("<d", math.nan if math.isnan(value) else value))[0]


def compressed(v: list[int], m: int) -> list[int]:
    v = [v[0], v[1], v[2], v[3] ^ m]
    v = rounded(rounded(v))
    return [v[0] ^ m, v[1], v[2], v[3]]


def rounded(v: list[int]) -> list[int]:
    a, b, c, d = v
    a, c = (a + b) & WORD, (c + d) & WORD
    b, d = turned(b, 13) ^ a, turned(d, 16) ^ c
    a = turned(a, 32)
    a, c = (a + d) & WORD, (c + b) & WORD
    d, b = turned(d, 21) ^ a, turned(b, 17) ^ c
    return [a, b, turned(c, 32), d]


def turned(number: int, bits: int) -> int:
    return (number << bits | number >> (64 - bits)) & WORD
