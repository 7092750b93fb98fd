"""Tables and streams that are made to be slow: how work grows with them, and how it compares with a benign table's.

Work is counted in instructions, as time is never asserted. Each case fails here on the code that it was made for, where
it grew with the square of its records, columns or delay, or (``domains``) took over ten times a benign table's work.
"""

from __future__ import annotations

import shutil

import pytest

from benchmark_scripts import benchmark
from growth.instructions import counted
from growth.runs import GROUPS, SCANNED, WHOLE
from required_tools import missing

pytestmark = pytest.mark.nightly

GROWTH = 2.4
"""How much more work twice the table may be: four times would be a square."""
BENIGN = 10
"""How many times the work of a benign table of the same size may be."""
DELAYED = 13
"""How much more work four times the delay and the records may be: less than 16, as some of it does not grow."""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """Instructions of all runs, by name, the smallest run first."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        missing("how work grows was not counted: install valgrind (Debian: apt-get install valgrind)")
    found = counted(valgrind, "growth.runs", tmp_path_factory.mktemp("counted"))
    return {name: [count for _, count in sorted(sizes.items())] for name, sizes in found.items()}


def test_every_case_of_the_benchmark_is_counted():
    cases = {case.__name__ for case in benchmark("slow_on_purpose").CASES}
    assert cases <= {*WHOLE, *GROUPS, "copies"}


@pytest.mark.parametrize("case", [*WHOLE, "copies"])
def test_whole_runs_grow_with_the_table(work, case):
    """Once, twice and four times the table: the differences leave out what every run takes."""
    once, twice, four_times = work[case]
    assert four_times - twice < GROWTH * (twice - once)


@pytest.mark.parametrize("case", [case for case in WHOLE if case != "benign"])
def test_records_of_whole_runs_take_no_more_than_ten_times_benign_ones(work, case):
    once, _, four_times = work[case]
    benign_once, _, benign_four_times = work["benign"]
    assert four_times - once < BENIGN * (benign_four_times - benign_once)


@pytest.mark.parametrize("case", ["benign", *(case for case in GROUPS if case not in SCANNED)])
def test_groups_take_work_that_grows_with_the_records(work, case):
    once, four_times = work[f"groups of {case}"]
    assert four_times < GROWTH**2 * once


@pytest.mark.parametrize("case", GROUPS)
def test_groups_take_no_more_than_ten_times_the_work_of_benign_ones(work, case):
    assert work[f"groups of {case}"][1] < BENIGN * work["groups of benign"][1]


@pytest.mark.parametrize("case", ["t reached", "too fine for the delay", "all categories different"])
def test_a_record_of_a_stream_takes_work_that_grows_less_than_the_delay(work, case):
    once, four_times = work[case]
    assert four_times < DELAYED * once
