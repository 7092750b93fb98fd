"""Commands whose options are made at run time: typer reads a function's signature, so the signature is what is made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

REQUIRED = inspect.Parameter.empty


def parameter(name: str, annotation: Any, default: Any = REQUIRED) -> inspect.Parameter:
    """Return a keyword parameter as typer wants it."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def own_parameters(command: Callable[..., None], *, without: Iterable[str]) -> list[inspect.Parameter]:
    """Return the parameters of a command but for some that a decorator provides."""
    provided = set(without)
    signature = inspect.signature(command, eval_str=True)
    return [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, p in signature.parameters.items()
        if name not in provided
    ]


def declare(command: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """Make a function show these parameters to typer."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command
