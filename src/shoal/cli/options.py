"""Options that several commands share, and groups of options: a dataclass whose fields are options of a command.

typer reads the signature of a function, so the signature is what is made here. Annotations are read when a command is
loaded: the modules of commands have them as objects, and do not import them from ``__future__`` as text.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import typer

from shoal.errors import PlanError

REQUIRED = inspect.Parameter.empty

Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing unless something is wrong.")]
NoProgress: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no warning.")]
"""--quiet of the commands that make something, and of those that compute something."""

EscapeFormulas: TypeAlias = Annotated[
    bool, typer.Option("--escape-formulas", help="Write ' before cells of a CSV file that a spreadsheet would run.")
]


def option(help: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """Return an option: a field of a group, or the default of a parameter; `typer.Option` takes ``settings``."""
    about: dict[str, Any] = {"metadata": {"names": names, "settings": {"help": help, **settings}}}
    if isinstance(default, list):
        return dataclasses.field(default_factory=default.copy, **about)
    return dataclasses.field(**about) if default is REQUIRED else dataclasses.field(default=default, **about)


def flag(help: str, *names: str) -> Any:
    """Return an option that is given or not: there is no ``--no-name`` of it."""
    return option(help, *names, default=False)


def repeatable(help: str, *names: str, **settings: Any) -> Any:
    """Return an option that may be given several times, or never."""
    return option(help, *names, default=[], **settings)


def parameter(name: str, annotation: Any, default: Any = REQUIRED) -> inspect.Parameter:
    """Return a keyword parameter as typer wants it; a field is the option that it describes."""
    if isinstance(default, dataclasses.Field):
        if about := default.metadata:
            names = about["names"] or ([f"--{name.replace('_', '-')}"] if annotation is bool else [])
            annotation = Annotated[annotation, typer.Option(*names, **about["settings"])]
        default = default.default if default.default_factory is dataclasses.MISSING else default.default_factory()
        default = REQUIRED if default is dataclasses.MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def declare(command: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """Make a function show these parameters to typer."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


@functools.cache  # a command that is called again, as in a server, has the same options
def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer the fields of a command's groups as options, where the groups stand, and hand the command the groups.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Range:
    ...     low: int = option("The least.", default=0)
    ...     high: int = option("The most.", default=9)
    >>> def count(range: Range) -> None:
    ...     print(range)
    >>> expanded(count)(low=3, high=4), list(inspect.signature(expanded(count)).parameters)
    Range(low=3, high=4)
    (None, ['low', 'high'])
    """
    own = inspect.signature(command).parameters.values()

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        command(**{each.name: _value(each.name, each.annotation, arguments) for each in own})

    return declare(run, [shown for each in own for shown in _options(each.name, each.annotation, each.default)])


_GROUP = "__dataclass_fields__"
"""What the class of a group has, with its fields by name."""


def _options(name: str, annotation: Any, default: Any) -> list[inspect.Parameter]:
    """Return an option, or those of a group and of the groups in it, in their order."""
    if not hasattr(annotation, _GROUP):
        return [parameter(name, annotation, default)]
    return [each for field in dataclasses.fields(annotation) for each in _options(field.name, field.type, field)]


def _value(name: str, annotation: Any, arguments: dict[str, Any]) -> Any:
    """Take the value of an option, or of a group, out of the arguments of a command."""
    if not hasattr(annotation, _GROUP):
        return arguments.pop(name)
    fields = dataclasses.fields(annotation)
    return annotation(**{field.name: _value(field.name, field.type, arguments) for field in fields})


def names_in(texts: Sequence[str], option: str) -> tuple[str, ...] | None:
    """Return the names that an option lists, with commas between them; None where it was left out.

    An option that was given and names nothing is refused: that would be read as everything.

    Examples
    --------
    >>> names_in(["linkage, identity", "linkage"], "--attacks"), names_in([], "--attacks")
    (('linkage', 'identity', 'linkage'), None)
    """
    names = tuple(name.strip() for text in texts for name in text.split(",") if name.strip())
    if texts and not names:
        raise PlanError(f"{option} names nothing: leave it out, or give it names with commas between them")
    return names or None
