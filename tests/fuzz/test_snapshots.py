"""Some states that somebody changed, checksum and all: refused, or gone on with, and no kernel crashes."""

import pytest

from fuzz.snapshots import broken_frame, trouble


@pytest.mark.parametrize("part", range(2))
def test_a_state_that_was_changed_is_refused_or_gone_on_with(part, tmp_path):
    found = [trouble(seed, tmp_path) for seed in range(30 * part, 30 * part + 30)]
    assert [wrong for wrong in found if wrong] == []


def test_a_frame_that_was_changed_is_refused(tmp_path):
    assert [wrong for wrong in (broken_frame(seed, tmp_path) for seed in range(60)) if wrong] == []
