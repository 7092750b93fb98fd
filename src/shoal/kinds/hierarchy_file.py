"""The tree of a column from a file: a path of each code, one column per level, the code first."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

from shoal.errors import PlanError
from shoal.file_status import is_special_file
from shoal.files_in_use import note_read
from shoal.kinds.hierarchy import DEEPEST, ROOT, nested_tables

DELIMITERS = ";,\t"


def read_hierarchy(name: str, folder: Path | None = None) -> dict[str, Any]:
    """Read a file of paths as nested tables; a relative name starts from the plan's folder, or the current one.

    The form that ARX reads and writes: without a header, in each line a code, then the node above it, and so on up to
    the highest, between ``;``, ``,`` or tabs. A code or node may be repeated in the next level, which says that it is
    not generalized there. One node above all, usually ``*``, is the root. Refused are lines with another number of
    levels or an empty one, and a node that has two parents, or stands above itself.
    """
    file = Path(name) if folder is None else folder / name
    if "\0" in name:
        raise PlanError("the name of a hierarchy file has a zero byte, which no file's name has")
    if is_special_file(file):  # a device has no end, and a pipe can be read but once
        raise PlanError(f"the hierarchy file {name!r} cannot be read: it is no file")
    try:
        note_read(file)
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PlanError(f"the hierarchy file {name!r} cannot be read: {reason}") from None
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    if first.count(delimiter) > DEEPEST:
        raise PlanError(
            f"the hierarchy file {name!r} must have at most {DEEPEST} levels: leave out those that part nothing"
        )
    rows = csv.reader(text.splitlines(), delimiter=delimiter)
    try:
        lines = [(number, row) for number, row in enumerate(rows, 1) if row]
    except csv.Error:
        raise PlanError(
            f"line {rows.line_num} of the hierarchy file {name!r} cannot be read: a name is too long"
        ) from None
    if not lines or len(lines[0][1]) < 2:
        raise PlanError(f"the hierarchy file {name!r} has no paths: each line holds a code and the nodes above it")
    return _nested(name, lines)


def _nested(name: str, lines: list[tuple[int, list[str]]]) -> dict[str, Any]:
    levels = len(lines[0][1])
    parents: list[dict[str, str]] = [{} for _ in range(levels)]
    paths: dict[str, list[str]] = {}
    for number, row in lines:
        path = [cell.strip() for cell in row]
        where = f"line {number} of the hierarchy file {name!r}"
        if len(path) != levels:
            raise PlanError(f"{where} has {len(path)} levels and the first has {levels}: every code needs a whole path")
        if "" in path:
            raise PlanError(f"{where} has nothing in level {path.index('')}: every code needs a whole path")
        steps = [path[0], *(node for below, node in pairwise(path) if node != below)]
        if len(set(steps)) < len(steps):
            raise PlanError(f"{where} has a node above itself, which is a cycle")
        for level, (below, node) in enumerate(zip(path, [*path[1:], ROOT], strict=True)):
            if parents[level].setdefault(below, node) != node:
                raise PlanError(f"{where} gives a node of level {level} another parent than a line before")
        paths[path[0]] = path
    return nested_tables(paths.values())
