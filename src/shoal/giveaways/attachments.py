"""What leaves along with the cells: labels of rows and files, metadata, formulas, cells that nobody can look into."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from shoal.errors import listed
from shoal.files import SourceFile, formula_columns
from shoal.frames.exact_names import only_columns
from shoal.giveaways.giveaway import Giveaway
from shoal.giveaways.remedy import dropping
from shoal.giveaways.survey import Survey
from shoal.plan import Plan
from shoal.plan.attribute import Role


def index(survey: Survey) -> Iterator[Giveaway]:
    """Find row labels of a pandas frame."""
    if (survey.released or survey.original).has_index:
        sentence = "the frame's index leaves with it: reset it if its labels could name people"
        yield Giveaway("index", sentence, (), len(survey))


def metadata(survey: Survey) -> Iterator[Giveaway]:
    """Find notes of a pandas frame, or of an Arrow schema."""
    leaving = survey.released or survey.original.select(survey.leaving)
    if leaving.has_metadata:
        sentence = "the frame's own metadata (attrs, Arrow schema) leave with it: remove what could name people"
        yield Giveaway("metadata", sentence, (), len(survey))


def nested_columns(survey: Survey) -> Iterator[Giveaway]:
    """Find columns of lists, structures and other values that cannot be compared."""
    names = tuple(name for name in survey.leaving if name in survey.original.names and name not in survey.comparable)
    if names:
        one = len(names) == 1
        yield Giveaway(
            "nested_columns",
            f"{listed(names)} {'holds' if one else 'hold'} lists, structures or other values that cannot be compared, "
            f"and {'is' if one else 'are'} released as {'it is' if one else 'they are'}: what "
            f"{'it gives' if one else 'they give'} away, nothing here can see",
            names,
            len(survey),
            dropping(survey, names),
        )


def file_label(source: SourceFile) -> Iterator[Giveaway]:
    """Find the label of the file that a table came from; a file of another format does not keep it."""
    if source.labels is not None and source.labels.file:
        sentence = (
            "the label of the file leaves with a Stata or SPSS file: clear it if it could name people, or write "
            "another format"
        )
        yield Giveaway("file_label", sentence, (), source.frame.height)


def formulas_of(frame: pl.DataFrame, plan: Plan) -> Iterator[Giveaway]:
    """Find columns that leave with cells which begin as formulas do: for a CSV file, which spreadsheets open.

    Notes
    -----
    It gives nothing of the table away, but what a spreadsheet runs can give away all that its reader has.
    """
    identifiers = plan.names(Role.IDENTIFIER)
    leaving = only_columns(frame, [name for name in frame.columns if name not in identifiers])
    columns = formula_columns(leaving)
    if columns:
        verb = "has" if len(columns) == 1 else "have"
        sentence = (
            f"{listed(columns)} {verb} cells that begin as formulas do (= + - @), and a spreadsheet that opens the "
            "file would run them: write them by --escape-formulas, or open the file as text"
        )
        yield Giveaway("formulas", sentence, tuple(columns), frame.height)
