"""The plan of a run: every choice, validated once, in Python and as TOML."""

from shoal.plan.keys import ReleaseMode
from shoal.plan.plan import Plan

__all__ = ["Plan", "ReleaseMode"]
