"""StreamAnonymizer: records, frames and Arrow batches in, the same out, and the guarantee on what left."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import DataError, Plan, PlanError, StreamAnonymizer

QUASI = ("age", "pay", "level", "county", "born")
PLAN = Plan(
    k=4,
    attributes={
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric", "round": True},
        "pay": {"role": "quasi_identifier", "kind": "numeric"},
        "level": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
        "county": {"role": "quasi_identifier", "kind": "nominal"},
        "born": {"role": "quasi_identifier", "kind": "date"},
        "charge": {"role": "confidential", "kind": "numeric"},
        "ward": {"role": "other"},
    },
    subject="who",
    stream={"max_delay": 30},
)


def make_frame(n: int, seed: int = 0, people: int = 200) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "ward": [f"w{i}" for i in range(n)],
            "who": [f"p{i}" for i in random.integers(0, people, n)],
            "age": random.integers(18, 90, n),
            "pay": random.normal(2000, 500, n),
            "level": random.choice(["low", "mid", "high"], n),
            "county": random.choice(["A", "B", "C"], n),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(d)) for d in random.integers(0, 20000, n)],
            "charge": random.integers(0, 100, n),
        },
        schema_overrides={"who": pl.String, "level": pl.String, "county": pl.String, "born": pl.Date},
    )


FRAME = make_frame(400)


def push_all(stream: StreamAnonymizer, frame: pl.DataFrame) -> list[dict]:
    return [record for row in frame.iter_rows(named=True) for record in stream.push(row)] + stream.flush()


RECORDS = push_all(StreamAnonymizer(PLAN), FRAME)


def test_records_leave_in_classes_of_k_persons():
    people = dict(FRAME.select("ward", "who").iter_rows())
    classes = defaultdict(set)
    for record in RECORDS:
        classes[tuple(record[name] for name in QUASI)].add(people[record["ward"]])
    assert min(len(persons) for persons in classes.values()) >= 4
    assert sorted(record["ward"] for record in RECORDS) == sorted(FRAME["ward"])


def test_identifiers_go_and_the_rest_stands_in_the_order_of_the_plan():
    assert list(RECORDS[0]) == [name for name in PLAN.attributes if name != "who"]
    charges = dict(FRAME.select("ward", "charge").iter_rows())
    assert all(record["charge"] == charges[record["ward"]] for record in RECORDS)


def test_types_come_back():
    kinds = {name: type(value) for name, value in RECORDS[0].items()}
    assert kinds["age"] is int
    assert kinds["pay"] is float
    assert kinds["born"] is dt.date


KINDS = {
    "polars": (lambda frame: frame, lambda frame: frame),
    "pandas": (lambda frame: frame.to_pandas(), pl.from_pandas),
    "pyarrow": (lambda frame: frame.to_arrow(), pl.from_arrow),
    "record batch": (
        lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
        lambda batch: pl.from_arrow(pa.Table.from_batches([batch])),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_frames_give_the_records_in_their_own_kind(kind):
    there, back = KINDS[kind]
    stream = StreamAnonymizer(PLAN)
    parts = [stream.push_many(there(FRAME[begin : begin + 130])) for begin in range(0, 400, 130)]
    assert all(type(part) is type(there(FRAME[:1])) for part in parts)
    left = pl.concat([back(part) for part in parts] + [back_flush(stream.flush())])
    assert left.with_columns(pl.col("born").cast(pl.Date)).rows(named=True) == RECORDS


def back_flush(frame):
    return (
        frame
        if isinstance(frame, pl.DataFrame)
        else pl.DataFrame(frame)
        if isinstance(frame, pa.Table)
        else pl.from_pandas(frame)
    )


@pytest.mark.parametrize("record", [None, "secret 7", ["secret 7"], pd.Series(FRAME.row(0, named=True))], ids=type)
def test_what_is_no_record_is_refused_and_the_stream_goes_on(record):
    stream = StreamAnonymizer(PLAN)
    with pytest.raises(DataError, match="a record must be a mapping from columns to values") as refused:
        stream.push(record)
    assert "secret" not in str(refused.value)
    assert push_all(stream, FRAME) == RECORDS


def test_numbers_of_arrow_may_have_a_declared_order_of_texts():
    levels = {"role": "quasi_identifier", "kind": "ordinal", "order": ["1", "2", "3"]}
    stream = StreamAnonymizer(Plan(k=2, attributes={"level": levels}))
    frame = pa.table({"level": pa.array([1, 2, 2, 3], pa.int64())})
    left = pa.concat_tables([stream.push_many(frame), stream.flush()])
    assert left.schema == frame.schema
    assert sorted(left["level"].to_pylist()) == [1, 1, 2, 2]


def test_texts_of_arrow_may_be_of_two_widths():
    county = {"role": "quasi_identifier", "kind": "nominal"}
    records = [{"county": letter} for letter in "aabbab"]
    narrow = pa.Table.from_pylist(records)
    wide = narrow.cast(pa.schema([("county", pa.large_string())]))
    for first, second in ((narrow, wide), (wide, narrow)):
        stream = StreamAnonymizer(Plan(k=2, attributes={"county": county}))
        left = [stream.push_many(first), stream.push_many(second), stream.flush()]
        assert sorted(pa.concat_tables(left)["county"].to_pylist()) == list("aaaaaabbbbbb")
    stream = StreamAnonymizer(Plan(k=2, attributes={"county": county}))
    for record in records[:3]:
        stream.push(record)
    assert stream.push_many(wide).num_rows + stream.flush().num_rows == 9


@pytest.mark.parametrize(
    ("first", "second", "type_"),
    [
        (pa.array([dt.time(10)] * 2, pa.time32("s")), pa.array([dt.time(10, 0, 0, 123457)] * 2), r"time32\[s\]"),
        (pa.array([1, 2]), pa.array([123457, None]), "int64 not null"),
    ],
)
def test_cells_of_arrow_that_do_not_fit_are_refused_without_their_values(first, second, type_):
    attributes = {"age": {"role": "quasi_identifier", "kind": "numeric"}, "it": {"role": "other"}}
    stream = StreamAnonymizer(Plan(k=2, attributes=attributes))
    ages, kept = pa.array([1, 2]), pa.field("it", first.type, nullable="not null" not in type_)
    stream.push_many(pa.table([ages, first], schema=pa.schema([("age", pa.int64()), kept])))
    with pytest.raises(DataError, match=rf"began with: 'it' \({type_}\)\. Give all frames") as refused:
        stream.push_many(pa.table({"age": ages, "it": second}))
    assert "123457" not in str(refused.value)
    assert refused.value.__context__ is None
    assert stream.stats.arrived == 2
    assert stream.flush().num_rows == 2


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_texts_of_pandas_may_have_gaps(dtype):
    county = {"role": "quasi_identifier", "kind": "nominal"}
    asked = Plan(k=2, missing="impute", attributes={"county": county})
    frame = pl.DataFrame({"county": ["a", "b", None, "a", "b", "b"]})
    columns = []
    for each in (frame, frame.to_pandas().astype(dtype)):
        stream = StreamAnonymizer(asked)
        columns.append([*stream.push_many(each)["county"], *stream.flush()["county"]])
    assert columns[0] == columns[1]
    assert set(columns[0]) == {"a", "b"}


def test_a_pandas_index_does_not_leave():
    frame = FRAME.to_pandas().set_index(pd.Index([f"secret {i}" for i in range(400)]))
    stream = StreamAnonymizer(PLAN)
    assert stream.push_many(frame).index.tolist()[:3] == [0, 1, 2]


def test_what_is_noted_beside_the_cells_does_not_leave():
    noted = FRAME.to_pandas()
    noted.attrs["source"] = "secret"
    stream = StreamAnonymizer(PLAN)
    assert (stream.push_many(noted).attrs, stream.push_many(noted).attrs, stream.flush().attrs) == ({}, {}, {})
    assert noted.attrs == {"source": "secret"}, "what came in is left alone"
    arrow = FRAME.to_arrow()
    schema = pa.schema([field.with_metadata({"example": "secret"}) for field in arrow.schema], {"source": "secret"})
    for frame in (arrow.cast(schema), arrow.cast(schema).combine_chunks().to_batches()[0]):
        left = StreamAnonymizer(PLAN).push_many(frame).schema
        assert left.metadata is None
        assert [field.metadata for field in left] == [None] * len(left)


LISTED = ["gone", "waits", "a", "b"]
LISTING = {
    "pandas": lambda cells: pd.DataFrame({**cells, **{name: pd.Categorical(cells[name], LISTED) for name in "xyz"}}),
    "pandas, ordered": lambda cells: pd.DataFrame(
        {**cells, **{name: pd.Categorical(cells[name], LISTED, ordered=True) for name in "xyz"}}
    ),
    "polars": lambda cells: pl.DataFrame(cells, schema_overrides=dict.fromkeys("xyz", pl.Enum(LISTED))),
    "pyarrow": lambda cells: pa.table({**cells, **{name: pa.array(cells[name]).dictionary_encode() for name in "xyz"}}),
}


def labels_of(frame, name):
    """The labels that the type of a column lists."""
    column = frame[name]
    if isinstance(frame, pl.DataFrame):
        return column.dtype.categories.to_list()
    return column.cat.categories.tolist() if isinstance(frame, pd.DataFrame) else column.chunk(0).dictionary.to_pylist()


@pytest.mark.parametrize("library", LISTING)
def test_types_list_no_category_that_was_masked_or_still_waits(library):
    plan = Plan(
        k=5,
        subject="record",
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "x": {"role": "quasi_identifier", "kind": "nominal"},
            "y": {"role": "confidential", "kind": "nominal"},
            "z": {"role": "confidential", "kind": "ordinal", "order": LISTED},
        },
    )
    x, y = ["a", "b"] * 20, ["a", "b"] * 20
    x[7], y[39] = "gone", "waits"
    stream = StreamAnonymizer(plan, max_delay=20)
    left = stream.push_many(LISTING[library]({"age": [i % 9 for i in range(40)], "x": x, "y": y, "z": y}))
    assert 0 < len(left) < 40
    assert sorted(labels_of(left, "x")) == ["a", "b"]
    assert sorted(labels_of(left, "y")) == ["a", "b"]
    scale = LISTED if library in ("pandas, ordered", "polars") else ["a", "b"]
    assert labels_of(left, "z") == scale, "the steps of a scale are the plan's"


@settings(max_examples=25)
@given(cuts=st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=6))
def test_records_and_frames_may_be_mixed(cuts):
    stream = StreamAnonymizer(PLAN)
    left: list[dict] = []
    edges = [(0, True), *sorted(cuts), (400, True)]
    for (begin, as_frame), (end, _) in pairwise(edges):
        part = FRAME[begin:end]
        if as_frame:
            left += stream.push_many(part).rows(named=True)
        else:
            left += [record for row in part.iter_rows(named=True) for record in stream.push(row)]
    rest = stream.flush()
    left += rest if isinstance(rest, list) else rest.rows(named=True)
    assert left == RECORDS


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize("at", [0, 17, 200, 400])
def test_saving_and_restoring_changes_nothing(tmp_path, at, as_frame):
    stream = StreamAnonymizer(PLAN)
    if as_frame:
        left = stream.push_many(FRAME[:at]).rows(named=True)
    else:
        left = [record for row in FRAME[:at].iter_rows(named=True) for record in stream.push(row)]
    stream.save(tmp_path / "state", extra={"offset": at})
    stream, extra = StreamAnonymizer.restore(tmp_path / "state", plan=PLAN)
    assert extra == {"offset": at}
    if as_frame:
        left += stream.push_many(FRAME[at:]).rows(named=True) + stream.flush().rows(named=True)
    else:
        left += push_all(stream, FRAME[at:])
    assert left == RECORDS


def test_a_state_of_pandas_frames_with_missing_times_comes_back(tmp_path):
    times = pd.to_datetime(["2024-01-01 12:00", None, "2024-01-05 13:00"])
    stream = StreamAnonymizer(dates_plan(missing="impute"), max_delay=5)
    stream.push_many(pd.DataFrame({"at": times}))
    stream.save(tmp_path / "state")
    again, _ = StreamAnonymizer.restore(tmp_path / "state")
    assert again.flush() == [{"at": dt.datetime(2024, 1, 3, 12, 30)}] * 3, "times, as they came, and not dates"


def test_a_state_of_another_plan_is_refused(tmp_path):
    StreamAnonymizer(PLAN).save(tmp_path / "state")
    with pytest.raises(PlanError, match="another plan"):
        StreamAnonymizer.restore(tmp_path / "state", plan=PLAN.replace(k=5))


@pytest.mark.parametrize(
    "option",
    [
        {"max_delay": 12},
        {"position_weight": 5.0},
        {"bounds": {"age": (0, 40)}},
        {"sweeps": 0},
    ],
)
def test_options_change_what_leaves_and_mean_the_same_in_the_plan(option):
    given_here = push_all(StreamAnonymizer(PLAN, **option), FRAME)
    section = {"max_delay": 30, **option}
    assert given_here != RECORDS
    assert given_here == push_all(StreamAnonymizer(PLAN.replace(stream=section)), FRAME)


def test_the_manifest_tells_the_normalisation_and_no_values():
    stream = StreamAnonymizer(PLAN, bounds={"age": (0, 120)})
    push_all(stream, FRAME)
    assert stream.manifest["normalisation"] == {
        "age": "given bounds",
        "pay": "running bounds",
        "born": "running bounds",
    }
    assert stream.manifest["stats"]["arrived"] == 400
    assert stream.manifest["plan"]["stream"]["bounds"] == {"age": [0.0, 120.0]}


def test_stats_add_up():
    stream = StreamAnonymizer(PLAN)
    stream.push_many(FRAME)
    stats = stream.stats
    assert stats.arrived == 400 == stats.buffered + stats.released + sum(stats.dropped.values())
    assert 0 < stats.mse < 5
    assert stats.mse <= stats.mae * np.sqrt(5)
    assert stats.delay_quantiles["0.5"] <= stats.delay_quantiles["0.99"] <= stats.delay_max == 30
    assert 0 < stats.position_difference_avg <= stats.position_difference_max <= 30
    assert stream.oldest > 400 - 31


ROW = FRAME.row(0, named=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": "40"}, "'age' must be a number"),
        ({"age": True}, "'age' must be a number"),
        ({"age": float("inf")}, "'age' must be finite"),
        ({"age": 10**400}, "'age' must be finite"),
        ({"age": None}, "'age' has a missing value"),
        ({"age": float("nan")}, "'age' has a missing value"),
        ({"level": "medium"}, "'level' has a value outside"),
        ({"level": None}, "'level' has a missing value"),
        ({"county": ["A"]}, "'county' must be one value"),
        ({"county": "\ud800"}, "not valid Unicode"),
        ({"born": "30.2.2020"}, "'born' has a text that is no date"),
        ({"born": 5}, "'born' must be a date"),
        ({"who": None}, "'who' has a missing value"),
        ({"extra": 1}, "does not declare: 1"),
    ],
)
def test_records_that_do_not_fit_are_refused_without_their_values(change, message):
    stream = StreamAnonymizer(PLAN)
    with pytest.raises(DataError, match=message) as caught:
        stream.push({**ROW, **change})
    assert "medium" not in str(caught.value)
    assert stream.stats.arrived == 0


def test_a_missing_key_is_refused():
    with pytest.raises(DataError, match="does not have 'age'"):
        StreamAnonymizer(PLAN).push({name: value for name, value in ROW.items() if name != "age"})


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("age", [None] * 400, dtype=pl.Int64),
        pl.Series("age", [float("inf")] * 400),
        pl.Series("age", ["x"] * 400),
        pl.Series("level", ["medium"] * 400),
        pl.Series("county", [None] * 400, dtype=pl.String),
        pl.Series("who", [None] * 400, dtype=pl.String),
        pl.Series("born", ["x"] * 400),
    ],
)
def test_frames_that_do_not_fit_are_refused_whole(column):
    stream = StreamAnonymizer(PLAN)
    with pytest.raises(DataError, match=column.name):
        stream.push_many(FRAME.with_columns(column))
    assert stream.stats.arrived == 0


def test_a_refused_record_does_not_decide_the_form_of_dates():
    stream = StreamAnonymizer(PLAN)
    with pytest.raises(DataError):
        stream.push({**ROW, "born": "2020-01-01T10:00:00", "charge": 1, "who": None})
    stream.push({**ROW, "born": "2020-01-01"})
    with pytest.raises(DataError, match="changes from text date to date"):
        stream.push(ROW)


def test_a_stream_keeps_to_one_type_and_library():
    stream = StreamAnonymizer(PLAN)
    stream.push_many(FRAME[:10])
    with pytest.raises(DataError, match="'age' changes its type"):
        stream.push_many(FRAME.with_columns(pl.col("age").cast(pl.Float64)))
    with pytest.raises(DataError, match="one kind of frame"):
        stream.push_many(FRAME.to_pandas())
    assert stream.stats.arrived == 10


def dates_plan(**attribute):
    return Plan(
        k=2, attributes={"at": {"role": "quasi_identifier", "kind": "date", **attribute}}, stream={"max_delay": 1}
    )


@pytest.mark.parametrize(
    ("attribute", "first", "second", "middle"),
    [
        ({}, dt.date(2024, 1, 1), dt.date(2024, 1, 4), dt.date(2024, 1, 2)),
        ({}, "2024-01-01", "2024-01-03", "2024-01-02"),
        ({"format": "%d/%m/%Y"}, "01/01/2024", "03/01/2024", "02/01/2024"),
        ({"format": "%d/%m/%Y %H:%M"}, "01/01/2024 10:00", "01/01/2024 10:04", "01/01/2024 10:02"),
        ({}, dt.datetime(2024, 1, 1, 10, 0), dt.datetime(2024, 1, 1, 10, 3), dt.datetime(2024, 1, 1, 10, 2)),
        ({}, "2024-01-01T10:00:00+02:00", "2024-01-01T08:30:00+00:00", "2024-01-01T08:15:00+00:00"),
    ],
)
def test_dates_leave_in_the_form_they_came_in(attribute, first, second, middle):
    stream = StreamAnonymizer(dates_plan(**attribute))
    stream.push({"at": first})
    assert stream.push({"at": second}) == [{"at": middle}, {"at": middle}]


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("us", "Europe/Madrid"), pl.Datetime("ns")])
def test_dates_in_frames_keep_their_type(dtype):
    frame = pl.DataFrame({"at": [dt.date(2024, 1, 1), dt.date(2024, 1, 3)]}).cast({"at": pl.Datetime("us")})
    frame = frame.with_columns(
        pl.col("at").dt.replace_time_zone("Europe/Madrid")
        if getattr(dtype, "time_zone", None)
        else pl.col("at").cast(dtype)
    )
    left = StreamAnonymizer(dates_plan()).push_many(frame)
    assert left.schema == frame.schema
    assert left["at"].dt.date().to_list() == [dt.date(2024, 1, 2)] * 2


def test_missing_cells_by_policy():
    plan = Plan(
        k=2,
        missing="category",
        attributes={
            "a": {"role": "quasi_identifier", "kind": "numeric", "missing": "impute"},
            "o": {"role": "quasi_identifier", "kind": "ordinal", "order": [1, 2, 3]},
            "n": {"role": "quasi_identifier", "kind": "nominal"},
        },
        stream={"max_delay": 1},
    )
    stream = StreamAnonymizer(plan)
    stream.push({"a": None, "o": None, "n": None})
    assert stream.push({"a": 4.0, "o": None, "n": None}) == [{"a": 4.0, "o": None, "n": None}] * 2
    stream.push({"a": None, "o": 2, "n": "x"})
    assert stream.push({"a": None, "o": 2, "n": "x"}) == [{"a": None, "o": 2, "n": "x"}] * 2
    frame = pl.DataFrame(
        {"a": [None, 4.0], "o": [None, None], "n": [None, None]}, schema={"a": float, "o": int, "n": str}
    )
    assert StreamAnonymizer(plan).push_many(frame).rows() == [(4.0, None, None)] * 2


def test_decimal_and_numpy_numbers_are_numbers():
    plan = Plan(k=2, attributes={"a": {"role": "quasi_identifier", "kind": "numeric"}}, stream={"max_delay": 1})
    stream = StreamAnonymizer(plan)
    stream.push({"a": Decimal("1.5")})
    assert stream.push({"a": np.int64(2)}) == [{"a": 1.75}] * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "vmdav"}, "method is a choice for tables"),
        ({"preserve_variance": True}, "preserve_variance is a choice for tables"),
        ({"by": "ward"}, "by is a choice for tables"),
        ({"release": "permute"}, "releases averages"),
        ({"stream": {"on_unclose": "merge"}}, "changes nothing without"),
        ({"stream": {"max_delay": 2}}, "max_delay is 2 but k is 4"),
    ],
)
def test_choices_that_a_stream_cannot_honour_are_refused(changes, message):
    attributes = {**PLAN.to_dict()["attributes"], "age": {"role": "quasi_identifier", "kind": "numeric"}}
    with pytest.raises(PlanError, match=message):
        StreamAnonymizer(PLAN.replace(attributes=attributes, **changes))


@pytest.mark.parametrize("attribute", [{"kind": "ordinal"}, {"kind": "numeric", "scale": "zscore"}])
def test_attributes_that_a_stream_cannot_honour_are_refused(attribute):
    plan = Plan(k=2, attributes={"a": {"role": "quasi_identifier", **attribute}})
    with pytest.raises(PlanError, match=r"attributes\.a"):
        StreamAnonymizer(plan)


def test_the_name_is_public():
    assert shoal.StreamAnonymizer is StreamAnonymizer
