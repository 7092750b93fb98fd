"""anonymize_stream: Structured Streaming through the engine of streams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.errors import DataError, PlanError, nearest
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_values import missing_values
from shoal.stream import StreamAnonymizer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
"""The state store that `transformWithState` works with."""

_PROVIDER_KEY = "spark.sql.streaming.stateStore.providerClass"
_LONGEST = 10**9
_NESTED = ("array", "map", "struct", "variant")
_WITH_GAPS = ("string", "byte", "short", "integer", "long", "float", "double", "boolean", "date")
"""The types of lanes in which Spark finds the values that mean none as the engine does."""


def anonymize_stream(
    df: DataFrame,
    plan: Plan,
    *,
    lane: str | None = None,
    order: str | Sequence[str] = (),
    max_seconds: float | None = None,
    id: str | None = None,
    reason: str | None = None,
) -> DataFrame:
    """Anonymize a streaming DataFrame: every record leaves in a group of k subjects of its lane, or is dropped.

    Parameters
    ----------
    df
        A streaming DataFrame with the columns of the plan, and those of ``order``.
    plan
        The columns and k; ``[stream]`` for the rest. What a stream cannot do is refused here, before a query starts.
    lane
        The column whose values are streams of their own, each with its engine and its state; a column of the plan of
        plain values that is no identifier, not confidential, and leaves as it came. What the plan calls missing is one
        lane without a name. None makes all records one stream, which one task carries.
    order
        Columns that say in which order the records of a lane came, such as ``offset`` of a Kafka topic or a time; they
        need not be of the plan. Spark keeps no order within a micro-batch: without them its records are taken in an
        order by chance that their content decides, the same whenever it is run.
    max_seconds
        The most seconds that a record waits, to the next trigger; then it leaves with those that wait, or is dropped
        where these are of fewer than k subjects. None lets records wait until ``max_delay`` others have come.
    id
        The name of a column of ids: the lane and the number of the release. Those of a micro-batch that is run again
        are the same, so that a reader can skip what it has seen.
    reason
        The name of a column that says why a record did not leave: it did not fit the plan, or was dropped. Such a row
        has no value of its record but the lane, where the plan takes its value. None ends the query at the first record
        that does not fit.

    Returns
    -------
    DataFrame
        Streaming, in the output mode append: the columns that leave, in the order of the plan.

    Raises
    ------
    PlanError, DataError
        One sentence: the plan, an option or the columns are not what a stream takes.

    Notes
    -----
    The engine is `shoal.StreamAnonymizer` (Domingo-Ferrer and Soria-Comas 2017, section V), its state a value in
    Spark's state store: what Spark commits with a micro-batch is what the groups of the next one depend on.
    """
    order = (order,) if isinstance(order, str) else tuple(order)
    _require_streaming(df)
    columns = {field.name: field.dataType.typeName() for field in df.schema}
    if lane is not None:
        _check_lane(plan, lane, columns)
    _check_order(order, columns)
    if max_seconds is not None and not 0 < max_seconds <= _LONGEST:
        raise PlanError(f"max_seconds must be a number above 0, and {_LONGEST:,} at most, not {max_seconds}")
    for name in (id, reason):
        if name is not None and (name in plan.attributes or id == reason):
            raise PlanError(f"the columns id and reason need names of their own, not {name!r}: choose another name")
    # Only now, so that a Spark that is missing is said in a sentence.
    from pyspark.sql.types import StringType, StructField, StructType

    from shoal.spark.lane import LaneProcessor, LaneShape
    from shoal.spark.lane_state import LANE, PYTHON_TYPES, lane_rows

    released = _released_schema(df.drop(*(name for name in order if name not in plan.attributes)), plan)
    shape = LaneShape(
        plan=plan.to_dict(),
        columns={name: df.schema[name].dataType.simpleString() for name in plan.attributes},
        order=len(order),
        released={field.name: PYTHON_TYPES.get(field.dataType.typeName()) for field in released},
        lane=lane,
        id=id,
        reason=reason,
        max_delay_ms=None if max_seconds is None else math.ceil(1000 * max_seconds),
    )
    fields = [
        *([] if id is None else [StructField(id, StringType())]),
        *released.fields,
        *([] if reason is None else [StructField(reason, StringType())]),
    ]
    return (
        lane_rows(df, plan, lane=lane, order=order)
        .groupBy(LANE)
        .transformWithState(
            statefulProcessor=LaneProcessor(shape),
            outputStructType=StructType(fields),
            outputMode="append",
            timeMode="None" if max_seconds is None else "ProcessingTime",
        )
    )


def _require_streaming(df: DataFrame) -> None:
    """Refuse what is no stream, and a Spark that cannot carry one."""
    try:
        from pyspark.sql.pandas.group_ops import PandasGroupedOpsMixin
    except ImportError:
        raise PlanError("streams on Spark need pyspark: pip install 'shoal[spark]'") from None
    if not getattr(df, "isStreaming", False):
        raise DataError("anonymize_stream takes a streaming DataFrame: a table goes to shoal.anonymize")
    if not hasattr(PandasGroupedOpsMixin, "transformWithState"):
        raise PlanError(f"streams on Spark need pyspark 4.1 or later, not {df.sparkSession.version}")
    if df.sparkSession.conf.get(_PROVIDER_KEY) != PROVIDER:
        raise PlanError(
            f"streams on Spark keep their state in RocksDB: set {_PROVIDER_KEY} of the session to {PROVIDER}"
        )


def _check_order(order: Sequence[str], columns: Mapping[str, str]) -> None:
    """Refuse columns that say no order."""
    for name in order:
        if name not in columns:
            raise DataError(f"order names {name!r}, which the DataFrame does not have{nearest(name, columns)}")
        if columns[name] in _NESTED:
            raise DataError(f"order by {name!r} is not possible: a column of the type {columns[name]} has no order")


def _check_lane(plan: Plan, lane: str, columns: Mapping[str, str]) -> None:
    """Refuse a column whose values cannot be lanes, or must not: ids have them in it, as they came."""
    if lane not in plan.attributes:
        raise PlanError(f"lane names {lane!r}, which attributes do not declare{nearest(lane, plan.attributes)}")
    attribute, kind = plan.attributes[lane], columns.get(lane)
    if attribute.role is Role.IDENTIFIER:
        raise PlanError(f"lane names {lane!r}, which is an identifier: a stream of one person hides nobody")
    if attribute.role is Role.CONFIDENTIAL:
        raise PlanError(f"lane names {lane!r}, which is confidential: groups of one value would disclose it")
    if lane in plan.recodings():
        raise PlanError(f"lane names {lane!r}, which the plan recodes: what lanes are called would undo it")
    if attribute.role is Role.QUASI_IDENTIFIER and plan.spec(lane).kind.is_directional:
        raise PlanError(
            f"lane names {lane!r}, a {attribute.kind}, which is masked: what lanes are called would undo it"
        )
    if kind in _NESTED:
        raise DataError(f"lane names {lane!r}, a column of the type {kind}: lanes are plain values, so choose another")
    if kind is not None and kind not in _WITH_GAPS and missing_values(plan, [lane]):
        raise PlanError(
            f"missing_values of the lane {lane!r} need a text, a number, a date or a boolean, not the type {kind}: "
            f"set attributes.{lane}.missing_values = [], or convert the column"
        )


def _released_schema(df: DataFrame, plan: Plan) -> StructType:
    """Return the columns that leave and their types: those that the engine gives a batch without records.

    So a plan or a column that a stream does not take is refused in its own words before a query starts.
    """
    from shoal.spark.table_checks import schema_of

    empty = df.sparkSession.createDataFrame([], df.schema).toArrow()
    return schema_of(StreamAnonymizer(plan).push_many(empty).schema, empty.schema, df.schema)
