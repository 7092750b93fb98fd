"""The plan of a run: every choice, validated once, in Python and as TOML."""

from shoal.plan.plan import Plan
from shoal.plan.plan_keys import ReleaseMode

__all__ = ["Plan", "ReleaseMode"]
