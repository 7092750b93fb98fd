"""The tables of methods, guarantees, ways, attacks and keys are those of the registries: ``python docs/tables.py``."""

from __future__ import annotations

import pytest

import shoal
from docs.pages import load_script, rows, section, text_of
from shoal.constrain import WAYS
from shoal.options import key_of
from shoal.plan.registered_keys import protecting_sections
from shoal.protect import GUARANTEES

TABLES = load_script("tables")
PAGE = text_of("docs/plan.md")


@pytest.mark.parametrize(("page", "title"), TABLES.TABLES)
def test_the_table_is_the_registry(page: str, title: str) -> None:
    assert rows(section(text_of(f"docs/{page}"), title)) == TABLES.expected(page, title), "run python docs/tables.py"


def test_every_key_of_a_plan_is_on_the_page() -> None:
    told = {cells[0].strip("`[]") for cells in rows(section(PAGE, TABLES.KEYS))}
    assert told == set(TABLES.documented_keys()), "run python docs/tables.py, and say what a new key means"
    assert "\n[compare]\n" in PAGE
    assert set(protecting_sections()) <= told


def test_the_script_writes_the_pages_as_they_are(tmp_path, monkeypatch) -> None:
    for page in ("plan.md", "attacks.md"):
        (tmp_path / page).write_text(text_of(f"docs/{page}"), encoding="utf-8")
    monkeypatch.setattr(TABLES, "DOCS", tmp_path)
    TABLES.write_tables()
    for page in ("plan.md", "attacks.md"):
        assert (tmp_path / page).read_text(encoding="utf-8") == text_of(f"docs/{page}")


def test_a_new_key_gets_its_line() -> None:
    lines = TABLES._keys([["`k`", "required", "fewest subjects"], ["`gone`", "none", "nothing"]])
    assert lines[0] == ["`k`", "required", "fewest subjects"]
    assert ["`seed`", "`0`", "seed of everything random"] in lines
    assert not any("gone" in cell for cells in lines for cell in cells)


def test_every_key_that_spark_refuses_is_on_its_page() -> None:
    refused = section(text_of("docs/spark.md"), "What is refused")
    known = shoal.Plan.known_keys()
    for name, field in known.items():
        if key_of(field).not_on_spark:
            assert f"`{name}`" in refused
    closeness = next(part for part in known["closeness"].annotation.__args__ if part is not type(None))
    for name, field in closeness.model_fields.items():
        if key_of(field).not_on_spark:
            assert f"`closeness.{name}`" in refused


def test_every_key_of_a_section_is_told_by_a_table() -> None:
    known = shoal.Plan.known_keys()
    owners = [*GUARANTEES.values(), *WAYS.values()]
    told = {key for owner in owners for key in owner.options.model_fields} | {"attributes", "missing", "method"}
    for name in protecting_sections():
        model = next(part for part in known[name].annotation.__args__ if part is not type(None))
        assert set(model.model_fields) <= told
