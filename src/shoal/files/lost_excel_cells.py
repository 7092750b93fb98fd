"""Cells of a workbook that hold something of which its reader makes nothing: errors, and dates beyond the calendar.

The reader gives such cells as empty ones, without a word. So where a table has empty cells, the sheet is looked at for
what stands in them.

Notes
-----
A workbook is a zip archive: ``xl/workbook.xml`` names the sheets by keys, ``xl/_rels/workbook.xml.rels`` says which
file each key is, and a sheet has an element ``c`` for each cell, with its place (``r``), its type (``t``) and its value
inside (``v``). Office Open XML, ECMA-376, part 1, section 18.3.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from array import array
from functools import reduce
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import polars as pl

from shoal.errors import DataError
from shoal.frames.exact_names import harmless

NOT_AVAILABLE = "#N/A"
"""The error that means "no value"."""
_ERROR = "e"
_NUMBERS = ("n", "d", _ERROR)
_TEXTS = ("str", "inlineStr")
"""Types of texts that may be empty, and are there all the same."""
_PLACE = re.compile("([A-Z]{1,3})([0-9]{1,7})")


def refuse_lost_cells(path: Path, frame: pl.DataFrame, names: list[str], file: str) -> None:
    """Refuse a workbook in which a cell of the first sheet holds an error or a date that is not read.

    The frame is all that was read below the first row, under whatever names.
    """
    nulls = np.column_stack([harmless(column).is_null().to_numpy() for column in frame.iter_columns()])
    if not nulls.any():
        return
    try:
        sheet = _cells(path)
    except (zipfile.BadZipFile, expat.ExpatError, KeyError, OSError, ValueError):
        return  # laid out in another way than the reader knows: what it could read stands
    lost = sheet.lost_in(nulls)
    if lost is None:
        return
    row, place = lost
    error = sheet.errors.get((row, place))
    column = names[place - sheet.left]
    raise DataError(
        f"{file}: column {column!r} has {'an error' if error else 'a date outside the years 1 to 9999'} in cell "
        f"{_letters(place)}{row}: mend the cell, or empty it if it is missing"
    )


class _Sheet:
    """Where a sheet has numbers, dates and errors, in the order of the file; rows and columns are counted from 1."""

    def __init__(self) -> None:
        self.places = array("q")
        self.errors: dict[tuple[int, int], str] = {}
        self.top = self.left = 1 << 40
        self._row = self._place = 0
        self._type = ""
        self._text: list[str] = []

    def start(self, element: str, given: dict[str, str]) -> None:
        match element.rpartition(":")[2]:
            case "row":
                self._row, self._place = int(given.get("r", self._row + 1)), 0
            case "c":
                place = _PLACE.fullmatch(given.get("r", ""))
                self._place = self._place + 1 if place is None else _number(place.group(1))
                self._type = given.get("t", "n")
            case "v" | "is":
                self._text = []

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, element: str) -> None:
        if element.rpartition(":")[2] not in ("v", "is"):
            return
        text = "".join(self._text).strip()
        if text or self._type in _TEXTS:  # the table begins at the first cells that hold anything
            self.top, self.left = min(self.top, self._row), min(self.left, self._place)
        if not text or text == NOT_AVAILABLE or self._type not in _NUMBERS:
            return
        if self._type == _ERROR:
            self.errors[self._row, self._place] = text
        self.places.extend((self._row, self._place))

    def lost_in(self, nulls: Any) -> tuple[int, int] | None:
        """Return the first cell that holds something where a table has nothing."""
        cells = np.frombuffer(self.places, dtype=np.int64).reshape(-1, 2)
        rows, columns = cells[:, 0] - self.top - 1, cells[:, 1] - self.left
        inside = (rows >= 0) & (rows < nulls.shape[0]) & (columns >= 0) & (columns < nulls.shape[1])
        lost = np.flatnonzero(inside)
        lost = lost[nulls[rows[lost], columns[lost]]]
        return (int(cells[lost[0], 0]), int(cells[lost[0], 1])) if len(lost) else None


def _cells(path: Path) -> _Sheet:
    with zipfile.ZipFile(path) as archive:
        sheet = _Sheet()
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = sheet.start, sheet.end
        parser.CharacterDataHandler = sheet.data
        with archive.open(_first_sheet(archive)) as file:
            parser.ParseFile(file)
    return sheet


def _first_sheet(archive: zipfile.ZipFile) -> str:
    """Return the name of the first sheet inside the archive."""
    sheets = [given for element, given in _elements(archive, "xl/workbook.xml") if element == "sheet"]
    keys = [value for given in sheets for name, value in given.items() if name.endswith(":id")]
    relations = [given for _, given in _elements(archive, "xl/_rels/workbook.xml.rels") if {"Id", "Target"} <= {*given}]
    if not keys:
        raise ValueError("a workbook without a sheet")
    target = {given["Id"]: given["Target"] for given in relations}[keys[0]]
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def _elements(archive: zipfile.ZipFile, name: str) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of a small file, without the prefixes of their names, and their attributes."""
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda element, given: found.append((element.rpartition(":")[2], given))
    parser.Parse(archive.read(name), True)  # noqa: FBT003  the last part
    return found


def _number(letters: str) -> int:
    """Return the place of a column by its letters.

    >>> _number("A"), _number("AB")
    (1, 28)
    """
    return reduce(lambda place, letter: 26 * place + ord(letter) - 64, letters, 0)


def _letters(place: int) -> str:
    """Return the letters of a column by its place.

    >>> _letters(1), _letters(28)
    ('A', 'AB')
    """
    return "" if place == 0 else _letters((place - 1) // 26) + chr(65 + (place - 1) % 26)
