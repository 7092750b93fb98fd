"""Cards: a result is a small table in a notebook, and at most a screen of text elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

MOST_CHARACTERS = 1_800
"""Of a result as text: about a screen."""

_LONGEST_LINE = 300


class Card:
    """Shown in notebooks by what ``shoal.report.cards`` draws of it.

    The drawings stand above all results, and are loaded when the first one is shown.
    """

    def _repr_html_(self) -> str:
        drawn: str = import_module("shoal.report.cards").card(self)
        return drawn


def screenful(lines: Sequence[str]) -> str:
    """Return lines as one text of at most a screen; lines that are left out are counted.

    >>> print(screenful([f"line {i} {'.' * 200}" for i in range(20)]).splitlines()[-1])
      and 12 more lines
    """
    shown: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        short = line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"
        room -= len(short) + 1
        if room < 0:
            return "\n".join([*shown, f"  and {len(lines) - len(shown)} more lines"])
        shown.append(short)
    return "\n".join(shown)
