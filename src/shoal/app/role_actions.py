"""What clicks on Roles do: each is a change of the plan, with the line that it writes as its words."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.editor import refuse_named_files
from shoal.app.form import Form, typed_number, whole_number
from shoal.errors import DataError, PlanError
from shoal.giveaways import remedied
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.options import UNDECIDED
from shoal.plan.attribute import Role
from shoal.plan.toml import parse_toml, value

_OF_A_KIND = (
    *("order", "hierarchy", "format", "period", "longitude", "latitude"),
    *("aggregate", "scale", "round", "missing", "weight"),
)
"""Keys of a column that another kind or role may not have."""

DIRECTIONS = ("place", "cyclic")

_LONGITUDE = re.compile(r"lon|lng", re.IGNORECASE)
_PERIODS = (
    (re.compile(r"hour|stunde|time", re.IGNORECASE), 24),
    (re.compile(r"week|wday|wochentag", re.IGNORECASE), 7),
    (re.compile(r"month|monat", re.IGNORECASE), 12),
    (re.compile(r"minute", re.IGNORECASE), 60),
    (re.compile(r"day|tag", re.IGNORECASE), 365.25),
    (re.compile(r"angle|degree|direction|winkel|grad|richtung", re.IGNORECASE), 360),
)


def change_column(session: Session, form: Form) -> None:
    """Give a column another role or kind."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    before = editor.values["attributes"].get(name, {})
    role, kind = form.one("role") or UNDECIDED, form.one("kind") or None
    if role in (Role.QUASI_IDENTIFIER.value, Role.CONFIDENTIAL.value) and kind is None:
        kind = _guessed(session, name)
    if role == Role.IDENTIFIER.value:
        kind = None
    if kind in DIRECTIONS:
        role = Role.QUASI_IDENTIFIER.value  # nothing else is compared as a direction
    changes: dict[str, Any] = {"role": role, "kind": kind}
    is_another = (kind, role) != (before.get("kind"), before.get("role"))
    if is_another:
        keep = ("order",) if kind == "ordinal" else ("format",) if kind == "date" else ()
        changes |= {key: None for key in _OF_A_KIND if key not in keep}
    if kind == "ordinal" and not before.get("order"):
        changes["order"] = _proposed(session, name).get("order") or _categories(session, name)
    about = {key: given for key, given in {**before, **changes}.items() if given is not None}
    others = {}
    if is_another:
        others = freed(before, session.overview.proposed["attributes"])
        about |= guessed_direction(name, kind, [column.name for column in session.overview.columns])
    if kind == "place" and about.get("longitude"):
        others |= {about["longitude"]: longitude_of(name)}
    editor.change_columns(f"{name} = {value(about)}", {name: about, **others})


def change_direction(session: Session, form: Form) -> None:
    """Name the longitudes of a place, or the period of a cycle."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    before = editor.values["attributes"].get(name, {})
    columns = freed(before, session.overview.proposed["attributes"])
    given: float | str | None
    if before.get("kind") == "cyclic":
        key, given = "period", typed_number("period", form.one("period"))
        if given is None:
            raise PlanError("a cycle needs its period: after how much values begin anew, such as 24")
    else:
        key, given = "longitude", column_name(session, form.one("longitude"))
        if given == name:
            raise PlanError(f"the longitudes of {name!r} are in another column: choose that")
        columns[given] = longitude_of(name)
    editor.change_columns(f"{name}.{key} = {value(given)}", {**columns, name: {**before, key: given}})


def column_name(session: Session, place: str) -> str:
    """Return the name of a column by its place in the table."""
    session.require_editor()
    columns = session.overview.columns
    number = whole_number(place)
    if number is None or number >= len(columns):
        raise DataError("there is no such column")
    return str(columns[number].name)


def _proposed(session: Session, name: str) -> dict[str, Any]:
    return dict(session.overview.proposed["attributes"].get(name, {}))


def _guessed(session: Session, name: str) -> str:
    sketch = next(column.sketch for column in session.overview.columns if column.name == name)
    return str(_proposed(session, name).get("kind") or ("numeric" if sketch.intervals else "nominal"))


def _categories(session: Session, name: str) -> list[str] | None:
    categories = next(column.categories for column in session.overview.columns if column.name == name)
    return list(categories) if len(categories) > 1 else None


def change_options(session: Session, form: Form) -> None:
    """Say whom records are about, what they weigh and which are never mixed."""
    changes: dict[str, Any] = {}
    for key in ("subject", "weights", "by"):
        given = form.one(key)
        changes[key] = None if not given else "record" if given == "record" else column_name(session, given)
    session.require_editor().change_fields(changes)


def change_order(session: Session, form: Form) -> None:
    """Put the categories of a column in an order."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    categories = editor.values["attributes"][name].get("order") or _categories(session, name) or []
    by_text = {str(category): category for category in categories}
    order = [by_text[text] for text in form.all("order") if text in by_text]
    if len(order) != len(categories):
        raise DataError(f"the order of {name!r} must list each of its {len(categories)} categories once")
    editor.change_column(name, f"{name}.order = {value(order)}", order=order)


def change_tree(session: Session, form: Form) -> None:
    """Give the codes of a column a tree: by prefix, by lines that were pasted, or none."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    if form.one("remove"):
        editor.change_column(name, f"{name}.hierarchy: –", hierarchy=None)
        return
    if form.one("prefix").strip():
        lengths = [whole_number(part.strip()) for part in form.one("prefix").split(",")]
        if None in lengths:
            raise PlanError("a prefix is a number of characters: name some, such as 1, 3")
        tree: dict[str, Any] = {"prefix": lengths}
    elif form.one("paths").strip():
        tree = _pasted(session, form.one("paths"))
    else:
        raise PlanError("a tree is lines of codes, or lengths of prefixes: give one of them")
    before = editor.position
    editor.change_column(name, f"{name}.hierarchy", hierarchy=tree)
    if "hierarchy" in (problem := editor.problem):
        editor.position = before
        raise PlanError(problem)


def _pasted(session: Session, text: str) -> dict[str, Any]:
    handle, path = tempfile.mkstemp(suffix=".csv", dir=session.folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text.replace("\r\n", "\n").strip() + "\n")
        return read_hierarchy(path)
    except PlanError as error:
        raise PlanError(str(error).replace(path, "the tree").replace(Path(path).name, "the tree")) from None
    finally:
        Path(path).unlink()


def apply_remedy(session: Session, form: Form) -> None:
    """Put the lines of a remedy into the plan."""
    refuse_named_files(parse_toml(form.one("remedy")))
    plan = remedied(session.require_plan(), form.one("remedy"))
    session.require_editor().replace(plan.to_dict(), " ".join(form.one("remedy").split()))


def guessed_direction(name: str, kind: str | None, names: Sequence[str]) -> dict[str, Any]:
    """Guess what a place or a cycle needs by the names of columns; nothing where they do not tell.

    Examples
    --------
    >>> guessed_direction("lat", "place", ["id", "lat", "lon"]), guessed_direction("hour", "cyclic", ["hour"])
    ({'longitude': 'lon'}, {'period': 24})
    >>> guessed_direction("x", "cyclic", ["x"])
    {}
    """
    if kind == "place":
        longitudes = [other for other in names if other != name and _LONGITUDE.search(other)]
        return {"longitude": longitudes[0]} if longitudes else {}
    if kind == "cyclic":
        period = next((period for pattern, period in _PERIODS if pattern.search(name)), None)
        return {} if period is None else {"period": period}
    return {}


def longitude_of(name: str) -> dict[str, Any]:
    """Return the line of the longitudes whose latitudes a column has."""
    return {"role": "quasi_identifier", "kind": "place", "latitude": name}


def freed(before: Mapping[str, Any], proposed: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the line that the other column of a place gets when this one is none any more: as it was proposed."""
    other = before.get("longitude") or before.get("latitude")
    return {} if other is None else {other: dict(proposed.get(other, {}))}


ACTIONS: dict[str, Callable[[Session, Form], str | None]] = {
    "/roles/column": change_column,
    "/roles/options": change_options,
    "/roles/order": change_order,
    "/roles/direction": change_direction,
    "/roles/hierarchy": change_tree,
    "/roles/remedy": apply_remedy,
}
