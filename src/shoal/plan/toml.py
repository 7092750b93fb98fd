"""Read TOML, and write plain nested values as TOML: the part of the format that plans use."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, is_control
from shoal.files_in_use import note_read
from shoal.kinds.hierarchy_file import read_hierarchy

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TWICE = re.compile(r"Cannot overwrite a value \(at (?:line (\d+)|end of document)")
_KEY = re.compile(r"""\s*\[*\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^=\]"'])*)""")


def key(name: str) -> str:
    """Return a key, quoted where TOML asks for it."""
    return name if _BARE.fullmatch(name) else _string(name)


def value(item: Any) -> str:
    """Return a value on one line; tables are written inline.

    >>> value({"role": "other", "order": [1, 2.5, True]})
    '{ role = "other", order = [1, 2.5, true] }'
    """
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int | float):
        return repr(item)
    if isinstance(item, str):
        return _string(item)
    if isinstance(item, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value(inner)}" for name, inner in item.items()) + " }"
    return "[" + ", ".join(value(inner) for inner in item) + "]"


def dump_toml(values: Mapping[str, Any]) -> str:
    """Return TOML: plain values first, then one table per mapping, one line per column or option in it."""
    lines = [f"{key(name)} = {value(item)}" for name, item in values.items() if not _is_table(item)]
    for name, item in values.items():
        heading, tables = (f"[{key(name)}]", [item]) if isinstance(item, Mapping) else (f"[[{key(name)}]]", item)
        for table in tables if _is_table(item) else ():
            lines += ["", heading, *(f"{key(inner)} = {value(content)}" for inner, content in table.items())]
    return "\n".join(lines) + "\n"


def edited_toml(text: str, values: Mapping[str, Any]) -> str:
    """Return TOML that holds some values, as a text has them that a person wrote: comments and order stay.

    Notes
    -----
    tomlkit keeps what stands around values. Values themselves are written as `dump_toml` writes them: in tomlkit the
    time of a list grows with the square of its length, and trees of categories are long.

    Examples
    --------
    >>> print(edited_toml("k = 5  # as agreed\\nseed = 1", {"k": 10, "round": True}).strip())
    k = 10  # as agreed
    round = true
    """
    import tomlkit

    document = tomlkit.parse(text)
    _update(document, values)
    edited = tomlkit.dumps(document)
    return edited if tomllib.loads(edited) == values else dump_toml(values)


def _update(table: Any, values: Mapping[str, Any], *, top: bool = True) -> None:
    """Let a table of tomlkit hold some values; what is the same is not touched."""
    import tomlkit

    for name in [name for name in table if name not in values]:
        del table[name]
    for name, item in values.items():
        before = table.get(name)
        if isinstance(before, tomlkit.items.Table) and isinstance(item, Mapping):
            _update(before, item, top=False)
        elif before is None or before.unwrap() != item:
            table[name] = tomlkit.parse(dump_toml({name: item}))[name] if top else tomlkit.value(value(item))


def _string(text: str) -> str:
    # A JSON string is a TOML basic string, but for controls that JSON leaves bare, and terminals obey.
    quoted = json.dumps(text, ensure_ascii=False)
    if quoted.isprintable():
        return quoted
    return "".join(f"\\u{ord(letter):04x}" if is_control(letter) else letter for letter in quoted)


def _is_table(item: Any) -> bool:
    return isinstance(item, Mapping) or (
        isinstance(item, list) and bool(item) and all(isinstance(inner, Mapping) for inner in item)
    )


def load_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file, with one clear sentence when it cannot be read."""
    if not str(path):
        raise PlanError("the name of the plan is empty: give that of a TOML file")
    path = Path(path)
    try:
        note_read(path)
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PlanError(f"the plan {str(path)!r} does not exist; `shoal init DATA` writes one to start from") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PlanError(f"the plan {str(path)!r} cannot be read: {reason}") from None
    values = parse_toml(text)
    for table, name in hierarchy_files(values).values():  # files beside the plan, which holds the trees themselves
        table[name] = read_hierarchy(table[name], path.parent)
    return values


def hierarchy_files(values: Mapping[str, Any]) -> dict[str, tuple[dict[str, Any], str]]:
    """Return where values of a plan name a file of paths instead of a tree: the table and the key in it, by their path.

    Examples
    --------
    >>> list(hierarchy_files({"attributes": {"job": {"hierarchy": "jobs.csv"}, "age": {"kind": "numeric"}}}))
    ['attributes.job.hierarchy']
    """
    columns, closeness = values.get("attributes"), values.get("closeness")
    trees = closeness.get("hierarchy") if isinstance(closeness, dict) else None
    places = {f"closeness.hierarchy.{name}": (trees, name) for name in trees} if isinstance(trees, dict) else {}
    if isinstance(columns, dict):
        places |= {f"attributes.{name}.hierarchy": (about, "hierarchy") for name, about in columns.items()}
    return {
        path: (table, name)
        for path, (table, name) in places.items()
        if isinstance(table, dict) and isinstance(table.get(name), str)
    }


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML text, with one clear sentence when it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"the plan is not valid TOML: {_twice(text, str(error)) or error}") from None
    except RecursionError:
        raise PlanError("the plan is nested too deeply to be read as TOML") from None
    except ValueError:  # as Python refuses to read a number of thousands of digits
        raise PlanError("the plan is not valid TOML: a number has too many digits") from None


def _twice(text: str, message: str) -> str | None:
    """Say which key has two values, where a message of the library says only that one has."""
    match = _TWICE.match(message)
    if match is None:
        return None
    lines = text.splitlines(keepends=True)
    for number in range(int(match[1] or len(lines)), 0, -1):
        try:
            tomllib.loads("".join(lines[: number - 1]))
        except tomllib.TOMLDecodeError:
            continue  # the value began further above
        name = _KEY.match(lines[number - 1])
        assert name is not None
        return f"a key has two values, at {name[1].strip()!r} in line {number}: leave one of them"
    return None


def parse_value(text: str) -> Any:
    """Read one value as TOML; what is none is text.

    >>> parse_value("0.5"), parse_value("mdav"), parse_value('"5"')
    (0.5, 'mdav', '5')
    """
    try:
        values = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise PlanError("a value is nested too deeply to be read as TOML") from None
    except ValueError:
        return text
    return values["value"] if len(values) == 1 else text  # more keys, behind a line break, are none of its business
