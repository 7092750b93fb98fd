"""The plan being edited: every change is a version, and none is lost by undoing."""

from __future__ import annotations

import pytest

from app.served import PLAN
from shoal.app.editor import Editor
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.toml import parse_toml


def editor() -> Editor:
    return Editor(parse_toml(PLAN), "proposed")


def test_changes_are_versions_that_can_be_undone_and_done_again() -> None:
    made = editor()
    made.change_paths("k = 9", {"k": 9})
    made.change_paths("t", {"closeness.t": 0.2})
    assert made.plan is not None
    assert made.plan.k == 9
    assert made.plan.closeness.t == 0.2
    made.undo()
    assert made.can_undo
    made.undo()
    assert not made.can_undo
    made.undo()
    assert made.plan == Plan.parse(PLAN)
    assert made.can_redo
    made.redo()
    assert made.plan.k == 9
    made.change_paths("k = 3", {"k": 3})
    assert not made.can_redo
    made.redo()
    assert made.plan.k == 3
    assert [version.words for version in made.versions] == ["proposed", "k = 9", "k = 3"]


def test_a_section_that_is_empty_goes() -> None:
    made = editor()
    made.change_paths("t", {"closeness.t": 0.2})
    made.change_paths("no t", {"closeness.t": None})
    assert "closeness" not in made.values
    assert made.values == editor().values


def test_the_same_values_are_no_new_version() -> None:
    made = editor()
    made.change_paths("k = 5", {"k": 5})
    assert len(made.versions) == 1


def test_what_is_wrong_is_said_in_the_words_of_the_command_line() -> None:
    made = editor()
    made.change_column("age", "?", role="?")
    assert made.plan is None
    with pytest.raises(PlanError) as told:
        Plan.from_mapping(made.values)
    assert made.problem == str(told.value)
    assert "age" in made.problem


def test_text_is_taken_only_where_it_is_a_plan() -> None:
    made = editor()
    with pytest.raises(PlanError, match="k must be at least 2"):
        made.parse(PLAN.replace("k = 5", "k = 1"), "TOML")
    assert len(made.versions) == 1
    made.parse(PLAN.replace("k = 5", "k = 6"), "TOML")
    assert made.plan is not None
    assert made.plan.k == 6
    assert Plan.parse(made.toml) == made.plan


def test_comments_of_who_typed_a_plan_stay():
    editor = Editor(parse_toml(PLAN), "proposed")
    editor.parse(f"# Agreed on Monday.\n{PLAN}", "TOML")
    editor.change_paths("k = 10", {"k": 10})
    assert editor.toml.startswith("# Agreed on Monday.")
    assert parse_toml(editor.toml)["k"] == 10
    editor.undo()
    assert parse_toml(editor.toml) == parse_toml(PLAN)
