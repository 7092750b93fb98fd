"""Values to try, as they are written on a command line: with commas between them, lists among them."""

from __future__ import annotations

from typing import Any

from shoal.errors import PlanError
from shoal.plan.toml import parse_value

_OPEN, _CLOSE = "[{", "]}"
_BEFORE_A_VALUE = "[{,="


def parse_values(text: str) -> list[Any]:
    """Read values with commas between them, each as TOML would or else as text; a list by itself holds the values.

    A value that is a list itself stands in brackets of its own, as it would in ``[compare]``.

    Examples
    --------
    >>> parse_values("3, 5, none"), parse_values("[mdav, vmdav]"), parse_values('["a"], ["a", "b"]')
    ([3, 5, 'none'], ['mdav', 'vmdav'], [['a'], ['a', 'b']])
    >>> parse_values("[[age, sex]]")
    [['age', 'sex']]
    """
    parts = _apart(text)
    if len(parts) == 1 and _is_list(parts[0]):
        return _items(parts[0])
    return [_value(part) for part in parts]


def _value(text: str) -> Any:
    return _items(text) if _is_list(text) else parse_value(text)


def _is_list(text: str) -> bool:
    return text.startswith("[") and text.endswith("]")


def _items(text: str) -> list[Any]:
    inner = text[1:-1].strip()
    return [_value(part) for part in _apart(inner)] if inner else []


def _apart(text: str) -> list[str]:
    """Cut at the commas that stand in no brackets and no quotes."""
    parts: list[str] = []
    inside: list[str] = []
    start, quote, escaped, before = 0, "", False, ","
    for place, sign in enumerate(text):
        if quote:
            if not escaped and sign == quote:
                quote = ""
            escaped = quote == '"' and sign == "\\" and not escaped
        elif sign in "\"'" and before in _BEFORE_A_VALUE:  # elsewhere it is an apostrophe
            quote = sign
        elif sign in _OPEN:
            inside.append(_CLOSE[_OPEN.index(sign)])
        elif sign in _CLOSE:
            if not inside or inside.pop() != sign:
                raise _unbalanced(text)
        elif sign == "," and not inside:
            parts.append(text[start:place].strip())
            start = place + 1
        before = before if sign.isspace() else sign
    if inside or quote:
        raise _unbalanced(text)
    return [*parts, text[start:].strip()]


def _unbalanced(text: str) -> PlanError:
    return PlanError(f"a bracket or a quote of the values to try is not closed, or closes nothing: {text.strip()!r}")
