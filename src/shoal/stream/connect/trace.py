"""The trace of a stream: which tuples left together and when, so that a release can be measured afterwards.

One JSON line per group, in the order of the release: ``{"group": 7, "at": 120, "positions": [20, 33]}``, and one for a
dropped tuple: ``{"dropped": 52, "reason": "too_few_subjects"}``. Positions count the tuples that came, from 0. With
it anyone finds the original of each released record: keep it as safe as the source.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.measures.definition import Definition, Score
from shoal.measures.stream import measure_stream
from shoal.measures.tables import pair_tables
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.stream.connect.protocols import Output, SideOutput
from shoal.stream.engine import REASONS, Released

DROPPED = Definition(
    "dropped",
    "Tuples that never left: too few distinct subjects were there when they had to, or no group was close enough.",
    aspect="utility",
    better="lower",
    low=0.0,
    high=float("inf"),
)

_MOST = int(np.iinfo(np.int64).max)


class TraceWriter(SideOutput):
    """Writes what a stream released to a sink."""

    def add(self, lane: str, released: Released) -> None:
        """Take what one call released."""
        name = {"lane": lane} if lane else {}
        positions, sizes = released.positions.tolist(), released.sizes.tolist()
        groups = zip(released.classes.tolist(), released.at.tolist(), sizes, accumulate(sizes), strict=True)
        drops = zip(released.dropped.tolist(), released.reasons.tolist(), strict=True)
        lines: list[Mapping[str, Any]] = [
            *({**name, "group": n, "at": at, "positions": positions[end - size : end]} for n, at, size, end in groups),
            *({**name, "dropped": position, "reason": REASONS[reason]} for position, reason in drops),
        ]
        self.waiting += [Output("", json.dumps(line).encode()) for line in lines]


@dataclass(frozen=True, eq=False)
class Trace:
    """Which tuples left together and when, record by record of the release."""

    labels: NDArray[np.int64]
    positions: NDArray[np.int64]
    left_at: NDArray[np.int64]
    dropped: Mapping[str, int]

    @classmethod
    def parse(cls, lines: Iterable[str | bytes]) -> Trace:
        """Read the lines of a trace.

        >>> trace = Trace.parse(['{"group": 0, "at": 3, "positions": [0, 2]}', '{"dropped": 1, "reason": "not_close"}'])
        >>> trace.labels.tolist(), trace.positions.tolist(), trace.dropped
        ([0, 0], [0, 2], {'not_close': 1})
        """
        labels: list[int] = []
        positions: list[int] = []
        left_at: list[int] = []
        dropped: Counter[str] = Counter()
        try:
            for line in map(json.loads, lines):
                if line.get("lane"):
                    raise DataError("the trace has several lanes: measure each partition of the topic by itself")
                if "dropped" in line:
                    if line["reason"] not in REASONS:
                        raise ValueError("no reason to drop a tuple")
                    dropped[line["reason"]] += 1
                    continue
                group, at, members = line["group"], line["at"], list(line["positions"])
                if not all(type(number) is int and 0 <= number <= _MOST for number in (group, at, *members)):
                    raise ValueError("no place in a stream")
                labels += [group] * len(members)
                positions += members
                left_at += [at] * len(members)
        except DataError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            raise DataError("the trace has a line that `shoal stream --trace` did not write") from None
        if len(set(positions)) < len(positions):
            raise DataError("the trace tells of a tuple that left twice: it is not of one run")
        if not positions:
            raise DataError("the trace tells of no released tuple: there is nothing to measure")
        return cls(
            labels=np.array(labels, dtype=np.int64),
            positions=np.array(positions, dtype=np.int64),
            left_at=np.array(left_at, dtype=np.int64),
            dropped=dict(dropped),
        )

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read the file that ``shoal stream --trace`` wrote."""
        try:
            with Path(path).open("rb") as file:
                return cls.parse(file)
        except OSError as error:
            raise DataError(f"the trace {str(path)!r} cannot be read: {error.strerror}") from None


def measure_trace(original: Any, released: Any, plan: Plan, trace: Trace) -> dict[str, Score]:
    """Measure what left a stream, in its order, against what came, in the order of arrival without what was refused.

    The scores are ``mse``, ``mae``, ``position_difference_max``, ``position_difference_avg``, ``delay_max``,
    ``delay_avg`` and ``dropped``.
    """
    before, after = open_table(original, plan), open_table(released, plan)
    left, dropped = len(trace.positions), sum(trace.dropped.values())
    if len(after) != left or len(before) != left + dropped or trace.positions.max() >= left + dropped:
        raise DataError(
            f"the trace tells of {left} released and {dropped} dropped tuples, but the tables have {len(after)} "
            f"and {len(before)} rows: they are not of the same finished run"
        )
    pair = pair_tables(Table(before.frame[trace.positions, :]), after, plan)
    scores = measure_stream(pair, trace.labels, trace.positions, trace.left_at)
    counts = {reason: float(count) for reason, count in trace.dropped.items()}
    return {**scores, DROPPED.key: DROPPED.score(float(dropped), (), parts=counts)}
