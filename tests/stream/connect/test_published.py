"""Who reads the metrics and the log after every group learns nothing of the group."""

from __future__ import annotations

import itertools
import json
import logging
import re

import numpy as np
import pytest

from shoal import Plan, StreamAnonymizer
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.line_source import LinesSource
from shoal.stream.connect.message_formats import Incoming, JsonMessages, Outgoing
from shoal.stream.connect.runner import Runner, RunOptions
from shoal.stream.engine.stream_engine import Released
from shoal.stream.engine.stream_statistics import WINDOW, Publisher, step_above

PLAN = Plan(
    k=2,
    attributes={
        "income": {"role": "quasi_identifier", "kind": "numeric"},
        "ill": {"role": "confidential", "kind": "nominal"},
    },
    stream={"max_delay": 1, "bounds": {"income": [0, 1e6]}, "sweeps": 0},
)
GROUPS = 250


def pairs(changed: int | None = None, spread: float = 0.0) -> list[float]:
    """Incomes of which each two that follow each other leave together; one pair may be pulled apart about its mean."""
    random = np.random.default_rng(3)
    means, spreads = random.uniform(20_000, 60_000, GROUPS), random.uniform(1_000, 1_400, GROUPS)
    if changed is not None:
        means[changed], spreads[changed] = 500_000, spread
    return [
        float(income) for mean, apart in zip(means, spreads, strict=True) for income in (mean - apart, mean + apart)
    ]


def watched(folder, incomes, caplog):
    """Run a stream; return the page and the log line after every message, and what was released."""
    (folder / "in.ndjson").write_text("".join(json.dumps({"income": i, "ill": "a"}) + "\n" for i in incomes))
    caplog.clear()
    seen = []

    class OneByOne(LinesSource):
        """A look at everything that is told after each line."""

        waiting = None

        def read(self, timeout):
            if self.waiting is None:
                self.waiting = super().read(timeout)
            runner.metrics.update(now=True)
            runner.metrics.log()
            seen.append(re.sub(r"messages_per_second.*", "", runner.metrics.page()))
            return [self.waiting.pop(0)] if self.waiting else None

    runner = Runner(
        PLAN,
        Incoming(OneByOne([str(folder / "in.ndjson")], csv=False, limit=1000), JsonMessages()),
        Outgoing(LinesSink(str(folder / "out.ndjson")), JsonMessages()),
        options=RunOptions(log_seconds=None),
    )
    with caplog.at_level(logging.INFO, logger="shoal.stream"):
        runner.run()
    logged = [re.sub(r" rate=\S+", "", record.getMessage()) for record in caplog.records]
    released = [json.loads(line)["income"] for line in (folder / "out.ndjson").read_text().splitlines()]
    return seen, logged, released


@pytest.mark.parametrize("changed", [0, 120, 249])
def test_metrics_and_log_are_the_same_whatever_the_records_of_a_group_were(tmp_path, caplog, changed):
    logging.getLogger("shoal.stream").propagate = True
    told = []
    for spread in (0.0, 100.0, 250_000.0, 499_999.0):
        incomes = pairs(changed, spread)
        pages, lines, released = watched(tmp_path, incomes, caplog)
        assert released[2 * changed] == released[2 * changed + 1] == pytest.approx(500_000)
        told.append((pages, lines))
    assert all(other == told[0] for other in told[1:])
    assert any("error_at_most" in page for page in told[0][0]), "something is told of errors"


def test_the_attack_by_differences_finds_nothing(tmp_path, caplog):
    """Of every two pages the difference of each number, as the squared error of the group that left between them."""
    logging.getLogger("shoal.stream").propagate = True
    incomes = pairs()
    pages, lines, released = watched(tmp_path, incomes, caplog)
    found = 0
    for before, after in itertools.pairwise(pages):
        values = [dict(re.findall(r"^(shoal_stream_\S+) (\S+)$", page, re.MULTILINE)) for page in (before, after)]
        left = int(values[1]["shoal_stream_released_total"]) - int(values[0]["shoal_stream_released_total"])
        if left != 2:
            continue
        at = int(values[0]["shoal_stream_released_total"])
        counts = [1.0, *(float(value["shoal_stream_released_total"]) for value in values)]
        for name in values[1].keys() & values[0].keys():
            for one, other in ((counts[0], counts[0]), (counts[1], counts[2])):  # a sum, or a mean since the start
                error = float(values[1][name]) * other - float(values[0][name]) * one
                guess = released[at] + 1e6 * np.sqrt(abs(error) / 2)
                found += abs(guess - max(incomes[at : at + 2])) < 1.0
    assert found == 0
    assert not any("mse" in line for line in lines)


def test_what_is_published_covers_many_groups_and_none_twice():
    stream = StreamAnonymizer(PLAN)
    told = []
    for income in pairs():
        stream.push({"income": income, "ill": "a"})
        told.append(stream.published)
    assert told[2 * WINDOW - 2] is None
    assert told[2 * WINDOW - 1] is not None
    assert len({id(figures) for figures in told}) == 1 + GROUPS // WINDOW
    assert told[-1].error_at_most == step_above(1_200 / 1e6)
    assert told[-1].groups == WINDOW
    assert set(told[-1].delay_quantiles.values()) == {1}


@pytest.mark.parametrize("many", [1, 59])
def test_when_the_records_of_a_group_came_is_not_told(many):
    """Ninety-nine pairs, and a pair or all records of one person: a quantile of all delays would be that person's."""
    told = set()
    for waited in (3, 400, 900):
        publisher, empty = Publisher(), np.zeros(0)
        for group in range(WINDOW):
            delays = np.array([1_000, 10 + group % 20]) if group else np.append(1_000, np.full(many, waited))
            released = Released(
                positions=5_000 - delays,
                sizes=np.array([len(delays)]),
                classes=np.array([group]),
                at=np.array([5_000]),
                coords=empty,
                ranks=empty,
                modes=empty,
                errors=np.zeros(1),
                dropped=empty,
                reasons=empty,
            )
            publisher.take(released, {})
        told.add(tuple(publisher.figures.delay_quantiles.items()))
    assert told == {(("0.5", 1_000), ("0.9", 1_000), ("0.99", 1_000))}


def test_the_manifest_tells_nothing_of_groups():
    manifests = []
    for spread in (0.0, 400_000.0):
        stream = StreamAnonymizer(PLAN)
        for income in pairs(3, spread)[:20]:
            stream.push({"income": income, "ill": "a"})
        manifests.append(json.dumps(stream.manifest, sort_keys=True))
    assert manifests[0] == manifests[1]


def test_a_publisher_takes_no_tuple_that_joined_a_group_for_a_group():
    stream, publisher = StreamAnonymizer(PLAN), Publisher()

    def alone(released):
        many = len(released.positions)
        publisher.take(released._replace(sizes=np.ones(many, int), errors=np.zeros(many), at=np.zeros(many, int)), {})

    stream.observer = alone
    for income in pairs():
        stream.push({"income": income, "ill": "a"})
    assert publisher.figures is None
