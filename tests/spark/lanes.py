"""Processors of lanes without a query: what Spark hands them and keeps for them, in the memory of a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import Row

from shoal import Plan
from shoal.spark.lane import LaneProcessor, LaneShape
from shoal.spark.lane_state import BEYOND, TIE
from spark.visits import PLAN, SCHEMA, Record

TYPES = dict(column.split() for column in SCHEMA.split(", "))


def shape(plan: Plan = PLAN, *, types: Mapping[str, str] = TYPES, **options: Any) -> LaneShape:
    """Return the shape of lanes of visits, or of another plan."""
    numbers = {"long": int, "int": int, "double": float}
    leaves = [name for name, attribute in plan.attributes.items() if attribute.role != "identifier"]
    given = {
        "plan": plan.to_dict(),
        "columns": {name: types[name] for name in plan.attributes},
        "order": 0,
        "released": {name: numbers.get(types[name]) for name in leaves},
        "lane": "ward",
        "id": "id",
        "reason": "why",
        "max_delay_ms": None,
        **options,
    }
    return LaneShape(**given)


class Store:
    """What Spark keeps of one lane: its state, and its timers."""

    def __init__(self) -> None:
        self.kept: tuple[bytes] | None = None
        self.timers: list[int] = []

    def getValueState(self, name: str, schema: str) -> Store:
        return self

    def get(self) -> tuple[bytes] | None:
        return self.kept

    def update(self, value: tuple[bytes]) -> None:
        self.kept = value

    def registerTimer(self, at: int) -> None:
        self.timers.append(at)


class Clock:
    """The time of a micro-batch."""

    def __init__(self, now: int) -> None:
        self._now = now

    def getCurrentProcessingTimeInMs(self) -> int:
        return self._now


def take(
    store: Store,
    given: LaneShape,
    key: Any,
    records: Iterable[Record],
    *,
    now: int = 0,
    tied: bool = False,
    beyond: str | None = None,
) -> list[Record]:
    """Run a micro-batch of one lane in a new processor, as after a restart, and then the timers that expire.

    Records come in their order, or with one hash for all of them; ``beyond`` is what is said of them by Spark.
    """
    processor = LaneProcessor(given)
    processor.init(store)  # type: ignore[arg-type]
    names = [TIE, BEYOND, *(f"column{place}" for place in range(len(given.columns)))]
    rows = [
        Row(*names)(0 if tied else place, beyond, *(record[name] for name in given.columns))
        for place, record in enumerate(records)
    ]
    left = list(processor.handleInputRows((key,), iter(rows), Clock(now))) if rows else []
    expired, store.timers = [at for at in store.timers if at <= now], [at for at in store.timers if at > now]
    for _ in expired:
        left += processor.handleExpiredTimer((key,), Clock(now), None)
    return [row.asDict() for row in left]
