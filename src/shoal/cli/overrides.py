"""Every field of the plan as an option of the command line, made from the plan itself so that none is forgotten."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo

from shoal.cli.options import declare, own_parameters, parameter
from shoal.errors import PlanError
from shoal.options.options import alternatives
from shoal.plan import Plan
from shoal.plan.overrides import assign, option_name, scalar_fields, scalar_type
from shoal.plan.toml import load_toml, parse_value

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'")
_ASSIGNMENT = re.compile(rf"(?P<path>(?:{_QUOTED.pattern}|[^=\"'])*)=(?P<value>.*)", re.DOTALL)

_PANEL = "Overrides of the plan"
_FOR_STREAMS = ("stream",)


def plan_options(
    command: Callable[..., None] | None = None, *, without: Collection[str] = _FOR_STREAMS
) -> Callable[..., Any]:
    """Give a command ``--plan``, one option per field of the plan, and ``--set``.

    The command's parameter ``plan`` receives the plan with the options applied. Fields and sections that the command
    does not use are left out.
    """
    if command is None:
        return functools.partial(plan_options, without=without)
    paths = [
        (path, field) for path, field in plan_fields() if path not in without and path.partition(".")[0] not in without
    ]
    names = {path: option_name(path) for path, _ in paths}

    @functools.wraps(command)
    def run(plan: str, set_: list[str], **arguments: Any) -> None:
        changes = {path: _number_or_name(field, arguments.pop(names[path])) for path, field in paths}
        values = load_toml(plan)
        for path, value in changes.items():
            if value is not None:
                assign(values, path, value)
        for assignment in set_:
            _carry_out(assignment, values)
        command(plan=Plan.from_mapping(values), **arguments)

    added = [
        parameter("plan", Annotated[str, typer.Option(help="The plan, a TOML file.")]),
        *(parameter(names[path], _option(names[path], field), None) for path, field in paths),
        parameter(
            "set_",
            Annotated[
                list[str],
                typer.Option(
                    "--set",
                    metavar="PATH=VALUE",
                    rich_help_panel=_PANEL,
                    help="Any field by its path, such as `--set attributes.age.weight=2`. Values as in TOML.",
                ),
            ],
            [],
        ),
    ]
    return declare(run, [*own_parameters(command, without=["plan"]), *added])


def plan_fields() -> Iterator[tuple[str, FieldInfo]]:
    """Return the fields of a plan that one option can hold, by their paths."""
    return scalar_fields(Plan.known_keys())


def _number_or_name(field: FieldInfo, value: Any) -> Any:
    """Read what may be a number or a name, such as a threshold, as TOML does."""
    both = isinstance(value, str) and float in alternatives(field.annotation)
    return parse_value(value) if both else value


def _option(name: str, field: FieldInfo) -> Any:
    kind = scalar_type(field)
    assert kind is not None
    flag = name.replace("_", "-")
    declaration = f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}"
    return Annotated[
        kind | None, typer.Option(declaration, help=field.description, show_default=False, rich_help_panel=_PANEL)
    ]


def _carry_out(assignment: str, values: dict[str, Any]) -> None:
    """Set PATH=VALUE; parts of the path may be quoted as in TOML, and must be if they hold an equals sign.

    >>> values = {}
    >>> _carry_out("attributes.age.weight=2", values)
    >>> _carry_out('attributes."x=y".scale=minmax', values)
    >>> values
    {'attributes': {'age': {'weight': 2}, 'x=y': {'scale': 'minmax'}}}
    """
    parts = _ASSIGNMENT.fullmatch(assignment)
    if parts is not None:
        path = _QUOTED.sub(lambda quoted: parse_value(quoted.group()), parts["path"])
        value = parts["value"]
    else:
        path, _, value = assignment.partition("=")
    if (parts is None and "=" not in assignment) or not path.strip():
        raise PlanError(f"--set takes PATH=VALUE, such as attributes.age.weight=2, not {assignment!r}")
    assign(values, path.strip(), parse_value(value))
