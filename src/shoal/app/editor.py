"""The plan being edited: every click is a change of its TOML values, kept with its words, and can be undone."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.overrides import assign
from shoal.plan.toml import dump_toml, edited_toml, hierarchy_files, parse_toml, value


@dataclass
class Version:
    """The plan at one moment: its values, what was done to get there, what was noted, and how it was typed."""

    values: dict[str, Any]
    words: str
    note: str = ""
    text: str = ""
    time: datetime = field(default_factory=lambda: datetime.now().astimezone())


class Editor:
    """The history of a plan as TOML has it, in which roles may be undecided; the current version is one of it.

    Examples
    --------
    >>> editor = Editor({"k": 5, "attributes": {"age": {"role": "quasi_identifier", "kind": "numeric"}}}, "proposed")
    >>> editor.change_paths("k = 10", {"k": 10})
    >>> editor.plan.k, editor.undo(), editor.plan.k
    (10, None, 5)
    """

    def __init__(self, values: Mapping[str, Any], words: str) -> None:
        self.versions = [Version(copy.deepcopy(dict(values)), words)]
        self.position = 0

    @property
    def values(self) -> dict[str, Any]:
        """The current values; change them by `change` alone."""
        return self.versions[self.position].values

    @property
    def toml(self) -> str:
        """The current plan as text: with the comments of who wrote it, where somebody did."""
        if text := self.versions[self.position].text:
            return text
        plan = self.plan
        return plan.to_toml() if plan is not None else dump_toml(self.values)

    @property
    def plan(self) -> Plan | None:
        """The current plan, None where something is wrong with it or undecided."""
        try:
            return Plan.from_mapping(self.values)
        except PlanError:
            return None

    @property
    def problem(self) -> str:
        """What is wrong with the plan, in the words of the command line; empty where nothing is."""
        try:
            Plan.from_mapping(self.values)
        except PlanError as error:
            return str(error)
        return ""

    @property
    def can_undo(self) -> bool:
        """Whether there is a version before this one."""
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a version after this one."""
        return self.position < len(self.versions) - 1

    def change_paths(self, words: str, fields: Mapping[str, Any]) -> None:
        """Set fields by their paths; None removes one, and a table that is empty then."""
        self.replace(with_fields(self.values, fields), words)

    def change_fields(self, fields: Mapping[str, Any]) -> None:
        """Set fields by their paths, in the words of the plan: those that change, then those that are removed."""
        before = {path: _field(self.values, path) for path in fields}
        words = [f"{path} = {value(new)}" for path, new in fields.items() if new not in (None, before[path])]
        removed = [f"{path}: –" for path, new in fields.items() if new is None and before[path] is not None]
        self.change_paths(", ".join([*words, *removed]), fields)

    def change_column(self, name: str, words: str, **fields: Any) -> None:
        """Set what the plan says of a column; None removes a key."""
        about = {**self.values["attributes"].get(name, {}), **fields}
        self.change_columns(words, {name: {key: given for key, given in about.items() if given is not None}})

    def change_columns(self, words: str, lines: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the lines of several columns as they are given."""
        values = copy.deepcopy(self.values)
        values["attributes"].update({name: dict(about) for name, about in lines.items()})
        self.replace(values, words)

    def replace(self, values: Mapping[str, Any], words: str) -> None:
        """Take other values; what was undone is forgotten."""
        if values == self.values:
            return
        text = self.versions[self.position].text
        del self.versions[self.position + 1 :]
        self.versions.append(Version(dict(values), words, text=edited_toml(text, values) if text else ""))
        self.position += 1

    def parse(self, text: str, words: str) -> None:
        """Take a plan from TOML text, which must be right, with its comments."""
        self.take(parse_typed(text), words)
        self.versions[self.position].text = text if "#" in text else ""

    def take(self, values: Mapping[str, Any], words: str) -> None:
        """Take the values of a plan, which must be right."""
        if Plan.from_mapping(values).to_dict() != self.values:
            self.replace(values, words)

    def undo(self) -> None:
        """Go back one version, where there is one."""
        self.position = max(self.position - 1, 0)

    def redo(self) -> None:
        """Go forward again, where there is a later version."""
        self.position = min(self.position + 1, len(self.versions) - 1)


def parse_typed(text: str) -> dict[str, Any]:
    """Return the values of a plan that was typed into a page."""
    values = parse_toml(text)
    refuse_named_files(values)
    return values


def refuse_named_files(values: Mapping[str, Any]) -> None:
    """Refuse a plan that names files: a page reads those of the folder that was offered, and those it was sent."""
    for path in hierarchy_files(values):
        raise PlanError(f"{path} names a file, which a page does not read: send the file in the step Roles")


def with_fields(values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a plan with other fields, by their paths; None removes one, and a table left empty."""
    changed = copy.deepcopy(dict(values))
    for path, new in fields.items():
        if new is None:
            _remove(changed, path)
        else:
            assign(changed, path, new)
    return changed


def _field(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def _remove(values: dict[str, Any], path: str) -> None:
    head, _, rest = path.partition(".")
    if not rest:
        values.pop(head, None)
    elif isinstance(values.get(head), dict):
        _remove(values[head], rest)
        if not values[head]:
            del values[head]
