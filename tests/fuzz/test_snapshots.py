"""Some states that somebody changed, checksum and all: refused, or gone on with, and no kernel crashes."""

import pytest

from fuzz.snapshots import broken_frame, trouble


@pytest.mark.parametrize("part", range(2))
def test_a_state_that_was_changed_is_refused_or_gone_on_with(part, tmp_path):
    found = [trouble(seed, tmp_path) for seed in range(30 * part, 30 * part + 30)]
    assert [wrong for wrong, _ in found if wrong] == []
    assert 6 <= sum(taken for _, taken in found) <= 24  # what is all refused, or all taken, tests nothing


def test_a_frame_that_was_changed_is_refused(tmp_path):
    assert {broken_frame(seed, tmp_path) for seed in range(60)} == {("", False)}
