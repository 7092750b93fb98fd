"""Tables on the command line: the options that say how a file is written, shared by all commands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import polars as pl
import typer

from shoal.cli.held_stderr import held_stderr
from shoal.cli.signature import declare, own_parameters, parameter
from shoal.errors import PlanError, printable, require_unicode
from shoal.files import SourceFile, format_names, format_titles, read
from shoal.frames import Table
from shoal.frames.exact_names import column_of
from shoal.measures.generalization import Generalized, is_generalized, read_generalized
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.run.source import parsed

_PANEL = "How the data are written"

_OPTIONS: dict[str, Any] = {
    "format": Annotated[
        str | None,
        typer.Option(help=f"{format_names()}; the ending of the name decides if left out.", rich_help_panel=_PANEL),
    ],
    "delimiter": Annotated[
        str | None, typer.Option(help="What stands between the cells of a CSV file.", rich_help_panel=_PANEL)
    ],
    "decimal": Annotated[str | None, typer.Option(help="Decimal mark of a CSV file, . or ,", rich_help_panel=_PANEL)],
    "encoding": Annotated[
        str | None, typer.Option(help="Encoding of a CSV file, such as utf-8.", rich_help_panel=_PANEL)
    ],
    "codebook": Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What the codes of a CSV file mean: a CSV file of the columns column, code, label.",
            rich_help_panel=_PANEL,
        ),
    ],
    "missing_value": Annotated[
        list[str],
        typer.Option(help="A cell that means missing in a CSV file, such as NA; repeatable.", rich_help_panel=_PANEL),
    ],
}


def reads(
    *, optional: Mapping[str, str] | None = None, **tables: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one argument per table, named and described here, and the options that say how they are written.

    The command receives each table as a `SourceFile`. The help of the first one says which formats there are. Tables
    that are ``optional`` are options instead, and None where they are left out.
    """
    options_with_tables = optional or {}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            how = {name: arguments.pop(name) for name in _OPTIONS}
            how["missing"] = tuple(how.pop("missing_value"))
            for word in how["missing"]:
                require_unicode("--missing-value", word)
            named = [name for name in (*tables, *options_with_tables) if arguments[name] is not None]
            for name in named:
                with held_stderr():
                    arguments[name] = read(arguments[name], **how)
            _refuse_unused(how, [arguments[name] for name in named])
            command(**arguments)

        first, *_ = tables
        others = "- is CSV from standard input; or the address of a table of DuckDB or PostgreSQL"
        texts = {**tables, first: f"{tables[first]}: {format_titles()}; {others}."}
        arguments = [
            parameter(name, Annotated[str, typer.Argument(help=text, metavar=name.upper())])
            for name, text in texts.items()
        ]
        files = [
            parameter(name, Annotated[str | None, typer.Option(help=text, metavar="FILE")], None)
            for name, text in options_with_tables.items()
        ]
        options = [
            parameter(name, option, [] if name == "missing_value" else None) for name, option in _OPTIONS.items()
        ]
        own = own_parameters(command, without=[*tables, *options_with_tables])
        return declare(run, [*arguments, *files, *own, *options])

    return decorate


def _refuse_unused(how: Mapping[str, Any], sources: Sequence[SourceFile]) -> None:
    """Refuse options that say how a CSV file is written where no table is one."""
    options = {"delimiter": "--delimiter", "decimal": "--decimal", "encoding": "--encoding", "codebook": "--codebook"}
    given = [option for name, option in (options | {"missing": "--missing-value"}).items() if how[name]]
    if given and all(source.dialect is None for source in sources):
        raise PlanError(
            f"{given[0]} says how a CSV file is read, and {printable(sources[0].name)} is none: leave it out"
        )


def parsed_release(source: SourceFile, plan: Plan) -> tuple[SourceFile, tuple[Generalized, ...]]:
    """Turn the text of a release of any tool into what the plan declares; say which cells were intervals and stars."""
    texts = [name for name, dtype in source.frame.schema.items() if dtype == pl.String]
    # Nodes of a tree have names of their own, a star among them.
    masked = [n for n in plan.names(Role.QUASI_IDENTIFIER) if n in texts and plan.attributes[n].hierarchy is None]
    cells = {name: column_of(source.frame, name).drop_nulls().str.strip_chars() for name in masked}
    odd = [name for name in masked if is_generalized(cells[name].unique().to_list())]
    source = parsed(source, plan, released=True, without=odd)
    if not odd:
        return source, ()
    table, found = read_generalized(Table.of(source.frame), plan)
    if any(name not in {each.name for each in found} for name in odd):
        return parsed(source, plan, released=True), found  # which says what is wrong with the cell
    return replace(source, frame=table.data), found


def written_apart(released: SourceFile, plan: Plan) -> list[str]:
    """Return the columns checked for k that a CSV file writes in several ways where values are equal: 1.5 and 1.50.

    Whoever reads the file tells records apart by that, though their values agree. A release by permutation has the
    original quasi-identifiers, and they are not checked.
    """
    if released.text is None or plan.release is ReleaseMode.PERMUTE:
        return []
    text, values = released.text, released.frame
    names = dict.fromkeys((*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else [])))
    there = [name for name in names if name in text.columns]
    return [name for name in there if column_of(text, name).n_unique() > column_of(values, name).n_unique()]
