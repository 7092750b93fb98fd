"""The tables of methods, guarantees and ways in docs/plan.md, and of attacks, are those of the registries.

A line that lacks is told by the test as it must stand: copy it to where it belongs.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import shoal
from docs.pages import rows, section, text_of
from shoal.attacks import ATTACKS
from shoal.constrain import WAYS
from shoal.options import Options
from shoal.partitioners import METHODS
from shoal.plan.sections import protecting_sections
from shoal.protect import GUARANTEES
from shoal.registry import Registry

PAGE = text_of("docs/plan.md")


def options(model: type[Options]) -> str:
    """The options of a method or a way: the key, its default, what it means."""
    return "; ".join(
        f"`{name}`{default(field.default)}: {field.description}" for name, field in model.model_fields.items()
    )


def default(value: Any) -> str:
    return "" if value is None else f" (`{json.dumps(value)}`)"


def method_row(name: str) -> list[str]:
    method = METHODS[name]
    kinds = "all" if method.nominal else "all but nominal"
    return [f"`{name}`", method.summary, kinds, options(method.options)]


def guarantee_row(name: str) -> list[str]:
    guarantee = GUARANTEES[name]
    section = f"`[{guarantee.section}]` " if guarantee.section else ""
    keys = section + ", ".join(f"`{key}`" for key in guarantee.options.model_fields)
    return [f"`{name}`", keys, guarantee.summary, guarantee.not_promised]


def way_row(name: str) -> list[str]:
    return [f"`{name}`", WAYS[name].summary, options(WAYS[name].options)]


@pytest.mark.parametrize(
    ("title", "registry", "row"),
    [
        ("Methods", METHODS, method_row),
        ("Guarantees", GUARANTEES, guarantee_row),
        ("Ways to closeness", WAYS, way_row),
    ],
    ids=["methods", "guarantees", "ways"],
)
def test_the_table_is_the_registry(title: str, registry: Registry[Any], row: Any) -> None:
    expected = [row(name) for name in registry]
    assert rows(section(PAGE, title)) == expected, "\n".join(f"| {' | '.join(cells)} |" for cells in expected)


def test_every_key_of_a_plan_is_on_the_page() -> None:
    keys = set(shoal.Plan.known_keys()) - {"attributes"}
    told = {cells[0].strip("`[]") for cells in rows(section(PAGE, "Options of the run"))}
    methods = {key for method in METHODS.values() for key in method.options.model_fields}
    assert told | methods == keys - {"compare"}
    assert "\n[compare]\n" in PAGE
    assert set(protecting_sections()) <= told


def test_every_key_of_a_section_is_told_by_a_table() -> None:
    known = shoal.Plan.known_keys()
    owners = [*GUARANTEES.values(), *WAYS.values()]
    told = {key for owner in owners for key in owner.options.model_fields} | {"attributes", "missing", "method"}
    for name in protecting_sections():
        model = next(part for part in known[name].annotation.__args__ if part is not type(None))
        assert set(model.model_fields) <= told


def test_the_table_of_attacks_is_the_registry() -> None:
    expected = [[f"`{attack.key}`", attack.definition, attack.reference] for attack in ATTACKS.values()]
    page = text_of("docs/attacks.md")
    assert rows(section(page, "What is tried")) == expected, "\n".join(f"| {' | '.join(cells)} |" for cells in expected)
