"""Portable integers of 128 bits against Python's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal._core import int128

LEAST, GREATEST = -(2**127), 2**127 - 1


def near_powers() -> st.SearchStrategy[int]:
    """Numbers of every length, many of them next to a power of two, where carries and roundings are."""
    return st.builds(
        lambda power, sign, offset: max(LEAST, min(GREATEST, sign * 2**power + offset)),
        st.integers(0, 127),
        st.sampled_from([1, -1]),
        st.integers(-3, 3),
    )


numbers = st.integers(LEAST, GREATEST) | near_powers() | st.integers(-(2**64), 2**64)


def halves(number: int) -> tuple[int, int]:
    return number >> 64, number & (2**64 - 1)


def whole(parts: tuple[int, int]) -> int:
    return (parts[0] << 64) + parts[1]


def wrapped(number: int) -> int:
    return (number - LEAST) % 2**128 + LEAST


@given(a=numbers, b=numbers)
def test_arithmetic_is_pythons_wrapped_around(a, b):
    found = int128(halves(a), halves(b))
    assert whole(found["negative"]) == wrapped(-a)
    assert whole(found["sum"]) == wrapped(a + b)
    assert whole(found["difference"]) == wrapped(a - b)
    assert whole(found["product"]) == wrapped(a * b)
    assert found["less"] == (a < b)
    assert found["equal"] == (a == b)
    assert found["rounded"] == float(a), "rounded once, ties to even, as Python rounds"


@given(a=numbers)
def test_a_number_equals_itself(a):
    found = int128(halves(a), halves(a))
    assert found["equal"]
    assert not found["less"]


@given(a=st.integers(-(2**80), 2**80))
def test_ties_round_to_even(a):
    """Halfway between two doubles, and next to it."""
    for number in (2 * a + 1, 4 * a + 1, (2 * a + 1) << 20):
        number <<= 120 - number.bit_length() if number.bit_length() < 120 else 0
        assert int128(halves(number), (0, 1))["rounded"] == float(number)
