"""Overrides: every field of a plan by a name of its own, the same on the command line and in Python.

The names are made from the plan itself, so that none is forgotten: the path of a field with underscores, such as
``closeness_method``, but for the few in `SHORT_NAMES`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from enum import EnumType
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from shoal.errors import PlanError, nearest
from shoal.options.options import alternatives
from shoal.protect import GUARANTEES

SHORT_NAMES = {
    "closeness.t": "t",
    **{f"stream.{name}": name for name in ("max_delay", "position_weight", "sweeps", "on_unclose")},
}
"""Fields with a name of their own; the others have their path, with underscores (on the command line, dashes)."""

_SKIPPED = ("version", "attributes")
_COLUMNS = "attributes"


def option_name(path: str) -> str:
    """Return the name by which a field is overridden.

    Examples
    --------
    >>> option_name("closeness.t"), option_name("closeness.method"), option_name("k")
    ('t', 'closeness_method', 'k')
    """
    return SHORT_NAMES.get(path, path).replace(".", "_")


def scalar_fields(fields: Mapping[str, FieldInfo], prefix: str = "") -> dict[str, FieldInfo]:
    """Return the fields that hold one value, those of the plan's sections included, by their paths."""
    single: dict[str, FieldInfo] = {}
    for name, field in fields.items():
        path = prefix + name
        if path in _SKIPPED:
            continue
        section = section_of(field)
        if section is not None:
            single |= scalar_fields(section.model_fields, f"{path}.")
        elif scalar_type(field) is not None:
            single[path] = field
    return single


def scalar_type(field: FieldInfo) -> type | None:
    """Return the plain type of a field that holds one value; None for lists and tables."""
    annotation: Any = field.annotation
    types = alternatives(annotation)
    if EnumType in map(type, types):
        return str
    return next(filter(types.__contains__, (bool, str, int, float)), None)


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """Return the model of a field that is a table of the plan."""
    annotation: Any = field.annotation
    for part in alternatives(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return part
    return None


def path_of(name: str, fields: Mapping[str, FieldInfo]) -> str:
    """Return the path of the field that a name means: an option's name, a key or section of the plan, or a path."""
    if name in fields or "." in name:
        return name
    names = {option_name(path): path for path in scalar_fields(fields)}
    if name not in names:
        raise PlanError(f"a plan has no field {name!r}{nearest(name, (*names, *fields))}", field=name)
    return names[name]


def overridden(
    values: Mapping[str, Any], changes: Mapping[str, Any], fields: Mapping[str, FieldInfo]
) -> dict[str, Any]:
    """Return the plain values of a plan with some fields changed; what came is left alone.

    Changes have the names and the meaning that `Plan.with_` gives them.
    """
    if not isinstance(changes, Mapping):
        raise PlanError(
            f'changes are fields by their names, such as {{"attributes.age.weight": 2}}, not a {type(changes).__name__}'
        )
    result = copy.deepcopy(dict(values))
    for name, value in changes.items():
        named = path_of(name, fields)
        if named == _COLUMNS and isinstance(value, Mapping):
            _change_columns(result, value)
            continue
        for path, part in _parts(named, value, fields):
            if part is None:
                _leave_out(result, path, fields)
            else:
                assign(result, path, part)
    return result


def _parts(path: str, value: Any, fields: Mapping[str, FieldInfo]) -> Iterator[tuple[str, Any]]:
    """Yield what a table changes, key by key; any other value as it is."""
    section = section_of(fields[path]) if path in fields and isinstance(value, Mapping) else None
    if section is None:
        yield path, value
        return
    for key, part in value.items():
        inner = section.model_fields.get(key)
        yield from _parts(f"{path}.{key}", part, {} if inner is None else {f"{path}.{key}": inner})


def _change_columns(values: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change the keys that tables of columns have; not by paths, since names of columns may look like some."""
    columns = values.setdefault(_COLUMNS, {})
    for column, table in changes.items():
        if table is None:
            columns.pop(column, None)
        elif isinstance(table, Mapping):
            changed = {**columns.get(column, {}), **table}
            columns[column] = {key: part for key, part in changed.items() if part is not None}
        else:
            columns[column] = table


def _leave_out(values: dict[str, Any], path: str, fields: Mapping[str, FieldInfo]) -> None:
    head, _, rest = path.partition(".")
    if not rest or head not in values:
        values.pop(head, None)
        return
    if head == _COLUMNS:
        _leave_out_of_columns(values[head], rest)
        return
    inner = values
    *before, last = path.split(".")
    for key in before:
        inner = inner.get(key, {})
    inner.pop(last, None)
    asking = {key.partition(".")[0] for each in GUARANTEES.values() if each.section == head for key in each.keys}
    section = section_of(fields[head]) if head in fields else None
    required = () if section is None else [key for key, field in section.model_fields.items() if field.is_required()]
    if not values[head] or (asking and not asking & set(values[head])) or any(k not in values[head] for k in required):
        del values[head]


def _leave_out_of_columns(columns: dict[str, Any], path: str) -> None:
    """Leave a column out, or one of its keys; names of columns may hold dots."""
    column, _, key = path.rpartition(".")
    if path in columns or column not in columns:
        columns.pop(path, None)
    else:
        columns[column].pop(key, None)


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
    longest = max((key for key in values if path.startswith(f"{key}.")), key=len, default=None)
    if longest is not None:
        return longest, path[len(longest) + 1 :]
    head, _, rest = path.partition(".")
    return head, rest
