"""The tasks that workers do, by name: each takes the bench with the table, a reporter, and values that can be sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.estimates import estimate_duration, try_ways_out
from shoal.app.tasks.overview import look_at
from shoal.app.tasks.plan_comparison import columns_beside, compare_plans, draw_map
from shoal.app.tasks.preview import count_unique, preview
from shoal.app.tasks.release_job import make_release

TASKS: dict[str, Callable[..., Any]] = {
    "look": look_at,
    "unique": count_unique,
    "preview": preview,
    "duration": estimate_duration,
    "costs": try_ways_out,
    "compare": compare_plans,
    "map": draw_map,
    "beside": columns_beside,
    "release": make_release,
}

__all__ = ["TASKS", "Bench", "Source"]
