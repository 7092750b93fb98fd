"""Options that several commands share, and groups of options: a dataclass whose fields are options of a command.

typer reads the signature of a function, so the signature is what is made here.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias, get_type_hints

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
    """Return a field of a group as an option; ``settings`` is what else `typer.Option` takes."""
    metadata = {"names": names, "settings": {"help": help, **settings}}
    if default is REQUIRED:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, list):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def flag(help: str, *names: str) -> Any:
    """Return a field of a group as an option that is given or not: there is no ``--no-name`` of it."""
    return option(help, *names, default=False)


def repeatable(help: str, *names: str, **settings: Any) -> Any:
    """Return a field of a group as an option that may be given several times, or never."""
    return option(help, *names, default=[], **settings)


def parameter(name: str, annotation: Any, default: Any = REQUIRED) -> inspect.Parameter:
    """Return a keyword parameter as typer wants it."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def own_parameters(command: Callable[..., None], *, without: Iterable[str] = ()) -> list[inspect.Parameter]:
    """Return the parameters of a command but for some that a decorator provides."""
    provided = set(without)
    signature = inspect.signature(command, eval_str=True)
    return [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, p in signature.parameters.items()
        if name not in provided
    ]


def declare(command: Callable[..., None], parameters: list[inspect.Parameter]) -> Callable[..., None]:
    """Make a function show these parameters to typer."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


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
    parameters = own_parameters(command)
    groups = {each.name: each.annotation for each in parameters if _is_group(each.annotation)}
    if not groups:
        return command

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        assembled = {name: _assembled(group, arguments) for name, group in groups.items()}
        command(**assembled, **arguments)

    flat = (option for each in parameters for option in (_fields(each.annotation) if each.name in groups else [each]))
    return declare(run, list(flat))


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


def _fields(group: Any) -> Iterator[inspect.Parameter]:
    """Return the options of a group and of the groups in it, in their order."""
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        annotation, about = hints[field.name], field.metadata
        if _is_group(annotation):
            yield from _fields(annotation)
            continue
        if about:
            names = about["names"] or ([f"--{field.name.replace('_', '-')}"] if annotation is bool else [])
            annotation = Annotated[annotation, typer.Option(*names, **about["settings"])]
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        yield parameter(field.name, annotation, REQUIRED if default is dataclasses.MISSING else default)


def _assembled(group: Any, arguments: dict[str, Any]) -> Any:
    """Take the values of a group's options out of the arguments of a command."""
    hints = get_type_hints(group)
    values = {
        name: _assembled(hint, arguments) if _is_group(hint) else arguments.pop(name) for name, hint in hints.items()
    }
    return group(**values)


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
