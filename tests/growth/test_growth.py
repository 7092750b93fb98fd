"""Tables and streams that are made to be slow: how work grows with them, and how it compares with a benign table's.

Work is counted in instructions, as time is never asserted. Each of these tests fails on the code that the case was made
for: work grew with the square of the records, columns or delay there, or a record took over ten times a benign one's.
"""

from __future__ import annotations

import shutil

import pytest

from growth.instructions import counted
from required_tools import missing

GROWTH = 2.4
"""Twice the records may be that much more work, and a square would be four times as much."""
BENIGN = 10
"""How many times the work of a benign table of the same size is the most that may be."""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """Instructions of all runs, by name, the smallest run first."""
    if shutil.which("valgrind") is None:
        missing("how work grows was not counted: install valgrind (Debian: apt-get install valgrind)")
    found = counted("growth.runs", tmp_path_factory.mktemp("counted"))
    return {name: [count for _, count in sorted(sizes.items())] for name, sizes in found.items()}


@pytest.mark.parametrize("case", ["ordinal", "names", "domains", "k_first", "copies"])
def test_whole_runs_grow_with_the_table(work, case):
    """Once, twice and four times the table: the differences leave out what every run takes."""
    once, twice, four_times = work[case]
    assert four_times - twice < GROWTH * (twice - once)


@pytest.mark.parametrize("case", ["ordinal", "names", "domains", "k_first"])
def test_records_of_whole_runs_take_no_more_than_ten_times_benign_ones(work, case):
    once, _, four_times = work[case]
    benign_once, _, benign_four_times = work["benign"]
    assert four_times - once < BENIGN * (benign_four_times - benign_once)


@pytest.mark.parametrize("case", ["normal", "all different", "three columns", "decades", "levels as records"])
def test_groups_take_work_that_grows_with_the_records(work, case):
    once, four_times = work[case]
    assert four_times < GROWTH**2 * once
    assert four_times < BENIGN * work["normal"][1]


@pytest.mark.parametrize("case", ["t reached", "too fine for the delay", "all categories different"])
def test_a_record_of_a_stream_takes_work_that_grows_less_than_the_delay(work, case):
    """Four times the delay and the records: sixteen times the work where each record looks at all that wait."""
    once, four_times = work[case]
    assert four_times < 16 * once
