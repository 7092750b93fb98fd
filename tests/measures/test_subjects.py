import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import subject_risk as reference
from shoal.errors import DataError
from shoal.measures import Pair, k_linked, k_min, k_prime, measure, subject_risk
from shoal.measures import anonymity as module
from shoal.plan import Plan


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=60),
    st.sampled_from([1, 3, 1 << 22]),
)
def test_measures_of_subjects_equal_their_twins(records, at_once):
    classes, subjects = (list(column) for column in zip(*records, strict=True))
    pair = Pair.of(np.arange(len(records)), np.asarray(classes), subjects=subjects)
    left = reference.left_after_intersection(classes, subjects)
    chances = reference.chance_to_be_found(classes, subjects)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        linked = k_linked(pair)
    assert linked.value == min(left.values())
    assert linked.parts["mean"] == pytest.approx(np.mean(list(left.values())))
    assert linked.parts["subjects left alone"] == sum(count == 1 for count in left.values())
    risk = subject_risk(pair)
    assert risk.value == pytest.approx(100 * np.mean(list(chances.values())), abs=1e-6)
    assert risk.parts["largest"] == pytest.approx(100 * max(chances.values()), abs=1e-6)


def test_sizes_of_classes_count_subjects():
    released = [1, 1, 1, 2, 2, 2]
    rows = Pair.of(range(6), released)
    persons = Pair.of(range(6), released, subjects=["a", "a", "b", "a", "a", "a"])
    assert (k_min(rows).value, k_prime(rows).value) == (3, 3)
    assert (k_min(persons).value, k_prime(persons).value) == (1, 1.5)
    assert persons.only(["0"]).subject_sizes.tolist() == [2, 1]


def test_rows_are_not_counted_where_a_plan_forgot_the_subject():
    frame = pl.DataFrame({"who": ["a", "a", "b"], "age": [1, 1, 1]})
    attributes = {"who": {"role": "identifier"}, "age": {"role": "quasi_identifier", "kind": "numeric"}}
    with pytest.raises(DataError, match="identifier 'who' repeats"):
        measure(frame, frame, Plan(k=2, attributes=attributes), keys=["k_min"])
    counted = measure(frame, frame, Plan(k=2, subject="who", attributes=attributes), keys=["k_min"])
    assert counted["k_min"].value == 2
