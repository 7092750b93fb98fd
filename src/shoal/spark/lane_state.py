"""What a lane is given and what is kept of it: its rows by places and types, its state between two micro-batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.errors import DataError, PlanError
from shoal.plan import Plan
from shoal.plan.missing_values import missing_values
from shoal.spark.fields import quoted
from shoal.stream import StreamAnonymizer
from shoal.stream.engine.snapshot import pack_snapshot, unpack_snapshot

LANE = "lane"
"""The column of lanes."""

TIE = "tie"
"""The column by which rows are ordered that no other column orders."""

BEYOND = "beyond"
"""The column that names the first column of the plan whose date Python cannot hold; it is null where none is."""

_FIRST, _LAST = -62_135_510_400_000_000, 253_402_300_799_999_999
"""The moments that Python holds in any zone at their beginning, and in UTC at their end, in microseconds since 1970."""
PYTHON_TYPES = {"float": float, "double": float} | dict.fromkeys(("byte", "short", "integer", "long"), int)
"""The Python types of Spark's numbers, by their names; what is none leaves as it came."""


def lane_rows(frame: DataFrame, plan: Plan, *, lane: str | None, order: Sequence[str]) -> DataFrame:
    """Return the rows that a processor of lanes takes, with the column of lanes first; without one all are one lane."""
    types = {field.name: field.dataType.typeName() for field in frame.schema}
    outside = {name: where for name, kind in types.items() if (where := _outside(name, kind)) is not None}

    def possible(name: str) -> Column:
        return F.when(outside[name], F.lit(None)).otherwise(_cell(name)) if name in outside else _cell(name)

    beyond = [F.when(outside[name], F.lit(name)) for name in plan.attributes if name in outside]
    means_none = [] if lane is None else missing_values(plan, [lane]).get(lane, ())
    return frame.select(
        (F.lit(0) if lane is None else _lane(possible(lane), types[lane], means_none)).alias(LANE),
        *(possible(name).alias(f"order{place}") for place, name in enumerate(order)),
        _tie(frame).alias(TIE),
        F.coalesce(*beyond, F.lit(None).cast("string")).alias(BEYOND),
        *(possible(name).alias(f"column{place}") for place, name in enumerate(plan.attributes)),
    )


def _tie(frame: DataFrame) -> Column:
    """Return a hash of the content, as far as it has one; a hash by itself skips what is null."""
    kinds = {field.name: field.dataType.simpleString() for field in frame.schema}
    cells = [_cell(name) for name, kind in kinds.items() if not any(word in kind for word in ("map<", "variant"))]
    return F.xxhash64(*cells, *(_cell(name).isNull() for name in kinds))


def _outside(name: str, kind: str) -> Column | None:
    """Return whether a date is outside the years that Python has; None for columns without dates of their own."""
    cell = _cell(name)
    years = F.year(cell).between(1, 9999)
    match kind:
        case "date" | "timestamp_ntz":
            return ~years
        case "timestamp":  # which Python gets in the zone of the session
            return ~(years & F.unix_micros(cell).between(_FIRST, _LAST))
        case _:
            return None


def _lane(cell: Column, kind: str, means_none: Sequence[Any]) -> Column:
    """Return the lane of each record: null where the engine takes its value for none, so that no id tells it."""
    if kind == "string":
        cell = cell.cast("string")  # by its letters, where the column is compared in another way
    if kind in PYTHON_TYPES:
        means_none = [number for number in map(_number, means_none) if number is not None]
    if PYTHON_TYPES.get(kind) is int:
        means_none = [int(number) for number in means_none if number.is_integer() and abs(number) < 2**63]
    if means_none and kind != "boolean":
        written = cell.cast("string") if kind == "date" else cell
        words = [str(value) for value in means_none] if kind in ("string", "date") else means_none
        cell = F.when(written.isin(words), F.lit(None)).otherwise(cell)
    return F.when(F.isnan(cell), F.lit(None)).otherwise(cell) if PYTHON_TYPES.get(kind) is float else cell


def _number(value: str | float) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _cell(name: str) -> Column:
    return F.col(quoted(name))


_LATEST = 2**62
"""The last millisecond that a state may name: far beyond any clock, and whole in 64 bits."""


class LaneTerms(NamedTuple):
    """What the records of a state were taken by, beside the plan: under other terms they would mean something else."""

    lane: str | None = None  # the column of the lane; None where there is one only
    types: Mapping[str, str] = {}  # the columns of the plan and their types, as Spark writes them


_Moment = Annotated[int, Field(ge=0, le=_LATEST)]


class _Header(BaseModel, strict=True, extra="forbid"):
    """What is kept of a lane, as it is written."""

    stream: Any
    arrivals: list[Annotated[list[_Moment], Field(min_length=2, max_length=2)]]
    timer: _Moment | None
    lane: str | None
    types: dict[str, str]


class LaneState(NamedTuple):
    """A lane between two micro-batches."""

    stream: StreamAnonymizer
    # for each micro-batch of which records wait, the first position of its records, and when it came
    arrivals: list[tuple[int, int]]
    timer: int | None  # when Spark calls next of its own accord; None where it does not


def pack_lane(state: LaneState, terms: LaneTerms) -> bytes:
    """Return a lane in bytes, records that wait as they came among it."""
    header, parts = state.stream.dump()
    own = {"arrivals": state.arrivals, "timer": state.timer, "lane": terms.lane, "types": dict(terms.types)}
    return pack_snapshot({"stream": header, **own}, parts)


def unpack_lane(content: bytes, plan: Plan, terms: LaneTerms) -> LaneState:
    """Return the lane that `pack_lane` was given.

    Raises DataError: the bytes are damaged, or hold what no lane keeps, or records whose columns have other types.
    Raises PlanError: they belong to another plan, or to lanes by another column.
    """
    header, parts = unpack_snapshot(content, where="the state of a lane")
    try:
        kept = _Header.model_validate(header)
    except ValidationError:
        raise _not_a_lane() from None
    stream = StreamAnonymizer.load(kept.stream, parts, plan=plan)
    if kept.lane != terms.lane:
        raise PlanError(
            f"lane is {terms.lane!r}, and the checkpoint was begun with {kept.lane!r}: groups would mix lanes; go on "
            "with that one, or start anew with another checkpoint"
        )
    positions = [position for position, _ in kept.arrivals]
    in_order = positions == sorted(positions) and max(positions, default=0) <= stream.arrived
    if not in_order or kept.types.keys() != terms.types.keys():
        raise _not_a_lane()
    for name, kind in terms.types.items():
        if kept.types[name] != kind:
            raise DataError(
                f"column {name!r} has the type {kind}, and the checkpoint was begun with {kept.types[name]}: go on "
                "with that one, or start anew with another checkpoint"
            )
    return LaneState(stream, [(position, at) for position, at in kept.arrivals], kept.timer)


def _not_a_lane() -> DataError:
    return DataError("the state of a lane is not what it should be: start anew with another checkpoint")
