"""A seeded hundred of random tables with persons who come back."""

import pytest

from fuzz.persons import trouble


@pytest.mark.parametrize("tens", range(10))
def test_no_class_has_fewer_than_k_persons(tens):
    found = [trouble(seed) for seed in range(10 * tens, 10 * tens + 10)]
    assert [wrong for wrong, _ in found if wrong] == []
    assert sum(written for _, written in found) >= 3
