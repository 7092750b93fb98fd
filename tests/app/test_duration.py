"""How long a run will take is told by runs like it, not by what the first one has to load."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.served import PLAN
from shoal.app.tasks import Bench, Source, estimates
from shoal.examples import discharges
from shoal.plan.toml import parse_toml
from shoal.refinement import EFFORTS


class Silent:
    """A reporter that nobody listens to."""

    def stage(self, name: str) -> Any:
        return lambda done, total: None


@pytest.mark.parametrize("growth", [1.0, 1.5, 3.0])
def test_what_the_first_run_loads_is_not_taken_for_the_pace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, growth: float
) -> None:
    now, runs = [0.0], []

    def taken(records: int) -> float:
        return 0.3 * (records / 400) ** growth

    def grouped(frame: Any, plan: Any) -> None:
        now[0] += taken(len(frame)) if runs else 60.0
        runs.append(len(frame))

    monkeypatch.setattr(estimates, "anonymize", grouped)
    monkeypatch.setattr(estimates, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    discharges(1600, seed=1).write_csv(tmp_path / "stays.csv")
    found = estimates.estimate_duration(Bench(), Silent(), Source(str(tmp_path / "stays.csv")), parse_toml(PLAN))
    assert found is not None
    assert runs[:2] == [200, 200]
    assert found.sampled == runs[-1] < 1600
    assert found.seconds == pytest.approx(taken(found.sampled) * (1600 / found.sampled) ** min(growth, 2))


@pytest.mark.parametrize("effort", ["quick", "good", "best"])
def test_refinement_is_foretold_by_how_much_it_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: str
) -> None:
    now = [0.0]

    def taken(records: int, refine: str) -> float:
        if refine == "none":
            return records / 1000
        tried = EFFORTS[refine]
        return records / 1000 + records * tried.sweeps(records, 5) / 1e6 + tried.regions(records, 5) / 1e3

    def grouped(frame: Any, plan: Any) -> None:
        now[0] += taken(len(frame), plan.refine)

    monkeypatch.setattr(estimates, "anonymize", grouped)
    monkeypatch.setattr(estimates, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    discharges(3000, seed=1).write_csv(tmp_path / "stays.csv")
    source, values = Source(str(tmp_path / "stays.csv")), {**parse_toml(PLAN), "refine": effort}
    found = estimates.estimate_duration(Bench(), Silent(), source, values)
    assert found is not None
    assert found.sampled < 3000
    assert found.seconds == pytest.approx(taken(3000, effort))
    bounded = estimates.estimate_duration(Bench(), Silent(), source, {**values, "refine_seconds": 0.01})
    assert bounded is not None
    assert bounded.seconds == pytest.approx(3.01)
