"""What clicks on Roles and Protect do: each is a change of the plan, with the line that it writes as its words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.app.directions import DIRECTIONS, freed, guessed_direction, longitude_of
from shoal.app.editor import refuse_named_files
from shoal.app.form import Form, whole_number
from shoal.app.session import Session
from shoal.encode import read_hierarchy
from shoal.errors import DataError, PlanError
from shoal.giveaways import remedied
from shoal.options import UNDECIDED
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.plan.refinement import UNREFINED
from shoal.plan.toml import parse_toml, parse_value, value

_OF_A_KIND = (
    *("order", "hierarchy", "format", "period", "longitude", "latitude"),
    *("aggregate", "scale", "round", "missing", "weight"),
)
"""Keys of a column that another kind or role may not have."""


def change_column(session: Session, form: Form) -> str | None:
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
    if kind != before.get("kind") or role != before.get("role"):
        keep = ("order",) if kind == "ordinal" else ("format",) if kind == "date" else ()
        changes |= {key: None for key in _OF_A_KIND if key not in keep}
    if kind == "ordinal" and not before.get("order"):
        changes["order"] = _proposed(session, name).get("order") or _categories(session, name)
    about = {key: given for key, given in {**before, **changes}.items() if given is not None}
    others = {}
    if kind != before.get("kind") or role != before.get("role"):
        others = freed(before, session.look.proposed["attributes"])
        about |= guessed_direction(name, kind, [column.name for column in session.look.columns])
    if kind == "place" and about.get("longitude"):
        others |= {about["longitude"]: longitude_of(name)}
    editor.change_columns(f"{name} = {value(about)}", {name: about, **others})
    return None


def change_direction(session: Session, form: Form) -> str | None:
    """Name the longitudes of a place, or the period of a cycle."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    before = editor.values["attributes"].get(name, {})
    columns = freed(before, session.look.proposed["attributes"])
    if before.get("kind") == "cyclic":
        about = {**before, "period": _typed("period", form.one("period"))}
        words = f"{name}.period"
    else:
        other = column_name(session, form.one("longitude"))
        if other == name:
            raise PlanError(f"the longitudes of {name!r} are in another column: choose that")
        about, words = {**before, "longitude": other}, f"{name}.longitude"
        columns[other] = longitude_of(name)
    given = about[words.rpartition(".")[2]]
    if given is None:
        raise PlanError("a cycle needs its period: after how much values begin anew, such as 24")
    editor.change_columns(f"{words} = {value(given)}", {**columns, name: about})
    return None


def column_name(session: Session, place: str) -> str:
    """Return the name of a column by its place in the table."""
    session.require_editor()
    columns = session.look.columns
    number = whole_number(place)
    if number is None or number >= len(columns):
        raise DataError("there is no such column")
    name: str = columns[number].name
    return name


def _proposed(session: Session, name: str) -> dict[str, Any]:
    found: dict[str, Any] = session.look.proposed["attributes"].get(name, {})
    return found


def _guessed(session: Session, name: str) -> str:
    sketch = next(column.sketch for column in session.look.columns if column.name == name)
    return str(_proposed(session, name).get("kind") or ("numeric" if sketch.intervals else "nominal"))


def _categories(session: Session, name: str) -> list[str] | None:
    found = next(column.categories for column in session.look.columns if column.name == name)
    return list(found) if len(found) > 1 else None


def change_options(session: Session, form: Form) -> str | None:
    """Say whom records are about, what they weigh and which are never mixed."""
    changes: dict[str, Any] = {}
    for key in ("subject", "weights", "by"):
        given = form.one(key)
        changes[key] = None if not given else "record" if given == "record" else column_name(session, given)
    editor = session.require_editor()
    words = [f"{key} = {value(given)}" for key, given in changes.items() if given != editor.values.get(key) and given]
    removed = [f"{key}: –" for key, given in changes.items() if given is None and key in editor.values]
    editor.change_paths(", ".join([*words, *removed]), changes)
    return None


def change_order(session: Session, form: Form) -> str | None:
    """Put the categories of a column in an order."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    known = editor.values["attributes"][name].get("order") or _categories(session, name) or []
    by_text = {str(each): each for each in known}
    order = [by_text[text] for text in form.all("order") if text in by_text]
    if len(order) != len(known):
        raise DataError(f"the order of {name!r} must list each of its {len(known)} categories once")
    editor.change_column(name, f"{name}.order = {value(order)}", order=order)
    return None


def change_tree(session: Session, form: Form) -> str | None:
    """Give the codes of a column a tree: by prefix, by lines that were pasted, or none."""
    name = column_name(session, form.one("column"))
    editor = session.require_editor()
    if form.one("remove"):
        editor.change_column(name, f"{name}.hierarchy: –", hierarchy=None)
        return None
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
    if editor.problem and "hierarchy" in editor.problem:
        said = editor.problem
        editor.position = before
        raise PlanError(said)
    return None


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


def apply_remedy(session: Session, form: Form) -> str | None:
    """Put the lines of a remedy into the plan."""
    refuse_named_files(parse_toml(form.one("remedy")))
    plan = remedied(session.require_plan(), form.one("remedy"))
    session.require_editor().replace(plan.to_dict(), " ".join(form.one("remedy").split()))
    return None


def change_promises(session: Session, form: Form) -> str | None:
    """Change what is promised, and how it is reached."""
    editor = session.require_editor()
    method = form.one("method") or "mdav"
    changes: dict[str, Any] = {
        "k": _typed("k", form.one("k")),
        "method": method,
        "refine": _refinement(form.one("refine"), editor.values),
        "missing": None if form.one("missing") in ("", "error") else form.one("missing"),
        "round": True if form.one("round") else None,
        "closeness.t": _typed("t", form.one("t")),
        **_diversity(form),
    }
    if changes["k"] is None:
        raise PlanError("k is required: how many must look alike at least, such as 5")
    changes |= _closeness(session, form, asked=changes["closeness.t"] is not None)
    asked = {path: given for path, given in changes.items() if path.startswith("diversity.")}
    kept = {f"diversity.{key}" for key in editor.values.get("diversity", {})} - {"diversity.attributes", *asked}
    if not kept and all(given is None for given in asked.values()):
        changes["diversity"] = None  # nothing else is asked for there
    for name, known in METHODS.items():
        for option, about in known.options.model_fields.items():
            given = form.one(f"option.{option}") if name == method else ""
            typed = parse_value(given) if given else None
            changes[option] = None if typed == about.default else typed
    before = editor.values
    words = [
        f"{path} = {value(given)}"
        for path, given in changes.items()
        if given is not None and given != _at(before, path)
    ]
    removed = [f"{path}: –" for path, given in changes.items() if given is None and _at(before, path) is not None]
    editor.change_paths(", ".join([*words, *removed]), changes)
    return None


def _diversity(form: Form) -> dict[str, Any]:
    """Return the kinds of diversity that are asked for; None for the others."""
    c, l = _typed("c", form.one("c")), _typed("l", form.one("l"))  # noqa: E741  as the literature has it
    if l is not None and c is None:
        raise PlanError("recursive diversity needs c beside l: how many times all others together, such as 2")
    return {
        "diversity.distinct": _typed("l", form.one("distinct")),
        "diversity.entropy": _typed("l", form.one("entropy")),
        "diversity.recursive": None if l is None else {"c": c, "l": l},
    }


def _closeness(session: Session, form: Form, *, asked: bool) -> dict[str, Any]:
    values = session.require_editor().values
    if not asked:
        return {"closeness": None} if "closeness" in values else {}
    changes: dict[str, Any] = {}
    way = form.one("way")
    if way and way != values.get("closeness", {}).get("method", "t_first"):
        changes["closeness.method"] = way
    confidential = [n for n, about in values["attributes"].items() if about.get("role") == Role.CONFIDENTIAL.value]
    if "closeness" in values and form.all("way"):
        places = map(whole_number, form.all("protected"))
        chosen = [confidential[i] for i in places if i is not None and i < len(confidential)]
        if not chosen:
            raise PlanError("closeness must protect at least one confidential column: tick one, or leave t empty")
        lead = form.one("lead")
        if lead in chosen:
            chosen = [lead, *(name for name in chosen if name != lead)]
        changes["closeness.attributes"] = None if chosen == confidential else chosen
        own = {name: _typed("t", form.one(f"t.{confidential.index(name)}")) for name in chosen}
        by_name = {name: _typed("t", form.one("t")) if t is None else t for name, t in own.items()}
        changes["closeness.t"] = by_name if len(set(by_name.values())) > 1 else by_name[chosen[0]]
    return changes


def _refinement(given: str, values: dict[str, Any]) -> str | None:
    """Return what to look for, said where it was said before, so that the history tells what it became."""
    return None if given in ("", UNREFINED) and values.get("refine") in (None, "") else given or UNREFINED


def take_way_out(session: Session, form: Form) -> str | None:
    """Take one of the ways out that were tried, so that closeness costs less."""
    preview = session.preview()
    job = session.costs(preview.result.asked) if preview.state == "done" else None
    way = next((each for each in getattr(job and job.result, "ways", ()) if each.name == form.one("way")), None)
    if way is None:
        raise PlanError("there is no such way: the plan has changed since")
    words = [f"{path}: –" if given is None else f"{path} = {value(given)}" for path, given in way.changes.items()]
    session.require_editor().change_paths(", ".join(words), way.changes)
    return None


def _typed(name: str, text: str) -> Any:
    if not text.strip():
        return None
    typed = parse_value(text.strip())
    if isinstance(typed, bool) or not isinstance(typed, int | float):
        raise PlanError(f"{name} must be a number")
    return typed


def _at(values: dict[str, Any], path: str) -> Any:
    found: Any = values
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def change_toml(session: Session, form: Form) -> str | None:
    """Take the plan as it was typed."""
    session.require_editor().parse(form.one("toml").replace("\r\n", "\n"), "TOML")
    return None


ACTIONS: dict[str, Callable[[Session, Form], str | None]] = {
    "/roles/column": change_column,
    "/roles/options": change_options,
    "/roles/order": change_order,
    "/roles/direction": change_direction,
    "/roles/hierarchy": change_tree,
    "/roles/remedy": apply_remedy,
    "/protect/options": change_promises,
    "/protect/way": take_way_out,
    "/protect/toml": change_toml,
}
