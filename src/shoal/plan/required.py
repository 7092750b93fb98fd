"""What is no plan, refused."""

from __future__ import annotations

from typing import Any

from shoal.errors import PlanError
from shoal.plan.plan import Plan


def require_plan(plan: Any) -> None:
    """Refuse what is no plan."""
    if not isinstance(plan, Plan):
        raise PlanError(
            f"plan must be a shoal.Plan, not a {type(plan).__name__}: Plan.load(path) reads one from a file"
        )
