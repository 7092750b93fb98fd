"""Short and seeded: what is read, or refused in one sentence, and never anything else."""

import warnings

import pytest

from fuzz.hostile_inputs import arrow_columns, csv_bytes, plans


@pytest.mark.parametrize(("target", "many"), [(csv_bytes, 400), (arrow_columns, 50), (plans, 120)])
def test_hostile_inputs_are_taken_or_refused(target, many):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [target(seed) for seed in range(many)]
    assert [wrong for wrong in found if wrong] == []
