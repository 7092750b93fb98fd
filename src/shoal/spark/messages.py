"""What a job of Spark says when it fails: one sentence to the user, the trace to a file that the sentence names."""

from __future__ import annotations

import os
import re
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal import errors
from shoal.errors import DataError, ShoalError

_OWN = re.compile(r"shoal\.(?:errors|run\.giveaways\.giveaway)\.(\w+): ([^\n]+)")
_JAVA = re.compile(r"\b(?:[a-z]\w*\.)+([A-Z]\w*(?:Exception|Error))\b")

_UNREADABLE = re.compile(r"\[((?:FAILED_READ_FILE|MALFORMED|CANNOT_READ_FILE|INVALID_FILE|PARQUET|ORC)[A-Z_]*)[.\]]")
"""What Spark calls files and records that are not what their format says."""


class SparkError(ShoalError):
    """A job of Spark failed for a reason that is not the plan's or the table's.

    ``log`` is the file with the trace.
    """

    def __init__(self, message: str, *, log: Path | None = None) -> None:
        super().__init__(message)
        self.log = log


@contextmanager
def in_words() -> Iterator[None]:
    """Turn what Spark raises in a ``with`` block into a sentence: that of a worker where it is ours.

    Notes
    -----
    A trace may hold values of records, as what could not be cast. It goes to a file of the user alone, and the sentence
    has the name of the failure at most.
    """
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:
        if not _is_of_spark(error):
            raise
        own = _own(error)
        if own is not None:
            raise own from None
        log = _write_log(error)
        damaged = _UNREADABLE.search(f"[{_name(error)}] {error}")
        if damaged is not None:
            raise DataError(
                f"the table cannot be read ({damaged[1]}): a file is damaged, is not of its format, or has records "
                f"that do not have the columns of its header; the trace, which names it, is in {log}"
            ) from None
        raise SparkError(
            f"the job of Spark failed ({_name(error)}), and nothing was released: the trace is in {log}", log=log
        ) from None


def _is_of_spark(error: BaseException) -> bool:
    return any(cls.__module__.split(".")[0] in ("pyspark", "py4j") for cls in type(error).__mro__)


def _own(error: BaseException) -> ShoalError | None:
    """Return the error that our code raised in a worker, if that is what failed."""
    found = _OWN.findall(str(error))
    for name, message in reversed(found):
        kind: Any = getattr(errors, name, None)
        if isinstance(kind, type) and issubclass(kind, ShoalError):
            made: ShoalError = kind(message.strip())
            return made
    return None


def _name(error: Any) -> str:
    """Return what the failure is called, without a word of what it says."""
    condition = getattr(error, "getCondition", lambda: None)()
    if condition:
        return str(condition)
    java = _JAVA.findall(str(error))
    return java[-1] if java else type(error).__name__


def _write_log(error: BaseException) -> Path:
    handle, name = tempfile.mkstemp(prefix="shoal-spark-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("".join(traceback.format_exception(error)))
    return Path(name)
