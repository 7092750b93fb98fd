"""The tables of the pages that say what registries hold, and the keys of a plan: ``python docs/tables.py`` writes them.

Lines of registries are made whole. In the table of a plan's keys the meaning is written by people, and says more than
the help of the command line: only a key that is new or gone changes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from shoal.attacks import ATTACKS
from shoal.constrain import WAYS
from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.protect import GUARANTEES

DOCS = Path(__file__).parent


def _options(model: type[Options]) -> str:
    """The options of a method or a way: the key, its default, what it means."""
    return "; ".join(
        f"`{name}`{_default(field.default)}: {field.description}" for name, field in model.model_fields.items()
    )


def _default(value: Any) -> str:
    return "" if value is None else f" (`{json.dumps(value)}`)"


def _method_row(name: str) -> list[str]:
    method = METHODS[name]
    kinds = "all" if method.nominal else "all but nominal"
    return [f"`{name}`", method.summary, kinds, _options(method.options)]


def _guarantee_row(name: str) -> list[str]:
    guarantee = GUARANTEES[name]
    section = f"`[{guarantee.section}]` " if guarantee.section else ""
    keys = section + ", ".join(f"`{key}`" for key in guarantee.options.model_fields)
    return [f"`{name}`", keys, guarantee.summary, guarantee.not_promised]


def _way_row(name: str) -> list[str]:
    return [f"`{name}`", WAYS[name].summary, _options(WAYS[name].options)]


def _attack_row(name: str) -> list[str]:
    attack = ATTACKS[name]
    return [f"`{name}`", attack.definition, attack.reference]


TABLES: dict[tuple[str, str], tuple[Iterable[str], Callable[[str], list[str]]]] = {
    ("plan.md", "Methods"): (METHODS, _method_row),
    ("plan.md", "Guarantees"): (GUARANTEES, _guarantee_row),
    ("plan.md", "Ways to closeness"): (WAYS, _way_row),
    ("attacks.md", "What is tried"): (ATTACKS, _attack_row),
}
"""The first table under a heading of a page, and its lines."""

KEYS = "Options of the run"
"""The heading of the table of a plan's keys."""


def expected(page: str, title: str) -> list[list[str]]:
    """Return the cells that a table must have."""
    names, row = TABLES[page, title]
    return [row(name) for name in names]


def documented_keys() -> list[str]:
    """Return the keys of a plan that have a line: options of methods stand with these, columns in sections."""
    methods = {key for method in METHODS.values() for key in method.options.model_fields}
    return [key for key in Plan.known_keys() if key not in methods | {"attributes", "compare"}]


def _key_row(name: str) -> list[str]:
    field = Plan.known_keys()[name]
    given = (
        "required"
        if field.is_required()
        else "none"
        if field.default in (None, ())
        else f"`{json.dumps(field.default)}`"
    )
    return [f"`{name}`", given, field.description or ""]


def write_tables() -> None:
    """Write the tables of all pages."""
    for page, title in TABLES:
        _replace(DOCS / page, title, lambda lines, page=page, title=title: expected(page, title))
    _replace(DOCS / "plan.md", KEYS, _keys)


def _keys(lines: list[list[str]]) -> list[list[str]]:
    known = documented_keys()
    named = {cells[0].strip("`[]"): cells for cells in lines}
    return [*(cells for name, cells in named.items() if name in known), *(_key_row(k) for k in known if k not in named)]


def _replace(path: Path, title: str, rows: Callable[[list[list[str]]], list[list[str]]]) -> None:
    """Replace the lines below the head of the first table under a heading."""
    lines = path.read_text(encoding="utf-8").split("\n")
    heading = next(i for i, line in enumerate(lines) if re.fullmatch(rf"#+ {re.escape(title)}", line))
    first = next(i for i in range(heading, len(lines)) if re.match(r"\|\s?---", lines[i])) + 1
    last = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
    before = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[first:last]]
    lines[first:last] = [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in rows(before)]
    path.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write_tables()
