"""The files that a command has read, by which it knows what it must not write over.

Those who read a file say so: a table, its codebook, a plan, the trees it names, keys, models. Outputs then refuse to
replace any of them, also one that no option names.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

STANDARD_INPUT, STANDARD_OUTPUT = Path("/dev/stdin"), Path("/dev/stdout")
"""Where the files are found that standard input and output were redirected from and to, if they were."""

_open: list[list[Path]] = []


@contextlib.contextmanager
def collecting(among: list[list[Path]]) -> Iterator[list[Path]]:
    """Give a list that stands among others while the block lasts."""
    seen: list[Path] = []
    among.append(seen)
    try:
        yield seen
    finally:
        among[:] = [other for other in among if other is not seen]


def files_read() -> contextlib.AbstractContextManager[object]:
    """Remember the files that are read inside a ``with`` block, until it ends; elsewhere nothing is remembered."""
    return collecting(_open)


def note_read(path: str | Path) -> None:
    """Say that a file is an input, or `STANDARD_INPUT`, which may be one as well."""
    if _open:
        _open[-1].append(Path(path))


def inputs_so_far() -> list[Path]:
    """Return what was read inside the blocks that are open."""
    return [path for seen in _open for path in seen]
