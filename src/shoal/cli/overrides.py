"""Every field of the plan as an option of the command line, made from the plan itself so that none is forgotten."""

import functools
import inspect
import re
from collections.abc import Callable, Collection
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo

from shoal.cli.options import REQUIRED, declare, option, parameter, repeatable
from shoal.errors import PlanError
from shoal.options.options import alternatives
from shoal.plan import Plan
from shoal.plan.overrides import assign, option_name, scalar_fields, scalar_type
from shoal.plan.toml import load_toml, parse_value

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'")
_ASSIGNMENT = re.compile(rf"(?P<path>(?:{_QUOTED.pattern}|[^=\"'])*)=(?P<value>.*)", re.DOTALL)

_PANEL = "Overrides of the plan"
_FOR_STREAMS = ("stream",)
_ASSIGNMENTS = repeatable(
    "Any field by its path, such as `--set attributes.age.weight=2`. Values as in TOML.",
    "--set",
    metavar="PATH=VALUE",
    rich_help_panel=_PANEL,
)


def plan_options(
    command: Callable[..., None] | None = None, *, without: Collection[str] = _FOR_STREAMS
) -> Callable[..., Any]:
    """Give a command ``--plan``, one option per field of the plan, and ``--set``.

    The command's parameter ``plan`` receives the plan with the options applied. Fields and sections that the command
    does not use are left out.
    """
    if command is None:
        return functools.partial(plan_options, without=without)
    single = scalar_fields(Plan.known_keys())
    fields = {path: field for path, field in single.items() if not {path, path.partition(".")[0]} & set(without)}
    names = {path: option_name(path) for path in fields}

    @functools.wraps(command)
    def run(plan: str, set_: list[str], **arguments: Any) -> None:
        given = {path: arguments.pop(name) for path, name in names.items()}
        changes = {path: _typed(fields[path], value) for path, value in given.items() if value is not None}
        values = load_toml(plan)
        for path, value in changes.items():
            assign(values, path, value)
        for assignment in set_:
            _carry_out(assignment, values)
        command(plan=Plan.from_mapping(values), **arguments)

    own = [each for name, each in inspect.signature(command).parameters.items() if name != "plan"]
    added = [
        parameter("plan", str, option("The plan, a TOML file.", default=REQUIRED)),
        *[_override(names[path], field) for path, field in fields.items()],
        parameter("set_", list[str], _ASSIGNMENTS),
    ]
    return declare(run, [*own, *added])


def _typed(field: FieldInfo, value: Any) -> Any:
    """Read what may be a number or a name, such as a threshold, as TOML does."""
    annotation: Any = field.annotation
    both = isinstance(value, str) and float in alternatives(annotation)
    return parse_value(value) if both else value


def _override(name: str, field: FieldInfo) -> inspect.Parameter:
    """Return the option of a field."""
    kind, flag = scalar_type(field), name.replace("_", "-")
    assert kind is not None
    declaration = f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}"
    shown = typer.Option(declaration, help=field.description or "", show_default=False, rich_help_panel=_PANEL)
    return parameter(name, Annotated[kind | None, shown], None)


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
