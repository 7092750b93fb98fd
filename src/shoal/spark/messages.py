"""What Spark is not asked for, refused before it starts, and what its jobs say when they fail: one sentence each."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from pydantic.fields import FieldInfo

from shoal import errors
from shoal.errors import DataError, PlanError, ShoalError
from shoal.options import key_of
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute_blocks import MadeBlocks
from shoal.plan.registered_keys import CLOSENESS, way_of


def require_supported(plan: Plan) -> None:
    """Refuse a plan that Spark cannot keep: the option, why not, and what would do."""
    for reason in _reasons(plan):
        raise PlanError(f"{reason}; or anonymize the table on one machine")


def _reasons(plan: Plan) -> Iterator[str]:
    for table in plan.steer:
        if table.kind != "column":
            yield f'steer kind = "{table.kind}" needs the order of all records, which a table of Spark does not have'
    if METHODS[plan.method].masks_values:
        yield f"method = {plan.method!r} mixes values of all records, which lie in fragments on Spark"
    if plan.release is not ReleaseMode.AGGREGATE:
        yield f'release = "{plan.release.value}" is judged by groups that a released table does not show'
    if plan.blocks is not None and isinstance(plan.blocks, MadeBlocks):
        yield "blocks.make needs the correlations of all records: list the blocks"
    if plan.order == "keep":
        yield 'order = "keep" needs an order of rows, which a table of Spark does not have: leave order out'
    yield from _keys(plan, Plan.known_keys())
    section = getattr(plan, CLOSENESS)
    if section is None:
        return
    yield from _keys(section, type(section).model_fields, f"{CLOSENESS}.")
    way = way_of(plan)
    if way is not None and way.unit_range:
        yield f"closeness.method = {way.name!r} needs the order of all records: take t_first"
    if getattr(section, "strata", "first") == "all":
        yield 'closeness.strata = "all" cuts strata inside strata of all records: leave it out'


def _keys(values: Any, fields: Mapping[str, FieldInfo], prefix: str = "") -> Iterator[str]:
    """Yield why not of the keys that say of themselves that Spark does not keep them, where a plan sets one."""
    for name, field in fields.items():
        reason = key_of(field).not_on_spark
        if reason and getattr(values, name) != field.get_default(call_default_factory=True):
            yield f"{prefix}{name} {reason}"


_OWN = re.compile(r"shoal\.(?:errors|giveaways\.giveaway)\.(\w+): ([^\n]+)")
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
    for name, message in reversed(_OWN.findall(str(error))):
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
    with NamedTemporaryFile("w", encoding="utf-8", prefix="shoal-spark-", suffix=".log", delete=False) as file:
        file.write("".join(traceback.format_exception(error)))
    return Path(file.name)
