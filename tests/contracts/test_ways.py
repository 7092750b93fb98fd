"""What every registered way to closeness must do, whatever it is."""

from __future__ import annotations

from typing import get_args

import numpy as np
import polars as pl
import pytest

import shoal
from grids import every
from reference.about import SUBJECTS, fewest_subjects
from shoal.constrain import WAYS, emd, repair
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential

T = 0.3
ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "height": {"role": "quasi_identifier", "kind": "numeric"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "illness": {"role": "confidential", "kind": "nominal"},
}


def people(n=150, *, ties=False):
    rng = np.random.default_rng(2)
    age = rng.integers(18, 22, n) if ties else rng.permutation(n) + 18.0
    pay = rng.integers(1, 6, n) if ties else age * 3 + rng.permutation(n)
    return pl.DataFrame(
        {"age": age, "height": rng.normal(170, 9, n), "pay": pay, "illness": rng.choice(["flu", "gout", "cold"], n)}
    )


@pytest.fixture(params=WAYS, ids=str)
def way(request):
    return request.param


def plan(way, **closeness):
    return shoal.Plan(k=3, closeness={"t": T, "method": way, **closeness}, attributes=ATTRIBUTES)


def distances(release):
    """Return the distances of the classes by the definition, one column an attribute."""
    data = release.data
    classes = data.select("age", "height").with_row_index().group_by("age", "height").agg("index")["index"].to_list()
    found = []
    for rows in classes:
        ordered = sorted(set(data["pay"]))
        share = {value: (data["pay"] == value).mean() for value in ordered}
        own = data["pay"].gather(rows)
        steps = np.cumsum([(own == value).mean() - share[value] for value in ordered])
        part = data["illness"].gather(rows)
        equal = [abs((part == value).mean() - (data["illness"] == value).mean()) for value in ("flu", "gout", "cold")]
        found.append((np.abs(steps).sum() / (len(ordered) - 1), sum(equal) / 2, len(rows)))
    return np.array(found)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
def test_every_class_has_k_records_and_is_within_t(way, ties):
    release = shoal.anonymize(people(ties=ties), plan(way))
    found = distances(release)
    assert found[:, :2].max() <= T + 1e-9
    assert found[:, 2].min() >= 3
    assert release.guarantees["t_closeness"].achieved == pytest.approx(found[:, :2].max())


@pytest.mark.parametrize("guarantee", [True, False], ids=["guaranteed", "given up"])
@every(name=SUBJECTS)
def test_every_group_holds_k_subjects_and_is_within_t(way, name, guarantee):
    rng = np.random.default_rng(3)
    points = Points.of(rng.normal(size=(160, 2))).about(SUBJECTS[name](rng, 160, 5))
    pay, illness = points.coords[:, 0] + rng.normal(size=160), rng.choice(["flu", "gout", "cold"], 160)
    rules = [Closeness(Confidential.ordered(pay), T), Closeness(Confidential.nominal(illness), T)]
    form, options = WAYS[way].form, WAYS[way].options()
    if form is None:  # the groups of any method, here of records
        labels = repair(points, mdav(points.coords, 5), rules, k=5)
    else:
        labels = form(points, rules, 5, options, guarantee=guarantee, progress=None)
    assert fewest_subjects(labels, points.subjects) >= 5
    if guarantee:
        assert emd(pay, labels).max() <= T
        assert emd(illness, labels).max() <= T


def test_the_same_table_gives_the_same_groups_and_is_not_changed(way):
    frame = people()
    before = frame.clone()
    one, other = (shoal.anonymize(frame, plan(way)).labels for _ in range(2))
    assert np.array_equal(one, other)
    assert frame.equals(before)


def test_a_larger_t_gives_groups_that_are_no_larger_on_average(way):
    strict, loose = (shoal.anonymize(people(), plan(way, t=t)).labels.max() for t in (0.1, 0.5))
    assert strict <= loose


def test_progress_ends_at_the_number_of_records(way):
    calls = []
    shoal.anonymize(people(), plan(way), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (150, 150)


def test_an_exception_in_the_callback_stops_the_run(way):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize(people(3000), plan(way), progress=stop)


def some_value(field):
    """Return a value that an option takes: the last of its words, or a number."""
    words = [word for part in (field.annotation, *get_args(field.annotation)) for word in get_args(part)]
    texts = [word for word in words if isinstance(word, str)]
    return texts[-1] if texts else 9.0


def test_its_options_are_described_and_refused_elsewhere(way):
    known = WAYS[way]
    assert known.summary
    assert all(field.description for field in known.options.model_fields.values())
    for option, field in known.options.model_fields.items():
        other = next(name for name in WAYS if option not in WAYS[name].options.model_fields)
        with pytest.raises(shoal.PlanError, match=f"closeness: {option} is only used by method = "):
            plan(other, **{option: some_value(field)})
