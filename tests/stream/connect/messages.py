"""Messages and a plan for the tests of running streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal import Plan
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import DeadLetters, Incoming, JsonMessages, Outgoing
from shoal.stream.connect.runner import Runner, RunOptions

PLAN = Plan(
    k=3,
    attributes={
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "row": {"role": "other"},
    },
    subject="who",
    stream={"max_delay": 20},
)


def make_records(n: int, seed: int = 0) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    ages, areas = random.integers(20, 80, n).tolist(), random.choice(["n", "s", "w"], n).tolist()
    return [
        {"who": f"p{i % 50}", "age": age, "area": area, "row": i}
        for i, (age, area) in enumerate(zip(ages, areas, strict=True))
    ]


def make_messages(n: int, seed: int = 0) -> list[bytes]:
    return [json.dumps(record).encode() for record in make_records(n, seed)]


def make_runner(folder: Path, *, source: Any = None, sink: Any = None, plan: Plan = PLAN, **options: Any) -> Runner:
    """A runner from ``in.ndjson`` to ``out.ndjson``, unless told otherwise."""
    return Runner(
        plan,
        Incoming(source or LinesSource([str(folder / "in.ndjson")], csv=False, limit=10_000), JsonMessages()),
        Outgoing(sink or LinesSink(str(folder / "out.ndjson")), JsonMessages()),
        dead_letters=DeadLetters(LinesSink(str(folder / "dead.ndjson"), private=True)),
        options=RunOptions(
            **{"state": folder, "checkpoint_seconds": 0.0, "log_seconds": None, "id_field": "id", **options}
        ),
    )


def run_until_killed(runner: Runner) -> None:
    """Run to the end of the input, and no further: as if the process had been killed there."""

    def killed(how: Any) -> None:
        raise KeyboardInterrupt

    runner._end = killed  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        runner.run()


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def expected_records(messages: list[bytes], plan: Plan = PLAN) -> list[dict[str, Any]]:
    """What an undisturbed stream releases."""
    from shoal import StreamAnonymizer

    stream = StreamAnonymizer(plan)
    released = [record for message in messages for record in stream.push(json.loads(message))]
    return released + stream.flush()
