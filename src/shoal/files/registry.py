"""The file formats shoal reads and writes: a new one is one file and one line here, or one call of `register`."""

from __future__ import annotations

from pathlib import PurePath

from shoal.errors import DataError, PlanError
from shoal.files.columnar import ARROW, PARQUET
from shoal.files.csv_format import CSV
from shoal.files.excel import EXCEL
from shoal.files.format import Format, ending_of
from shoal.files.packing import is_packed, packing_of
from shoal.files.readstat import SAS, SPSS, STATA
from shoal.registry import Registry


def _check(new: Format) -> None:
    """Refuse a name that is not small letters, and endings that are none or taken."""
    if not new.name or new.name != new.name.lower():
        raise PlanError(f"the name of a format must be small letters, not {new.name!r}")
    taken = _by_ending()
    for ending in new.endings:
        if ending != ending_of(PurePath(f"table{ending}")) or is_packed(PurePath(f"table{ending}")):
            raise PlanError(f"an ending is a point and small letters, such as .csv, not {ending!r}")
        if ending in taken:
            raise PlanError(f"the ending {ending} of format {new.name!r} is taken by {taken[ending].name}")


def format_of(path: PurePath, given: str | None = None, *, to_write: bool = False) -> Format:
    """Return the format of a file, to be read or to be written: the one given, else the one its ending tells.

    >>> from pathlib import PurePath
    >>> format_of(PurePath("discharges.csv.gz")).name
    'csv'
    """
    if given is not None:
        return FORMATS.named(given)
    by_ending, packing = _by_ending().get(ending_of(path)), packing_of(path)
    if by_ending is None or (packing and not getattr(by_ending, packing)):
        what = f"has the unknown extension {path.suffix!r}" if path.suffix else "has no extension"
        if to_write:
            raise DataError(f"{path.name or path} {what}: name it {usual_endings(written=True)}")
        raise DataError(
            f"{path.name or path} {what}: name it {usual_endings()}, or say what is read by --format "
            f"(format= in Python), one of {', '.join(FORMATS)}"
        )
    return by_ending


def usual_endings(*, written: bool = False) -> str:
    """Return the usual ending of each format that has one, or of those that are written, for hints."""
    listed = [each for each in FORMATS.values() if each.write is not None or not written]
    return ", ".join(each.endings[0] for each in listed if each.endings)


def format_names() -> str:
    """Return the names of all formats as options take them, for help texts.

    Examples
    --------
    >>> format_names()
    'csv, parquet, arrow, stata, spss, sas or excel'
    """
    return _listed(list(FORMATS))


def format_titles() -> str:
    """Return the names of all formats as sentences have them, for help texts."""
    return _listed([each.title for each in FORMATS.values()])


def _listed(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]])


def _by_ending() -> dict[str, Format]:
    return {ending: each for each in FORMATS.values() for ending in each.endings}


FORMATS: Registry[Format] = Registry("format", check=_check)
"""Name to format: files with its endings, or read with its name, are of it."""

for _format in (CSV, PARQUET, ARROW, STATA, SPSS, SAS, EXCEL):
    FORMATS.register(_format)
