"""A few seeds of the targets that reach the kernels: these run under the sanitizers as well."""

import pytest

from fuzz.targets import TARGETS, target

SEEDS = {"snapshots": 40, "snapshot_frames": 60, "csv_bytes": 400, "arrow_columns": 40, "plan_values": 100}


@pytest.mark.parametrize("name", SEEDS)
def test_bytes_and_values_of_an_adversary_are_taken_or_refused(name):
    found = [target(TARGETS[name])(seed) for seed in range(SEEDS[name])]
    assert [wrong for wrong, _ in found if wrong] == []
