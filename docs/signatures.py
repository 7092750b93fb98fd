"""Signatures for the API reference, written as in the source."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

WIDTH = 88
"""Signatures that are longer have a line for each parameter."""


class _Written(str):
    """A text that stands in a signature as it is, without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


def written_annotation(annotation: Any) -> str:
    """Return a type as code."""
    return f"`{annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)}`"


def written_signature(called: str, function: Callable[..., Any]) -> str:
    """Return a call with its parameters and what it returns, as a block of Python."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # an exception has none
        return f"```python\n{called}(message)\n```"
    written = [_written(p) for p in signature.parameters.values() if p.name != "self"]
    plain = signature.replace(parameters=written, return_annotation=signature.empty)
    back = signature.return_annotation
    arrow = "" if back in (signature.empty, None, "None") else f" -> {written_annotation(back).strip('`')}"
    line = f"{called}{plain}{arrow}"
    if len(line) > WIDTH:
        parts = _split(str(plain)[1:-1])
        line = "\n".join([f"{called}(", *(f"    {part}," for part in parts), f"){arrow}"])
    return f"```python\n{line}\n```"


def _written(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter whose type and default are written as in the source."""
    default, annotation = parameter.default, parameter.annotation
    if isinstance(default, enum.Enum):
        default = _Written(f"{type(default).__name__}.{default.name}")
    elif isinstance(default, FunctionType):
        default = _Written(default.__name__)
    elif default is not parameter.empty and repr(default).startswith("<"):
        default = _Written("...")  # what a factory makes
    if isinstance(annotation, str):
        annotation = _Written(annotation)
    return parameter.replace(default=default, annotation=annotation)


def _split(parameters: str) -> list[str]:
    """Split a list of parameters at the commas outside brackets and quotation marks."""
    depth, quoted, start, parts = 0, "", 0, []
    for place, letter in enumerate(parameters):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        elif letter == "," and depth == 0:
            parts.append(parameters[start:place])
            start = place + 1
        else:
            depth += (letter in "([{") - (letter in ")]}")
    return [part.strip() for part in (*parts, parameters[start:])]
