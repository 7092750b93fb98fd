"""A release that was made, as the session keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass
class Made:
    """A release that was made: its plan, where its files are and what came of it.

    Its number is that of the table and of the release: by it a page says which one it shows.
    """

    number: str
    values: dict[str, Any]
    folder: Path
    outcome: Any
    seconds: float
    escaped: bool = False
    attacks: str = ""
    signed_by: str = ""
    row_map: bool = False
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())
