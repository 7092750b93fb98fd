"""What is kept of a lane between two micro-batches, and what may go on with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.errors import DataError, PlanError
from shoal.plan import Plan
from shoal.stream import StreamAnonymizer
from shoal.stream.engine.snapshot import pack_snapshot, unpack_snapshot

_LATEST = 2**62
"""The last millisecond that a state may name: far beyond any clock, and whole in 64 bits."""


class LaneTerms(NamedTuple):
    """What the records of a state were taken by, beside the plan: under other terms they would mean something else.

    Parameters
    ----------
    lane
        The column of the lane; None where there is one only.
    types
        The columns of the plan and their types, as Spark writes them.
    """

    lane: str | None = None
    types: Mapping[str, str] = {}


class LaneState(NamedTuple):
    """A lane between two micro-batches.

    Parameters
    ----------
    stream
        Its engine.
    arrivals
        For each micro-batch of which records wait the first position of its records, and when it came.
    timer
        When Spark calls next of its own accord; None where it does not.
    """

    stream: StreamAnonymizer
    arrivals: list[tuple[int, int]]
    timer: int | None


def pack_lane(state: LaneState, terms: LaneTerms) -> bytes:
    """Return a lane in bytes, records that wait as they came among it."""
    header, parts = state.stream.dump()
    own = {"arrivals": state.arrivals, "timer": state.timer, "lane": terms.lane, "types": dict(terms.types)}
    return pack_snapshot({"stream": header, **own}, parts)


def unpack_lane(content: bytes, plan: Plan, terms: LaneTerms) -> LaneState:
    """Return the lane that `pack_lane` was given.

    Raises
    ------
    DataError
        The bytes are damaged, or hold what no lane keeps, or records whose columns have other types.
    PlanError
        They belong to another plan, or to lanes by another column.
    """
    header, parts = unpack_snapshot(content, where="the state of a lane")
    if header.keys() != {"stream", "arrivals", "timer", "lane", "types"}:
        raise _not_a_lane()
    stream = StreamAnonymizer.load(header["stream"], parts, plan=plan)
    _require_terms(header["lane"], header["types"], terms)
    arrivals, timer = header["arrivals"], header["timer"]
    if not _are_arrivals(arrivals, stream.arrived) or not (timer is None or _is_time(timer)):
        raise _not_a_lane()
    return LaneState(stream, [(position, at) for position, at in arrivals], timer)


def _require_terms(lane: Any, types: Any, terms: LaneTerms) -> None:
    """Refuse to go on with records of lanes by another column, or of other types."""
    if not isinstance(lane, str | None) or not isinstance(types, dict):
        raise _not_a_lane()
    if lane != terms.lane:
        raise PlanError(
            f"lane is {terms.lane!r}, and the checkpoint was begun with {lane!r}: groups would mix lanes; go on with "
            "that one, or start anew with another checkpoint"
        )
    if types.keys() != terms.types.keys() or not all(isinstance(kind, str) for kind in types.values()):
        raise _not_a_lane()
    for name, kind in terms.types.items():
        if types[name] != kind:
            raise DataError(
                f"column {name!r} has the type {kind}, and the checkpoint was begun with {types[name]}: go on with "
                "that one, or start anew with another checkpoint"
            )


def _are_arrivals(entries: Any, arrived: int) -> bool:
    """Whether micro-batches stand one behind the other among the records that came."""
    if not isinstance(entries, list) or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
        return False
    positions: Sequence[Any] = [position for position, _ in entries]
    return (
        all(type(position) is int and 0 <= position <= arrived for position in positions)
        and all(_is_time(at) for _, at in entries)
        and list(positions) == sorted(positions)
    )


def _is_time(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LATEST


def _not_a_lane() -> DataError:
    return DataError("the state of a lane is not what it should be: start anew with another checkpoint")
