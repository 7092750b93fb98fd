"""What every registered kind of attribute must do: the same for a column, a single record, Arrow and a stream."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal import DataError, Plan, StreamAnonymizer
from shoal.aggregate import Groups, mask
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds import Kind, Missing, Operator
from shoal.kinds.attribute_kind import Members
from shoal.kinds.column import Column, Spec
from shoal.kinds.registry import KINDS, kind_of, read_column, to_frame_columns
from shoal.kinds.stream_column import ContinuousColumn
from shoal.kinds.taxonomy import Taxonomy

ORDER = ("low", "mid", "high", "top")
TREE = {"lungs": ["flu", "asthma"], "skin": ["rash", "acne"]}


@dataclass(frozen=True)
class Example:
    """Records of a kind: three that are alike, then others, each value twice at least; how a plan declares them."""

    cells: dict[str, list[Any]]
    said: dict[str, Any] = field(default_factory=dict)
    spec: dict[str, Any] = field(default_factory=dict)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.cells)


EXAMPLES = {
    "numeric": Example({"x": [1.5, 1.5, 1.5, 7.0, 7.0, 2.25, 2.25]}),
    "ordinal": Example({"x": ["mid"] * 3 + ["high", "high", "top", "top"]}, {"order": list(ORDER)}, {"order": ORDER}),
    "nominal": Example({"x": ["b", "b", "b", "a", "a", "c", "c"]}),
    "date": Example({"x": [dt.date(2020, 2, day) for day in (3, 3, 3, 20, 20, 7, 7)]}),
    "place": Example(
        {"x": [41.5, 41.5, 41.5, -17.0, -17.0, 40.25, 40.25], "lon": [2.0, 2.0, 2.0, 178.0, 178.0, -3.5, -3.5]},
        {"longitude": "lon"},
        {"longitude": "lon"},
    ),
    "cyclic": Example({"x": [23.0, 23.0, 23.0, 1.0, 1.0, 11.5, 11.5]}, {"period": 24.0}, {"period": 24.0}),
    "tree": Example(
        {"x": ["rash", "rash", "rash", "flu", "flu", "acne", "acne"]},
        {"hierarchy": TREE},
        {"taxonomy": Taxonomy.of(TREE)},
    ),
}
EXAMPLES |= {name: Example(dict(kind.example)) for name, kind in KINDS.items() if kind.example}
KIND_OF_PLAN = {name: name if isinstance(name, Kind) else Kind.NOMINAL for name in KINDS}


@pytest.fixture(params=KINDS)
def name(request: pytest.FixtureRequest) -> str:
    assert request.param in EXAMPLES, "a new kind needs an example here, one from outside an `example` of its own"
    return request.param


def spec_of(name: str, **choices: Any) -> Spec:
    return Spec(name="x", kind=KIND_OF_PLAN[name], **EXAMPLES[name].spec, **choices)


def with_gap(name: str) -> pl.DataFrame:
    """The records, the last of which has no value."""
    frame = EXAMPLES[name].frame()
    return frame.with_columns(
        pl.when(pl.int_range(pl.len()) < len(frame) - 1).then(column).alias(column) for column in frame.columns
    )


def points(encoder: Encoder, column: Column) -> np.ndarray:
    """The coordinates, ranks and codes of a column, side by side."""
    made = encoder.apply([column])
    return np.column_stack([made.coords, made.ranks, made.codes])


def operators(name: str) -> list[Operator]:
    return [operator for operator in KIND_OF_PLAN[name].operators if name == "tree" or not operator.needs_tree]


def test_a_kind_is_found_by_its_name_and_named_in_a_plan(name):
    assert KINDS[name].name == name
    assert kind_of(spec_of(name)) is KINDS[name]
    said = {"role": "quasi_identifier", "kind": str(KIND_OF_PLAN[name]), **EXAMPLES[name].said}
    plan = Plan.parse(Plan(k=4, attributes={"x": said}).to_toml())
    assert kind_of(plan.spec("x")) is KINDS[name]
    assert plan.attributes["x"].kind is KIND_OF_PLAN[name]


def test_what_is_read_is_written_back(name):
    table = Table.of(EXAMPLES[name].frame())
    column = read_column(table, spec_of(name))
    assert column.values.dtype == KINDS[name].dtype
    assert column.missing is None
    assert len(column) == len(table)
    back = Table.of(table.replace(to_frame_columns(column)))
    assert back.frame.to_native().equals(EXAMPLES[name].frame())


def test_a_column_of_arrow_is_read_as_any_other(name):
    frame = with_gap(name)
    spec = spec_of(name, missing=Missing.IMPUTE)
    one, other = (read_column(Table.of(each), spec) for each in (frame, frame.to_arrow()))
    assert np.array_equal(one.observed, other.observed)
    assert np.array_equal(one.missing, other.missing)
    assert (one.levels, one.origin, one.whole) == (other.levels, other.origin, other.whole)


def test_a_gap_is_refused_or_stands_at_one_place(name):
    table = Table.of(with_gap(name))
    with pytest.raises(DataError, match="column 'x' has 1 missing value, the first in row 7"):
        read_column(table, spec_of(name))
    column = read_column(table, spec_of(name, missing=Missing.IMPUTE))
    assert column.missing.tolist() == [False] * 6 + [True]
    encoder = Encoder.fit([column])
    made = points(encoder, column)
    assert np.isfinite(made).all()
    # Whatever else is there, a gap stands where it stood.
    gaps = column.take(np.array([6, 6], dtype=np.int64))
    assert np.array_equal(points(encoder, gaps), made[[6, 6]])


def test_an_encoder_goes_through_json_and_compares_single_records_as_tables(name):
    frame = with_gap(name)
    spec = spec_of(name, missing=Missing.IMPUTE, weight=2.0)
    column = read_column(Table.of(frame), spec)
    encoder = Encoder.fit([column])
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    made = points(encoder, column)
    for row in range(len(frame)):
        alone = read_column(Table.of(frame[row : row + 1]), spec)
        assert np.array_equal(points(again, alone), made[row : row + 1])
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[3])


@pytest.mark.parametrize("name", [name for name, kind in KIND_OF_PLAN.items() if kind.is_categorical])
def test_categories_are_learnt_from_their_counts_as_from_records(name):
    frame = EXAMPLES[name].frame()
    spec = spec_of(name)
    counted = frame.group_by("x").len().sort("x")
    records = counted["len"].to_numpy().astype(np.int64)
    learnt = kind_of(spec).fit(read_column(Table.of(counted.select("x")), spec), spec.scale, records)
    assert learnt == kind_of(spec).fit(read_column(Table.of(frame), spec), spec.scale)


@pytest.mark.parametrize("weighted", [False, True], ids=["records", "weights"])
def test_a_group_of_equal_values_keeps_them_and_rows_do_not_matter(name, weighted):
    column = read_column(Table.of(EXAMPLES[name].frame()), spec_of(name))
    weights = np.array([1.0, 2.0, 3.0, 1.0, 5.0, 1.0, 1.0]) if weighted else None
    turned = np.arange(len(column))[::-1]
    for operator in operators(name):
        own = replace(column, spec=replace(column.spec, aggregate=operator))
        alike = mask(own, Groups(np.array([0, 0, 0, 1, 1, 2, 2])), weights=weights)
        before, after = (to_frame_columns(each)["x"] for each in (own, alike))
        assert cells(before) == cells(after)
        if operator is Operator.DRAW:
            continue
        labels = np.array([0, 0, 0, 0, 1, 1, 1])
        masked = mask(own, Groups(labels), weights=weights)
        other = mask(own.take(turned), Groups(labels[turned]), weights=None if weights is None else weights[turned])
        assert np.allclose(masked.values, other.values[turned])
        assert len(set(cells(to_frame_columns(masked)["x"])[:4])) == 1


def cells(column: Any) -> list[str]:
    """What a frame would hold, as text: numbers, instants, or labels."""
    if hasattr(column, "codes"):
        labels = column.labels if hasattr(column, "labels") else column.texts
        return [str(labels[code]) for code in column.codes]
    return [str(value) for value in column.values]


def test_a_group_without_a_value_stays_missing_as_a_whole(name):
    column = read_column(Table.of(with_gap(name)), spec_of(name, missing=Missing.IMPUTE))
    masked = mask(column, Groups(np.array([0, 0, 0, 0, 0, 0, 1])))
    assert masked.missing.tolist() == [False] * 6 + [True]


def test_what_is_rounded_stays_as_it_is(name):
    spec = spec_of(name, round=KIND_OF_PLAN[name].is_number)
    column = read_column(Table.of(EXAMPLES[name].frame()), spec)
    kind = kind_of(spec)
    centres = kind.average(column, Members(np.array([0, 0, 1, 1, 1, 2, 2]), 3)).values
    rounded = kind.rounded(centres, column)
    assert np.array_equal(kind.rounded(rounded, column), rounded)
    assert np.array_equal(kind.rounded(column.values, column), column.values)


def test_values_go_through_json(name):
    column = read_column(Table.of(with_gap(name)), spec_of(name, missing=Missing.IMPUTE))
    kind = kind_of(column.spec)
    plain = json.loads(json.dumps(kind.to_plain(column)))
    back = kind.from_plain([*plain[:-1], None])
    assert back.dtype == column.values.dtype
    assert np.array_equal(back[:-1], column.values[:-1])


def test_equal_values_have_equal_texts(name):
    column = read_column(Table.of(EXAMPLES[name].frame()), spec_of(name))
    texts = kind_of(column.spec).texts(column, column.values)
    assert all(isinstance(text, str) for text in texts)
    for i, one in enumerate(column.values):
        assert [text == texts[i] for text in texts] == [bool(other == one) for other in column.values]
    # Read from a part of the table, a value has the text that it has in the whole.
    part = read_column(Table.of(EXAMPLES[name].frame()[3:]), spec_of(name))
    assert kind_of(part.spec).texts(part, part.values) == texts[3:]


def test_a_stream_reads_records_as_it_reads_tables(name):
    frame = with_gap(name)
    column = KINDS[name].stream_column(spec_of(name, missing=Missing.IMPUTE))
    of_table = np.column_stack(column.axes_of(Table.of(frame)))
    of_records = np.array([column.axes(record) for record in frame.rows(named=True)])
    assert of_table.shape == (len(frame), column.width)
    assert np.array_equal(of_table, of_records, equal_nan=True)
    assert np.isnan(of_table[-1]).all()
    assert not np.isnan(of_table[:-1]).any()
    assert column.names == tuple(EXAMPLES[name].cells)


def test_a_stream_refuses_gaps_as_a_table_does(name):
    frame = with_gap(name)
    column = KINDS[name].stream_column(spec_of(name))
    with pytest.raises(DataError, match="column 'x' has a missing value"):
        column.axes(frame.rows(named=True)[-1])
    with pytest.raises(DataError, match="column 'x' has 1 missing value, the first in row 7"):
        column.axes_of(Table.of(frame))


@pytest.mark.parametrize("name", [name for name, kind in KIND_OF_PLAN.items() if not kind.is_categorical])
def test_precisions_of_a_stream_are_known_again(name):
    column = KINDS[name].stream_column(spec_of(name))
    assert isinstance(column, ContinuousColumn)
    for cells in column.axes_of(Table.of(EXAMPLES[name].frame())):
        for precision in column.precisions(cells, np.array([0, 3], dtype=np.int64)).tolist():
            column.require_precision(precision)
    with pytest.raises(ValueError, match=r"round|precision"):
        column.require_precision(101)


def test_a_stream_releases_what_a_table_does(name):
    """Four records, three of them alike, are one group: it has the values that a table gives it."""
    frame = EXAMPLES[name].frame()[:4].with_columns(place=pl.Series(range(4)))
    said = {"role": "quasi_identifier", "kind": KIND_OF_PLAN[name], **EXAMPLES[name].said}
    plan = Plan(k=4, attributes={"x": said, "place": {"role": "other"}}, stream={"max_delay": 3})
    column = mask(read_column(Table.of(frame), plan.spec("x")), Groups(np.zeros(4, dtype=np.int64)))
    expected = Table.of(Table.of(frame).replace(to_frame_columns(column))).frame.to_native().rows(named=True)[0]
    stream = StreamAnonymizer(plan)
    left = [record for row in frame.rows(named=True) for record in stream.push(row)] + stream.flush()
    assert sorted(record["place"] for record in left) == [0, 1, 2, 3]
    in_frames = StreamAnonymizer(plan)
    together = pl.concat([in_frames.push_many(frame), in_frames.flush()])
    for record in (*left, *together.rows(named=True)):
        for part in EXAMPLES[name].cells:
            value = record[part]
            assert value == pytest.approx(expected[part]) if isinstance(value, float) else value == expected[part]
            assert not (isinstance(value, float) and math.isnan(value))
