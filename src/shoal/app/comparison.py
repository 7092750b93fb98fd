"""Plans that are compared: what was asked, what came of it so far, and what was chosen of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.app.worker import Job


@dataclass
class Comparison:
    """Plans that are compared, and the map of them."""

    values: dict[str, Any]
    grid: dict[str, list[Any]]
    job: Job
    axes: tuple[str, str] = ("dld", "il_percent")
    bounds: tuple[tuple[str, float], ...] = ()
    picked: int | None = None
    beside: tuple[int, ...] = ()
    columns: Job | None = None
    drawn: Any = None
    drawn_of: Any = None
    drawing: Job | None = None

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The results so far; all of them in the order of the grid once it is done."""
        return list(self.job.result) if self.job.state == "done" else list(self.job.events)
