"""Whether a plain value is of the type that a field asks for: text that reads as a number is none."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

_NUMBERS = (int, float)


class Misfit(NamedTuple):
    """What a value must be, and where inside a list or table it stands."""

    wanted: str
    inside: tuple[str, ...] = ()


def misfit(annotation: Any, value: Any) -> Misfit | None:
    """Say what a value must be where it would be taken for something that it is not; None where it may be tried.

    Parameters
    ----------
    annotation
        The type of a field.
    value
        What is given for it, as TOML or JSON would.

    Notes
    -----
    pydantic reads ``"0.1"`` as a number, ``"yes"`` as true and true as 1. In a plan each would hide a mistake, and
    which of them is read would depend on the field.

    Examples
    --------
    >>> misfit(float | None, "0.1").wanted, misfit(float, 0.1), misfit(dict[str, float], {"pay": True})
    ('a number', None, Misfit(wanted='a number', inside=('pay',)))
    """
    found = list(_alternatives(annotation))
    plain = [kind for kind in found if isinstance(kind, type)]
    if _is_wrong(plain, value):
        return Misfit(_wanted(plain))
    for kind in found:
        inner = get_args(kind)
        if get_origin(kind) is dict and isinstance(value, Mapping):
            parts = [(str(name), inner[1], item) for name, item in value.items()]
        elif get_origin(kind) is tuple and isinstance(value, list | tuple):
            each = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
            parts = [(str(i), *pair) for i, pair in enumerate(zip(each, value, strict=False))]
        else:
            continue
        for name, part, item in parts:
            wrong = misfit(part, item)
            if wrong is not None:
                return Misfit(wrong.wanted, (name, *wrong.inside))
    return None


def _alternatives(annotation: Any) -> Iterator[Any]:
    """Walk the types inside ``Annotated[...]``, ``X | Y`` and ``Literal[...]``."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _alternatives(part)
    elif origin is Literal:
        yield from (type(value) for value in get_args(annotation))
    else:
        yield annotation


def _is_wrong(kinds: list[type], value: Any) -> bool:
    """Whether plain types take none of this kind of value, though one of them would make something of it."""
    if isinstance(value, bool):
        return any(kind in _NUMBERS for kind in kinds) and bool not in kinds
    if isinstance(value, int | float):
        return bool in kinds and not any(kind in _NUMBERS for kind in kinds)
    if isinstance(value, str):
        numbers = any(kind in (*_NUMBERS, bool) for kind in kinds)
        return numbers and not any(issubclass(kind, str | date | Enum) for kind in kinds)
    return False


def _wanted(kinds: list[type]) -> str:
    if float in kinds:
        return "a number"
    return "a whole number" if int in kinds else "true or false"
