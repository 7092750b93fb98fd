"""The exceptions of shoal.

    ShoalError
    ├── PlanError        the plan or an option is wrong              exit code 2
    ├── DataError        the table cannot be read or breaks the plan  exit code 2
    ├── OutputError      the release cannot be written                exit code 2
    └── GuaranteeError   what was asked cannot be guaranteed          exit code 3

A message is one sentence that names the column or option, the rule and the value, then a hint. It never carries
a value of a record: messages end up in logs.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ShoalError(Exception):
    """Whatever shoal raises on purpose."""

    exit_code = 1


class PlanError(ShoalError, ValueError):
    """The plan or an option is wrong."""

    exit_code = 2


class DataError(ShoalError, ValueError):
    """The table cannot be read, or does not fit the plan."""

    exit_code = 2


class OutputError(ShoalError):
    """A file cannot be written; nothing is left of it."""

    exit_code = 2


class GuaranteeError(ShoalError):
    """What was asked cannot be guaranteed; nothing is released.

    ``reached`` is the best value that could be had (a t, a k), or None where there is none to tell.
    """

    exit_code = 3

    def __init__(self, message: str, *, reached: float | None = None) -> None:
        super().__init__(message)
        self.reached = reached


def nearest(word: str, known: Iterable[object]) -> str:
    """Return a hint that names the known word nearest to a misspelt one, to end a message with."""
    matches = difflib.get_close_matches(str(word), [str(name) for name in known], n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""
