"""Section: what all tables of a plan have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of the plan: frozen, without keys that mean nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")
