"""Places and cycles: unit vectors in distances, mean directions in releases, chords in measures."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.encode import Encoder
from shoal.errors import DataError, PlanError
from shoal.kinds import Kind, Scale
from shoal.kinds.attribute_kind import Members
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import from_vectors, unit_vectors
from shoal.kinds.registry import kind_of
from shoal.stream.engine import StreamAnonymizer


def cycle(values, period=24.0, **options):
    spec = Spec(name="hour", kind=Kind.CYCLIC, period=period, **options)
    return Column("hour", spec, np.asarray(values, dtype=np.float64))


def place(pairs, **options):
    spec = Spec(name="lat", kind=Kind.PLACE, longitude="lon", **options)
    return Column("lat", spec, np.array([complex(*pair) for pair in pairs]))


def mean_directions(column, labels, count, weights=None):
    return kind_of(column.spec).average(column, Members(labels, count, weights)).values


def great_circle(one, other):
    """The angle between two places, by the law of haversines."""
    (a, b), (c, d) = (map(math.radians, pair) for pair in (one, other))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * math.asin(min(1.0, math.sqrt(h)))


PLACES = [(41.4, 2.2), (40.4, -3.7), (-17.7, 178.0), (-17.7, -178.0), (89.9, 10.0), (89.9, -170.0), (-90.0, 0.0)]


def test_distances_of_places_are_chords_of_great_circles():
    column = place(PLACES, scale=Scale.NONE)
    coords = Encoder.fit([column]).apply([column]).coords
    assert coords.shape == (len(PLACES), 3)
    for i, one in enumerate(PLACES):
        for j, other in enumerate(PLACES):
            chord = np.sqrt(((coords[i] - coords[j]) ** 2).sum())
            assert chord == pytest.approx(2 * math.sin(great_circle(one, other) / 2), abs=1e-9)


def test_hours_wrap_around():
    column = cycle([23, 1, 11, 13, 0, 12], scale=Scale.NONE)
    coords = Encoder.fit([column]).apply([column]).coords
    between = [[np.sqrt(((a - b) ** 2).sum()) for b in coords] for a in coords]
    assert between[0][1] == pytest.approx(between[2][3])
    assert between[0][1] == pytest.approx(2 * math.sin(math.pi / 12))
    assert between[4][5] == pytest.approx(2.0)


@pytest.mark.parametrize("column", [cycle([23, 1, 11, 13, 7, 7]), place(PLACES)], ids=["cycle", "place"])
def test_a_column_weighs_as_one_column_of_numbers(column):
    def coords(scale, weight=1.0):
        spec = Spec(**{**vars(column.spec), "scale": scale, "weight": weight})
        own = Column(column.name, spec, column.values)
        return Encoder.fit([own]).apply([own]).coords

    assert coords(Scale.ZSCORE).var(axis=0, ddof=1).sum() == pytest.approx(1.0)
    assert (np.ptp(coords(Scale.MINMAX), axis=0) ** 2).sum() == pytest.approx(1.0)
    assert coords(Scale.ZSCORE, 4.0).var(axis=0, ddof=1).sum() == pytest.approx(4.0)
    assert (coords(Scale.NONE).var(axis=0, ddof=1).sum()) < 4.0


def test_an_encoder_of_directions_goes_through_json_and_a_constant_is_zero():
    columns = [place(PLACES), cycle([5, 5, 5, 5, 5, 5, 5])]
    encoder = Encoder.fit(columns)
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    assert not again.apply(columns).coords[:, 3:].any()


def test_a_missing_cell_stands_at_the_mean_vector():
    spec = Spec(name="hour", kind=Kind.CYCLIC, period=24.0)
    column = Column("hour", spec, np.array([23.0, 1.0, 3.0]), np.array([False, False, True]))
    assert not Encoder.fit([column]).apply([column]).coords[2].any()


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=20), st.sampled_from([7.0, 24.0, 365.25]))
def test_there_and_back(values, period):
    array = np.array(values)
    back = from_vectors(unit_vectors(array, period), period)
    away = np.remainder(back - array, period)
    assert np.minimum(away, period - away).max() < 1e-6 * period
    assert ((back >= 0) & (back < period)).all()


@pytest.mark.parametrize(
    ("hours", "mean"),
    [([23, 1], 0.0), ([22, 1], 23.5), ([5, 5, 5], 5.0), ([0, 12], 0.0), ([0, 8, 16], 0.0), ([1, 2, 3], 2.0)],
)
def test_the_mean_of_hours(hours, mean):
    column = cycle(hours)
    labels = np.zeros(len(hours), dtype=np.int64)
    assert mean_directions(column, labels, 1)[0] == pytest.approx(mean, abs=1e-9)


def test_the_mean_of_places_crosses_the_date_line_and_the_pole():
    column = place([(10.0, 179.0), (10.0, -179.0), (89.0, 0.0), (89.0, 180.0), (0.0, 0.0), (0.0, 180.0)])
    means = mean_directions(column, np.array([0, 0, 1, 1, 2, 2]), 3)
    assert abs(means[0].imag) == pytest.approx(180.0)
    assert means[0].real == pytest.approx(10.0, abs=0.01)
    assert means[1].real == pytest.approx(90.0)
    assert means[2] == 0  # they cancel each other out: every place is as far from them


def test_weights_pull_a_mean_and_rounding_keeps_the_precision_of_the_column():
    column = cycle([23, 1], round=True)
    labels = np.zeros(2, dtype=np.int64)
    assert mean_directions(column, labels, 1, np.array([1e300, 1.0]))[0] == 23.0
    coarse = place([(41.4, 2.2), (41.5, 2.3), (41.5, 2.1)], round=True)
    mean = mean_directions(coarse, np.zeros(3, dtype=np.int64), 1)[0]
    assert (mean.real, mean.imag) == (41.5, 2.2)


def test_the_end_of_a_cycle_is_written_as_the_column_does():
    days = cycle([365, 1, 364, 2], 365.0, round=True)
    assert mean_directions(days, np.zeros(4, dtype=np.int64), 1)[0] == 365.0
    east = place([(0.0, 359.0), (0.0, 350.0)])
    assert mean_directions(east, np.zeros(2, dtype=np.int64), 1)[0].imag == pytest.approx(354.5)


def visits(n=240, seed=1):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "lat": random.normal(41.4, 0.3, n).round(3),
            "lon": random.normal(2.2, 0.3, n).round(3),
            "hour": random.integers(0, 24, n),
            "age": random.integers(0, 99, n),
        }
    )


def plan_of(**choices):
    place = {"kind": "place", "longitude": "lon", **choices.pop("place", {})}
    hour = {"kind": "cyclic", "period": 24, **choices.pop("hour", {})}
    columns = {"lat": place, "hour": hour, "age": {"kind": "numeric"}}
    attributes = {name: {"role": "quasi_identifier", **options} for name, options in columns.items()}
    return shoal.Plan(**{"k": 5, "order": "keep", "attributes": attributes, **choices})


def test_one_line_makes_a_place():
    plan = plan_of()
    assert list(plan.attributes) == ["lat", "lon", "hour", "age"]
    assert plan.masked_names() == ("lat", "hour", "age")
    assert shoal.Plan.parse(plan.to_toml()) == plan


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"method": "vmdav"},
        {"method": "projected"},
        {"scale": "minmax"},
        {"round": True},
        {"blocks": [["lat"], ["hour", "age"]], "guarantee": False},
        {"blocks": {"make": "correlated", "size": 2}, "guarantee": False},
        {"missing": "impute"},
    ],
    ids=str,
)
def test_a_release_holds_and_is_measured_in_its_points(choices):
    frame = visits()
    if choices.get("missing"):
        frame = frame.with_columns(pl.Series("lon", [None, *frame["lon"].to_list()[1:]]))
    plan = plan_of(**choices)
    release = shoal.anonymize(frame, plan)
    assert release.guarantees.holds or "blocks" in choices
    assert release.data.columns == frame.columns
    scores = shoal.measures.measure(frame, release.data, plan)
    assert 0 < scores["il_percent"].attributes["lat"] < 100
    assert 0 < scores["il_percent"].attributes["hour"] < 100
    assert 0 <= scores["dld"].value <= 100
    if not choices:
        vectors = [
            unit_vectors(side["lat"].to_numpy() + 1j * side["lon"].to_numpy(), 0.0) for side in (frame, release.data)
        ]
        error = ((vectors[0] - vectors[1]) ** 2).sum() / vectors[0].var(axis=0, ddof=1).sum()
        assert scores["sse"].attributes["lat"] == pytest.approx(error)
    assert shoal.measures.assess(frame, release.data, plan).guarantees["k_anonymity"].achieved >= 1
    assert {each.name for each in shoal.report.collect(frame, release, plan).distributions} == set(frame.columns)


def test_subjects_have_one_place():
    frame = visits(120)
    doubled = pl.concat([frame, frame]).with_columns(pl.Series("id", [*range(120), *range(120)]))
    attributes = plan_of().to_dict()["attributes"] | {"id": {"role": "identifier"}}
    release = shoal.anonymize(doubled, shoal.Plan(k=4, order="keep", subject="id", attributes=attributes))
    assert release.data[:120].equals(release.data[120:])


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"hour": {"period": 0}}, "attributes.hour.period"),
        ({"hour": {"period": -1}}, "attributes.hour.period"),
        ({"hour": {"period": None}}, "needs the period"),
        ({"place": {"longitude": None}}, "names the other column"),
        ({"place": {"longitude": "hour"}}, "longitude"),
        ({"place": {"period": 24}}, "period only applies"),
        ({"place": {"aggregate": "median"}}, "aggregate for kind place"),
        ({"hour": {"role": "confidential"}}, "is for quasi-identifiers"),
        ({"hour": {"missing": "category"}}, "category"),
        ({"method": "individual", "guarantee": False}, "single numbers"),
        ({"method": "mic1d", "guarantee": False}, "single numbers"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(choices, said):
    with pytest.raises(PlanError, match=said):
        plan_of(**choices)


def test_what_is_said_of_a_place_is_said_once():
    attributes = plan_of().to_dict()["attributes"]
    attributes["lon"]["weight"] = 2.0
    with pytest.raises(PlanError, match="in the line of its latitude, 'lat'"):
        shoal.Plan(k=5, attributes=attributes)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("lat", 90.5, "'lat' has 1 latitude beyond 90 degrees, the first in row 1"),
        ("lon", 361.0, "'lon' has 1 longitude beyond 360 degrees, the first in row 1"),
        ("hour", math.inf, "'hour' has 1 infinite value,"),
        ("lon", None, "'lat' has 1 missing value"),
    ],
)
def test_data_that_are_no_directions_are_refused_without_the_value(column, value, said):
    values = [value, *visits()[column].to_list()[1:]]
    frame = visits().with_columns(pl.Series(column, values, dtype=pl.Float64))
    with pytest.raises(DataError, match=said):
        shoal.anonymize(frame, plan_of())


def test_a_stream_averages_directions_as_tables_do():
    frame = visits().with_columns(pl.Series("place", range(240)))
    attributes = plan_of().to_dict()["attributes"] | {"place": {"role": "other"}}
    plan = shoal.Plan(k=4, attributes=attributes, stream={"max_delay": 30})
    stream = StreamAnonymizer(plan)
    left = pl.concat([stream.push_many(frame), stream.flush()])
    single = StreamAnonymizer(plan)
    records = [out for record in frame.to_dicts() for out in single.push(record)] + single.flush()
    assert pl.DataFrame(records).equals(left)
    for _, released in left.group_by("age", "lat", maintain_order=True):
        members = frame[released["place"].to_numpy()]
        labels = np.zeros(len(members), dtype=np.int64)
        hours = cycle(members["hour"].to_numpy())
        places = place(list(zip(members["lat"], members["lon"], strict=True)))
        assert released["hour"][0] == pytest.approx(mean_directions(hours, labels, 1)[0], abs=1e-6)
        mean = mean_directions(places, labels, 1)[0]
        assert (released["lat"][0], released["lon"][0]) == pytest.approx((mean.real, mean.imag), abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"lat": 91.0}, DataError, "'lat' has a value beyond 90 degrees"),
        ({"lon": None}, DataError, "'lon' has a missing value"),
        ({"hour": "noon"}, DataError, "'hour' must be a number"),
    ],
)
def test_a_stream_refuses_what_is_no_direction(changes, error, said):
    stream = StreamAnonymizer(plan_of(order="auto", stream={"max_delay": 10}))
    with pytest.raises(error, match=said):
        stream.push({**visits(1).to_dicts()[0], **changes})


def test_a_stream_does_not_round_directions():
    with pytest.raises(PlanError, match="round of 'hour' is a choice for tables"):
        StreamAnonymizer(plan_of(order="auto", hour={"round": True}, stream={"max_delay": 10}))
