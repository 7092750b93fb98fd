"""A few seeds of every target; ``make fuzz`` runs as many as there is time for."""

import pytest

from fuzz.judging import Found
from fuzz.targets import TARGETS, target

SEEDS = {
    "tables": (25, 12),
    "persons": (25, 8),
    "columns": (16, 7),
    "audits": (25, 8),
    "reports": (25, 12),
    "streams": (40, 35),
    "stream_runs": (40, 40),
    "files": (40, 6),
    "plans": (40, 6),
    "moved_originals": (16, 8),
    "overwrites": (40, 12),
}
"""How many seeds of each, and how many of them at least must be taken: what is all refused tests nothing."""


@pytest.mark.parametrize("name", SEEDS)
def test_what_is_taken_is_right_and_the_rest_is_refused_in_a_sentence(name):
    many, least = SEEDS[name]
    found = [target(TARGETS[name])(seed) for seed in range(many)]
    assert [wrong for wrong, _ in found if wrong] == []
    assert sum(taken for _, taken in found) >= least


@pytest.mark.parametrize(
    ("name", "seed", "taken"),
    [
        ("moved_originals", 51_003_507, False),  # one person became two: k held by persons then, and readers are told
        ("moved_originals", 51_004_997, False),  # a column became the same in all records of a person, who left twice
        ("moved_originals", 51_004_413, False),  # all that was cut off was alike: no run takes such an original
        ("moved_originals", 61_000_339, False),
        ("stream_runs", 131_000_044, True),  # a killed run's last records were cut off, and a message then was refused
        ("stream_runs", 132_000_049, True),  # all of its records were
    ],
)
def test_seeds_that_were_false_alarms(name, seed, taken):
    assert target(TARGETS[name])(seed) == Found("", taken=taken)
