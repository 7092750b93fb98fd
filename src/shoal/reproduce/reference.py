"""The reference tables of the field, where there are any at hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.file_status import file_status
from shoal.files import read

VARIABLE = "SHOAL_REFERENCE_DATA"

Columns = Mapping[str, NDArray[np.float64]]


class _Columns(dict[str, NDArray[np.float64]]):
    """The columns of a table, which must have those that the papers name."""

    def __init__(self, file: str, columns: Columns) -> None:
        super().__init__(columns)
        self._file = file

    def __missing__(self, name: str) -> NDArray[np.float64]:
        raise DataError(f"{self._file} has no column {name!r}: it is not the table that the papers are about")


@dataclass(frozen=True)
class Reference:
    """A folder with ``census.csv`` and ``tarragona.csv``, or none."""

    folder: Path | None  # where they are; None where there are none
    _read: dict[str, Columns] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, folder: str | Path | None = None) -> Reference:
        """Take a folder, or the one that the variable SHOAL_REFERENCE_DATA names."""
        named = folder or os.environ.get(VARIABLE)
        if folder is not None and (file_status(folder) is None or not Path(folder).is_dir()):
            raise DataError(f"{folder} is not a folder: name the one that holds census.csv and tarragona.csv")
        return cls(Path(named) if named else None)

    def has(self, name: str) -> bool:
        """Whether a table is there."""
        return self.folder is not None and (self.folder / f"{name}.csv").is_file()

    def columns(self, name: str) -> Columns:
        """Return the columns of a table, read once."""
        if not self.has(name):
            raise DataError(f"{name}.csv is not there: set {VARIABLE} to the folder that holds it")
        assert self.folder is not None
        if name not in self._read:
            source = read(self.folder / f"{name}.csv")
            parsed = source.parse(dict.fromkeys(source.frame.columns, "numeric")).frame
            numbers = {column: parsed[column].to_numpy().astype(np.float64) for column in parsed.columns}
            self._read[name] = _Columns(source.name, numbers)
        return self._read[name]

    def table(self, name: str) -> NDArray[np.float64]:
        """Return a table as records by columns."""
        return np.column_stack(list(self.columns(name).values()))
