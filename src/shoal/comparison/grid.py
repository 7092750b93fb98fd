"""The grid: which plans to compare, made from one plan and the values to try in it."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import PlanError
from shoal.options import plain
from shoal.plan import Plan
from shoal.plan.attribute_blocks import why_not_guaranteed
from shoal.plan.overrides import assign, path_of
from shoal.plan.registered_keys import compares_on_unit_range
from shoal.plan.toml import parse_value

_OPEN, _CLOSE = "[{", "]}"
_BEFORE_A_VALUE = "[{,="


def parse_values(text: str) -> list[Any]:
    """Read values with commas between them, each as TOML would or else as text; a list by itself holds the values.

    A value that is a list itself stands in brackets of its own, as it would in ``[compare]``.

    >>> parse_values("3, 5, none"), parse_values("[mdav, vmdav]"), parse_values('["a"], ["a", "b"]')
    ([3, 5, 'none'], ['mdav', 'vmdav'], [['a'], ['a', 'b']])
    >>> parse_values("[[age, sex]]")
    [['age', 'sex']]
    """
    parts = _apart(text)
    values = [_value(part) for part in parts]
    return values[0] if len(parts) == 1 and _is_list(parts[0]) else values


def _value(text: str) -> Any:
    if not _is_list(text):
        return parse_value(text)
    inner = text[1:-1].strip()
    return [_value(part) for part in _apart(inner)] if inner else []


def _is_list(text: str) -> bool:
    return text.startswith("[") and text.endswith("]")


def _apart(text: str) -> list[str]:
    """Cut at the commas that stand in no brackets and no quotes."""
    parts: list[str] = []
    inside: list[str] = []
    start, quote, escaped, before = 0, "", False, ","
    for place, sign in enumerate(text):
        if quote:
            if not escaped and sign == quote:
                quote = ""
            escaped = quote == '"' and sign == "\\" and not escaped
        elif sign in "\"'" and before in _BEFORE_A_VALUE:  # elsewhere it is an apostrophe
            quote = sign
        elif sign in _OPEN:
            inside.append(_CLOSE[_OPEN.index(sign)])
        elif sign in _CLOSE:
            if not inside or inside.pop() != sign:
                raise _unbalanced(text)
        elif sign == "," and not inside:
            parts.append(text[start:place].strip())
            start = place + 1
        before = before if sign.isspace() else sign
    if inside or quote:
        raise _unbalanced(text)
    return [*parts, text[start:].strip()]


def _unbalanced(text: str) -> PlanError:
    return PlanError(f"a bracket or a quote of the values to try is not closed, or closes nothing: {text.strip()!r}")


NONE = "none"
"""The value that leaves a field out, with its section: ``closeness.t`` of none is a plan without closeness."""

MOST = 10_000
"""The most plans that are compared at once."""

Grid = Mapping[str, Sequence[Any]]
"""The values to try, by the path of the field."""


@dataclass(frozen=True)
class Candidate:
    """A plan to try, and how it differs from the others."""

    choices: Mapping[str, Any]  # the values of the fields that were tried, by path
    plan: Plan | None  # the plan, or None where the choices do not go together
    problem: str = ""  # why there is no such plan
    wrong: str = ""  # the field whose value is wrong by itself, whatever the others are; empty where there is none


def candidates(plan: Plan, grid: Grid) -> tuple[Candidate, ...]:
    """Combine every value of every field; each different plan appears once.

    Parameters
    ----------
    plan
        Everything that is not tried.
    grid
        The values to try, by path: ``{"k": [3, 5], "closeness.t": ["none", 0.1]}``. ``none`` leaves a section out.

    Raises
    ------
    PlanError
        When there is nothing to try, or too much, or a value that its field never takes.

    Examples
    --------
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> [dict(candidate.choices) for candidate in candidates(plan, {"k": [3, 5], "method": ["mdav"]})]
    [{'k': 3, 'method': 'mdav'}, {'k': 5, 'method': 'mdav'}]
    """
    if not grid:
        raise PlanError("there is nothing to compare: name values to try, such as --try-k 3,5,10, or in [compare]")
    for path, values in grid.items():
        if isinstance(values, str) or not values:
            raise PlanError(f"compare.{path} must list the values to try, not {values!r}")
    many = math.prod(map(len, grid.values()))
    if many > MOST:
        raise PlanError(f"the grid has {many:,} plans, more than {MOST:,}: try fewer values")
    unique: dict[str, Candidate] = {}
    for combination in itertools.product(*grid.values()):
        choices = dict(zip(grid, combination, strict=True))
        try:
            candidate = Candidate(choices, chosen_plan(plan, choices))
        except PlanError as error:
            candidate = Candidate(choices, None, str(error), error.field)
        if candidate.wrong in grid:
            raise PlanError(candidate.problem)
        key = str(candidate.choices) if candidate.plan is None else plan_fingerprint(candidate.plan)
        unique.setdefault(key, candidate)
    return tuple(unique.values())


def grid_of(tried: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """Return values to try by path, from those by the names that options have; None is `NONE`.

    >>> grid_of({"k": [3, 5], "t": (None, 0.1)})
    {'k': [3, 5], 'closeness.t': ['none', 0.1]}
    """
    grid = {}
    for name, values in tried.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise PlanError(f"{name} must list the values to try, such as {name}=[3, 5], not {values!r}", field=name)
        grid[path_of(name, Plan.known_keys())] = [NONE if value is None else plain(value) for value in values]
    return grid


def chosen_plan(plan: Plan, choices: Mapping[str, Any]) -> Plan:
    """Return a plan with some fields chosen, and without its grid.

    A method that cannot guarantee k says so in its plan (``guarantee = false``): a comparison releases nothing. What
    the plan itself gives up, a steered t, stays given up.
    """
    values = {key: value for key, value in plan.to_dict().items() if key not in ("compare", "guarantee")}
    for path, value in choices.items():
        if value != NONE:
            assign(values, path, value)
    for path, value in choices.items():
        if value == NONE:  # last, so that nothing tried in a section brings it back
            values.pop(path.partition(".")[0], None)
    chosen = Plan.from_mapping(values)
    gives_up = why_not_guaranteed(chosen) is not None or (not plan.guarantee and compares_on_unit_range(chosen))
    return chosen.replace(guarantee=False) if gives_up else chosen


def plan_fingerprint(plan: Plan) -> str:
    """Return a hash of everything in a plan that can change a release."""
    text = json.dumps(plan.replace(compare={}, about=None).to_dict(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
