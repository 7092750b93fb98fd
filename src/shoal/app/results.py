"""What a session has come to: releases that were made, and plans that were compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from shoal.app.tasks.plan_comparison import RiskMap
from shoal.app.tasks.release_job import ANONYMOUS, ReleaseChoices
from shoal.app.worker import Job
from shoal.comparison import Run

ROW_MAP = "row-map.csv"


@dataclass
class ReleaseRecord:
    """A release that was made: its plan, where its files are and what came of it.

    Its number is that of the table and of the release: by it a page says which one it shows.
    """

    number: str
    values: dict[str, Any]
    folder: Path
    outcome: Any
    seconds: float
    choices: ReleaseChoices = field(default_factory=ReleaseChoices)
    signed_by: str = ""
    row_map: bool = False
    time: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def file_names(self) -> list[str]:
        """The files in the order of the page; the row map is among them if it was asked for."""
        left_out = (self.outcome.release, *(() if self.row_map else (ROW_MAP,)))
        return [self.outcome.release, *(name for name in self.outcome.files if name not in left_out)]

    def given_name(self, name: str) -> str:
        """Return what a file is called outside the app: by the release, so that those of several stay apart."""
        release = self.outcome.release
        stem = "".join(release.rpartition(ANONYMOUS)[:2])  # points before it are of the name: stays.2020.csv
        return name if name == release else f"{stem}.{name}"


@dataclass
class Comparison:
    """Plans that are compared: what was asked, what came of it so far, and what was chosen of it."""

    values: dict[str, Any]
    grid: dict[str, list[Any]]
    job: Job
    axes: tuple[str, str] = ("dld", "il_percent")
    bounds: tuple[tuple[str, float], ...] = ()
    picked: int | None = None
    pair: tuple[int, ...] = ()
    columns_job: Job | None = None
    risk_map: RiskMap | None = None
    map_key: Any = None
    map_job: Job | None = None

    @property
    def runs(self) -> list[Run]:
        """The results so far; all of them in the order of the grid once it is done."""
        return list(self.job.result) if self.job.state == "done" else list(self.job.events)
