"""Fields of a plan by their path, such as ``closeness.t`` or ``attributes.age.weight``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import PlanError


def assign(values: dict[str, Any], path: str, value: Any) -> None:
    """Set a nested value; a column name may itself hold dots, so the longest known key wins.

    Examples
    --------
    >>> values = {"k": 5}
    >>> assign(values, "closeness.t", 0.1)
    >>> values
    {'k': 5, 'closeness': {'t': 0.1}}
    """
    head, rest = _first(values, path)
    while rest:
        values = values.setdefault(head, {})
        if not isinstance(values, dict):
            raise PlanError(f"{path} cannot be set: {head} is a value, not a table")
        path, (head, rest) = rest, _first(values, rest)
    values[path] = value


def flattened(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of nested tables by their paths.

    Examples
    --------
    >>> flattened({"k": [3, 5], "closeness": {"t": [0.1]}})
    {'k': [3, 5], 'closeness.t': [0.1]}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= flattened(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat


def _first(values: dict[str, Any], path: str) -> tuple[str, str]:
    """Split a path after the longest key that is there, or at its first dot."""
    known = max((key for key in values if path.startswith(f"{key}.")), key=len, default=None)
    if known is not None:
        return known, path[len(known) + 1 :]
    head, _, rest = path.partition(".")
    return head, rest
