"""Tables on the command line: how their files are written, which of their records belong together."""

import functools
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

import numpy as np
import polars as pl
import typer
from numpy.typing import NDArray

from shoal.cli.console import stderr, stderr_held_back
from shoal.cli.options import option
from shoal.errors import DataError, PlanError, printable, require_unicode
from shoal.files import SourceFile, format_names, format_titles, read
from shoal.files_in_use import note_read
from shoal.frames import Table
from shoal.frames.exact_names import column_of
from shoal.measures.generalization import Generalized, is_generalized, read_generalized
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.run.saved_release import manifest_beside, read_row_map
from shoal.run.source_parsing import parsed

_option = functools.partial(option, rich_help_panel="How the data are written")


def first_table(text: str, metavar: str = "DATA") -> Any:
    """Return the argument that names the first table of a command; its help says of which formats tables may be."""
    others = "- is CSV from standard input; or the address of a table of DuckDB or PostgreSQL"
    return typer.Argument(help=f"{text}: {format_titles()}; {others}.", metavar=metavar)


Data: TypeAlias = Annotated[str, first_table("The table")]
Original: TypeAlias = Annotated[str, first_table("The table before", "ORIGINAL")]
Released: TypeAlias = Annotated[
    str, typer.Argument(help="The table after, made by shoal or by any other tool.", metavar="RELEASED")
]


@dataclass(frozen=True)
class Reading:
    """How the files of the tables are written."""

    format: str | None = _option(f"{format_names()}; the ending of the name decides if left out.")
    delimiter: str | None = _option("What stands between the cells of a CSV file.")
    decimal: str | None = _option("Decimal mark of a CSV file, . or ,")
    encoding: str | None = _option("Encoding of a CSV file, such as utf-8.")
    codebook: str | None = _option(
        "What the codes of a CSV file mean: a CSV file of the columns column, code, label.", metavar="FILE"
    )
    missing_value: list[str] = _option("A cell that means missing in a CSV file, such as NA; repeatable.", default=[])

    def read(self, *names: str | None) -> list[SourceFile]:
        """Read the tables that were named; refuse options for CSV files where none is one."""
        for word in self.missing_value:
            require_unicode("--missing-value", word)
        how = asdict(self)
        how["missing"] = tuple(how.pop("missing_value"))
        sources = []
        for name in names:
            if name is not None:
                with stderr_held_back():
                    sources.append(read(name, **how))
        for name in ("delimiter", "decimal", "encoding", "codebook", "missing_value"):
            if getattr(self, name) and all(source.dialect is None for source in sources):
                raise PlanError(
                    f"--{name.replace('_', '-')} says how a CSV file is read, and {printable(sources[0].name)} is "
                    "none: leave it out"
                )
        return sources


@dataclass(frozen=True)
class Matching:
    """How a command that compares two tables is told which of their records belong together."""

    by_key: str | None = option("Match records by this column instead of by row order.", metavar="COLUMN")
    row_map: str | None = option(
        "Match records by the row map that `shoal anonymize --row-map` wrote for the release.", metavar="FILE"
    )

    def rows(self, released: SourceFile) -> NDArray[np.int64] | None:
        """Return where the rows of a release come from; None where nobody says, unless they were shuffled."""
        manifest = None if released.path is None else manifest_beside(released.path)
        if manifest is not None:
            note_read(manifest)  # also where it is not asked: a report must not take its place
        if self.row_map is not None:
            if self.by_key is not None:
                raise PlanError("--row-map and --by-key both say which records belong together: give one of them")
            return read_row_map(self.row_map, released)
        if self.by_key is None and manifest is not None and _was_shuffled(manifest):
            raise DataError(
                f"the rows of {released.name} were shuffled, as {manifest.name} beside it says, and do not stand as in "
                "the original: give --row-map the file that `shoal anonymize --row-map` wrote, or --by-key a column"
            )
        return None


def _was_shuffled(manifest: Path) -> bool:
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        return bool(content["order"]["shuffled"])
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return False  # there is none, or it is not shoal's


@dataclass(frozen=True)
class ReleasedTable:
    """The release of any tool as its plan reads it, and which of its cells were intervals and stars."""

    file: SourceFile
    generalized: tuple[Generalized, ...] = ()

    @classmethod
    def of(cls, source: SourceFile, plan: Plan) -> Self:
        """Turn the text of a release into what the plan declares."""
        texts = [name for name, dtype in source.frame.schema.items() if dtype == pl.String]
        # Nodes of a tree have names of their own, a star among them.
        masked = [n for n in plan.names(Role.QUASI_IDENTIFIER) if n in texts and plan.attributes[n].hierarchy is None]
        cells = {name: column_of(source.frame, name).drop_nulls().str.strip_chars() for name in masked}
        odd = [name for name in masked if is_generalized(cells[name].unique().to_list())]
        source = parsed(source, plan, released=True, without=odd)
        if not odd:
            return cls(source)
        table, generalized = read_generalized(Table.of(source.frame), plan)
        if any(name not in {each.name for each in generalized} for name in odd):
            # Reading the rest, too, says what is wrong with the cell.
            return cls(parsed(source, plan, released=True), generalized)
        return cls(replace(source, frame=table.data), generalized)


@dataclass(frozen=True)
class TablePair:
    """The tables before and after as one plan declares them."""

    plan: Plan
    before: SourceFile
    after: SourceFile

    @classmethod
    def of(cls, original: SourceFile, released: SourceFile, plan_file: str, *, quiet: bool) -> Self:
        """Read both tables by a plan; say what intervals and stars of a release were taken for, unless ``quiet``."""
        plan = Plan.load(plan_file)
        before, after = parsed(original, plan), ReleasedTable.of(released, plan)
        if not quiet:
            for each in after.generalized:
                stderr.print(each.sentence)
        return cls(plan, before, after.file)

    def parsed_frame(self, *others: SourceFile) -> Any:
        """Return the frame of a third table as the plan declares it; None where there is none."""
        return next((parsed(each, self.plan).frame for each in others), None)


def written_apart(released: SourceFile, plan: Plan) -> list[str]:
    """Return the columns checked for k that a CSV file writes in several ways where values are equal: 1.5 and 1.50.

    Whoever reads the file tells records apart by that, though their values agree. A release by permutation has the
    original quasi-identifiers, and they are not checked.
    """
    if released.text is None or plan.release is ReleaseMode.PERMUTE:
        return []
    text, values = released.text, released.frame
    names = dict.fromkeys((*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else [])))
    present = [name for name in names if name in text.columns]
    return [name for name in present if column_of(text, name).n_unique() > column_of(values, name).n_unique()]
