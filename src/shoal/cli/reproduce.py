"""shoal reproduce: the papers' tables and figures, ours beside the published."""

import time
from collections.abc import Sequence
from typing import Annotated

import typer

import shoal
from shoal.cli.console import stderr, stdout
from shoal.cli.options import flag, option
from shoal.errors import DataError, PlanError, nearest
from shoal.files import Outputs
from shoal.files.outputs import STDOUT
from shoal.reproduce import EXHIBITS
from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.reference import VARIABLE, Reference

HEADER = """\
# Reproduction

The tables and figures of the five papers, made again by `shoal reproduce` (shoal {version}) and set beside what was
published. Census and Tarragona are the public CASC files; all other data are generated.
"""


def reproduce_command(
    figures: Annotated[
        list[str] | None, typer.Argument(metavar="[FIGURE]...", help="What to make; everything if left out.")
    ] = None,
    data: str | None = option(f"Where census.csv and tarragona.csv are; {VARIABLE} if left out.", metavar="FOLDER"),
    output: str = option("The Markdown page to write; standard output if left out.", "--output", "-o", default=STDOUT),
    list_: bool = flag("List what can be made, and what it needs.", "--list"),
    quiet: bool = flag("Do not tell what is being made.", "--quiet", "-q"),
) -> None:
    """Make the papers' tables and figures again, ours beside the published, as a Markdown page.

    What needs data that are not at hand is left out and said; asked for by name, it is a mistake.
    """
    if data == "":
        raise DataError("the name of the folder is empty: give --data one, or leave it out")
    reference = Reference.at(data)
    chosen = _chosen(figures or [], reference)
    if list_:
        for exhibit in chosen:
            needs = f" (needs {', '.join(f'{name}.csv' for name in exhibit.needs)})" if exhibit.needs else ""
            stdout.print(f"{exhibit.name:<14} {exhibit.title}{needs}")
        return
    sections = [HEADER.format(version=shoal.__version__)]
    for exhibit in chosen:
        lacking = exhibit.missing(reference)
        if lacking:
            stderr.print(f"left out {exhibit.name}: {_lacks(lacking)}", markup=False)
            continue
        start = time.perf_counter()
        sections.append(exhibit.section(reference))
        if not quiet:
            stderr.print(f"{exhibit.name}: {time.perf_counter() - start:.1f} s", markup=False)
    with Outputs() as outputs:
        outputs.text(output, "\n".join(sections))


def _chosen(names: Sequence[str], reference: Reference) -> list[Exhibit]:
    for name in names:
        if name not in EXHIBITS:
            raise PlanError(
                f"there is no figure {name!r}{nearest(name, EXHIBITS)}; `shoal reproduce --list` names them"
            )
        lacking = EXHIBITS[name].missing(reference)
        if lacking:
            raise DataError(f"{name} cannot be made: {_lacks(lacking)}")
    return [EXHIBITS[name] for name in names] or list(EXHIBITS.values())


def _lacks(names: Sequence[str]) -> str:
    files = " and ".join(f"{name}.csv" for name in names)
    return f"it needs {files}; name their folder by --data or {VARIABLE}"
