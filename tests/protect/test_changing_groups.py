"""A group that changes by a record: the kernel's answer without looking at all of it is that of the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from grids import every
from reference import constraints as slow
from reference import emd
from shoal.protect import Closeness, Confidential, DistinctDiversity, EntropyDiversity, RecursiveDiversity

NOBODY = -1

TABLES = {
    "different": lambda rng: rng.permutation(48),
    "ties": lambda rng: rng.integers(0, 6, 48),
    "a constant": lambda rng: np.zeros(48, dtype=int),
    "two values": lambda rng: rng.integers(0, 2, 48),
    "a heavy end": lambda rng: np.maximum(rng.integers(-40, 8, 48), 0),
}

RULES = {
    "t = 0": (lambda values: Closeness(Confidential.ordered(values), 0), slow.closeness(emd.ordered, 0)),
    "t = 1/8": (
        lambda values: Closeness(Confidential.ordered(values), 0.125),
        slow.closeness(emd.ordered, Fraction(1, 8)),
    ),
    "t = 1/4": (
        lambda values: Closeness(Confidential.ordered(values), 0.25),
        slow.closeness(emd.ordered, Fraction(1, 4)),
    ),
    "t of categories": (
        lambda values: Closeness(Confidential.nominal(values), 0.5),
        slow.closeness(emd.equal, Fraction(1, 2)),
    ),
    "distinct": (lambda values: DistinctDiversity(Confidential.nominal(values), 3), slow.distinct(3)),
    "entropy": (lambda values: EntropyDiversity(Confidential.nominal(values), 2), slow.entropy(2)),
    "recursive": (lambda values: RecursiveDiversity(Confidential.nominal(values), c=2, l=2), slow.recursive(2, 2)),
}


@pytest.mark.parametrize("name", RULES)
@every(table=TABLES, size=[2, 5, 20, 47])
def test_every_change_of_a_group_is_judged_as_the_definition_says(name, table, size):
    rng = np.random.default_rng(size)
    make, definition = RULES[name]
    values = TABLES[table](rng).astype(float)
    rule = make(values)
    codes, rows = rule.attribute.codes, rng.permutation(48)
    group, others = rows[:size], rows[size:]
    changes = [(NOBODY, NOBODY)]
    changes += [(row, NOBODY) for row in group[:5]] + [(NOBODY, row) for row in others[:5]]
    changes += [(row, other) for row in group[:5] for other in others[:5]]
    told = rule.kernel.meets(
        codes[group],
        np.array([NOBODY if row == NOBODY else codes[row] for row, _ in changes], dtype=np.int32),
        np.array([NOBODY if row == NOBODY else codes[row] for _, row in changes], dtype=np.int32),
    )
    for (row, other), answer in zip(changes, told, strict=True):
        added = [] if other == NOBODY else [values[other]]
        after = [values[member] for member in group if member != row] + added
        assert bool(answer) == definition(after, list(values))[1]


def test_large_groups_are_judged_without_a_table_of_their_size():
    """Beyond 1024 records the places where the table overtakes a group are looked for each time."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=2600).round(2)
    rule = Closeness(Confidential.ordered(values), 0.02)
    codes, labels = rule.attribute.codes, np.zeros(2600, dtype=np.int64)
    group = np.argsort(values + rng.normal(size=2600) * 20)[:1300]
    labels[group] = 1
    others = np.flatnonzero(labels == 0)[:40]
    told = rule.kernel.meets(codes[group], codes[group[:40]], codes[others])
    expected = []
    for row, other in zip(group[:40], others, strict=True):
        changed = labels.copy()
        changed[[row, other]] = 0, 1
        expected.append(rule.kernel.judge(changed, 2)[1][1])
    assert told.tolist() == expected
