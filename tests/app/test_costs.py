"""What closeness costs: which column asks the most, and ways out that lose less and are plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.served import PLAN
from shoal.app.tasks import TASKS, Bench, Source
from shoal.app.tasks.estimates import changed, ways_out
from shoal.examples import discharges
from shoal.plan import Plan
from shoal.plan.toml import parse_toml

ASKED = (("diagnosis", 25), ("severity", 5), ("charge", 5))


class Silent:
    """A reporter that nobody listens to."""

    def stage(self, name: str) -> Any:
        return lambda done, total: None


def values(**closeness: Any) -> dict[str, Any]:
    return {**parse_toml(PLAN), "closeness": {"t": 0.2, **closeness}}


def test_the_column_that_asks_most_leads_is_left_out_or_gets_a_larger_t() -> None:
    found = {way.name: way.changes for way in ways_out(values(), ASKED)}
    assert list(found) == ["asked", "lead", "without", "looser", "none"]
    assert found["lead"] == {"closeness.attributes": ["diagnosis", "severity", "charge"]}
    assert found["without"]["closeness.attributes"] == ["severity", "charge"]
    assert found["looser"] == {"closeness.t": {"severity": 0.2, "diagnosis": 0.4, "charge": 0.2}}
    for changes in found.values():
        Plan.from_mapping(changed(values(), changes))


@pytest.mark.parametrize(
    ("closeness", "names"),
    [
        ({"attributes": ["diagnosis"]}, ["asked", "looser", "none"]),
        ({"attributes": ["diagnosis", "severity", "charge"]}, ["asked", "without", "looser", "none"]),
        ({"method": "merge"}, ["asked", "without", "looser", "none"]),
        ({"t": 1.0}, ["asked", "lead", "without", "none"]),
        ({"t": {"severity": 0.2, "diagnosis": 0.6, "charge": 0.1}}, ["asked", "lead", "without", "looser", "none"]),
    ],
)
def test_only_ways_that_change_something_are_offered(closeness: dict[str, Any], names: list[str]) -> None:
    given = values(**closeness)
    protected = given["closeness"].get("attributes", [name for name, _ in ASKED])
    found = ways_out(given, tuple(pair for pair in ASKED if pair[0] in protected))
    assert [way.name for way in found] == names
    for way in found:
        Plan.from_mapping(changed(given, way.changes))


def test_what_is_tried_on_the_table_tells_the_loss_of_each(tmp_path: Path) -> None:
    discharges(300, patients=150, seed=3).write_csv(tmp_path / "stays.csv")
    source = Source(str(tmp_path / "stays.csv"))
    foreseen = TASKS["preview"](Bench(), Silent(), source, values())
    assert foreseen.asked[0][0] == "diagnosis"
    assert foreseen.asked[0][1] > 5
    found = TASKS["costs"](Bench(), Silent(), source, values(), foreseen.asked)
    lost = {trial.way.name: trial.lost for trial in found.trials}
    assert (found.records, found.sampled) == (300, False)
    assert lost["none"] < lost["without"] < lost["asked"] <= 100
    assert TASKS["preview"](Bench(), Silent(), source, parse_toml(PLAN)).asked == ()
