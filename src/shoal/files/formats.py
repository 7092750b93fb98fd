"""Which format a file has: by its extension, or as told."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal, TypeAlias, get_args

from shoal.errors import DataError, PlanError

Format: TypeAlias = Literal["csv", "parquet", "arrow", "stata", "spss"]
FORMATS: tuple[Format, ...] = get_args(Format)
_USUAL = (".csv", ".parquet", ".arrow", ".dta", ".sav")

_EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".dta": "stata",
    ".sav": "spss",
    ".zsav": "spss",
}


def is_gzip(path: PurePath) -> bool:
    """Whether the name says that the file is compressed by gzip."""
    return path.suffix.lower() == ".gz"


def extension(path: PurePath) -> str:
    """Return the extension that tells the format, ``.csv`` for ``table.csv.gz``."""
    return PurePath(path.stem if is_gzip(path) else path.name).suffix.lower()


def format_of(path: PurePath, given: str | None = None) -> Format:
    """Tell the format of a file.

    Examples
    --------
    >>> from pathlib import PurePath
    >>> format_of(PurePath("discharges.csv.gz"))
    'csv'
    """
    if given is not None:
        for known in FORMATS:
            if given == known:
                return known
        raise PlanError(f"format must be one of {', '.join(FORMATS)}, not {given!r}")
    known_format = _EXTENSIONS.get(extension(path))
    if known_format is None or (is_gzip(path) and known_format != "csv"):
        what = f"has the unknown extension {path.suffix!r}" if path.suffix else "has no extension"
        raise DataError(
            f"{path.name or path} {what}: name it {', '.join(_USUAL)}, or say what is read by --format (format= in "
            f"Python), one of {', '.join(FORMATS)}"
        )
    return known_format
