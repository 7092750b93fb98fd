"""The section ``[about]`` of a plan: what a release is, for the people who decide on it. No run reads it."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from shoal.options import Options

MOST_CHARACTERS = 500
"""Of a text: page one of a report holds all of them."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that end a line, move a cursor, or turn the order of what stands around them."""


def _one_line(text: str) -> str:
    if not text.strip() or _CONTROLS.search(text):
        raise ValueError("must be a text of one line that is not blank, without control characters")
    return text.strip()


def _written(day: Any) -> Any:
    """Write what TOML reads as a day or a moment as it stood there: a moment is no day, and is refused as one."""
    return day.isoformat() if isinstance(day, date | time) else day


def _a_day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"must be a day such as 2026-03-31, not {text!r}") from None


Text = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_one_line)]
Day = Annotated[str, BeforeValidator(_written), AfterValidator(_a_day)]


class About(Options):
    """What a release is: the head of its report, in both editions, and in the manifest."""

    title: Text | None = Field(None, description="what the release is called")
    purpose: Text | None = Field(None, description="what it is released for")
    recipient: Text | None = Field(None, description="who gets it")
    contact: Text | None = Field(None, description="whom to ask about it")
    date: Day | None = Field(None, description="the day of the release, such as 2026-03-31")
