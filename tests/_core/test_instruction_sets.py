"""Whatever the processor can do, the labels are the same."""

from __future__ import annotations

import numpy as np
import pytest

from reference.points import mixed_points
from shoal._core import instruction_sets, use_instruction_set
from shoal.partitioners import mdav, vmdav


@pytest.fixture
def best_afterwards():
    yield
    use_instruction_set(instruction_sets()[-1])


@pytest.mark.usefixtures("best_afterwards")
@pytest.mark.parametrize("kinds", [(1, 0, 0), (3, 1, 2), (9, 0, 0), (20, 1, 1)])
@pytest.mark.parametrize("distinct", [4, 10_000])
def test_labels_do_not_depend_on_the_instruction_set(kinds, distinct):
    points = mixed_points(np.random.default_rng(2), 700, *kinds, distinct=distinct)
    for partition in (mdav, vmdav):
        for engine in ("scan", "tree"):
            labels = []
            for name in instruction_sets():
                use_instruction_set(name)
                labels.append(partition(points, 3, engine=engine))
            assert all(np.array_equal(labels[0], other) for other in labels[1:])


def test_baseline_is_everywhere_and_unknown_sets_are_refused():
    assert instruction_sets()[0] == "baseline"
    with pytest.raises(ValueError, match="cannot run abacus"):
        use_instruction_set("abacus")
