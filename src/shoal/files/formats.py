"""The file formats shoal reads and writes: a new one is one file and one line here, or one call of `register`."""

from __future__ import annotations

from pathlib import PurePath

from shoal.errors import DataError, PlanError
from shoal.files.arrow import ARROW
from shoal.files.csv.format import CSV
from shoal.files.format import Format, ending_of, is_gzip
from shoal.files.parquet import PARQUET
from shoal.files.spss import SPSS
from shoal.files.stata import STATA

FORMATS: dict[str, Format] = {known.name: known for known in (CSV, PARQUET, ARROW, STATA, SPSS)}
"""The formats by name."""


def register(new: Format) -> None:
    """Add a format: files with its endings, or read with its name, are of it from now on.

    Raises
    ------
    ValueError
        When its name or an ending is taken, or an ending is not one.
    """
    if not new.name or new.name != new.name.lower():
        raise ValueError(f"the name of a format must be small letters, not {new.name!r}")
    if new.name in FORMATS:
        raise ValueError(f"the format {new.name!r} is registered already: choose another name")
    taken = _by_ending()
    for ending in new.endings:
        if ending != ending_of(PurePath(f"table{ending}")) or is_gzip(PurePath(f"table{ending}")):
            raise ValueError(f"an ending is a point and small letters, such as .csv, not {ending!r}")
        if ending in taken:
            raise ValueError(f"the ending {ending} of format {new.name!r} is taken by {taken[ending].name}")
    FORMATS[new.name] = new


def unregister(name: str) -> None:
    """Remove a format that `register` added."""
    del FORMATS[name]


def format_named(name: str) -> Format:
    """Return the format with a name, or refuse the name with the ones that are known."""
    if name not in FORMATS:
        raise PlanError(f"format must be one of {', '.join(FORMATS)}, not {name!r}")
    return FORMATS[name]


def format_of(path: PurePath, given: str | None = None) -> Format:
    """Return the format of a file: the one given, else the one its ending tells.

    Examples
    --------
    >>> from pathlib import PurePath
    >>> format_of(PurePath("discharges.csv.gz")).name
    'csv'
    """
    if given is not None:
        return format_named(given)
    found = _by_ending().get(ending_of(path))
    if found is None or (is_gzip(path) and not found.gzip):
        what = f"has the unknown extension {path.suffix!r}" if path.suffix else "has no extension"
        usual = ", ".join(known.endings[0] for known in FORMATS.values() if known.endings)
        raise DataError(
            f"{path.name or path} {what}: name it {usual}, or say what is read by --format (format= in Python), one of "
            f"{', '.join(FORMATS)}"
        )
    return found


def format_names() -> str:
    """Return the names of all formats as options take them, for help texts.

    Examples
    --------
    >>> format_names()
    'csv, parquet, arrow, stata or spss'
    """
    return _listed([known.name for known in FORMATS.values()])


def format_titles() -> str:
    """Return the names of all formats as sentences have them, for help texts."""
    return _listed([known.title for known in FORMATS.values()])


def _listed(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]])


def _by_ending() -> dict[str, Format]:
    return {ending: known for known in FORMATS.values() for ending in known.endings}
