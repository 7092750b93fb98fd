"""A command line in a folder of files with random names, among them those that it writes.

An output is a new file or, now and then, one that the command reads or writes already: as it is called, by another
path, by a link, or as what the command writes beside what it was told.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.workshop import SECRET, TABLES, workshop

ENDINGS = (".csv", ".toml", ".json", ".manifest.json", ".html", ".md", ".key", "")
KNOWN_PLACES = ("comparison.csv", "comparison.json", "map.html", "picked.toml", "runs", "lock", "stream.snapshot")
"""What commands write in the folder that they are given."""

LEFTOVER = ".out.csv.0123abcd.part"
"""What a killed run would have left of one of the outputs: somebody's input, if somebody looks into it."""


@dataclass
class Case:
    """A command line in a folder, and what it reads and writes by its documentation."""

    folder: Path
    dice: random.Random
    names: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    stdin: str | None = None
    grows: str | None = None

    def input(self, what: str) -> str:
        """Put one of the files of the workshop into the folder, under a random name, and return it."""
        if what not in self.names:
            self.names[what] = self._free_name(what)
            path = self.folder / self.names[what]
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(self._content(what))
            path.chmod(0o600 if what in SECRET else 0o644)
            self.read.append(self.names[what])
        return self.names[what]

    def _content(self, what: str) -> bytes:
        content = workshop()[what]
        if what in ("plan", "stream_plan"):  # which name the tree beside them
            content = content.replace(b"tree.csv", self.input("tree").encode())
        return content

    def _free_name(self, what: str) -> str:
        if what in TABLES:
            names = [f"{what}.csv", f"{what}.csv", "comparison.csv", "out.csv"]
        elif what == "manifest":  # beside the release that it tells of
            names = [*manifest_beside(self.input("release")), "earlier.json"]
            return next(name for name in names if name not in self.names.values())
        elif what in ("database", "events"):
            names = [f"{what}.{'db' if what == 'database' else 'ndjson'}"]
        else:
            names = [f"{what}{self.dice.choice(ENDINGS)}", f"out{self.dice.choice(ENDINGS)}", LEFTOVER]
            names += self.dice.sample(KNOWN_PLACES, 2)
        taken = set(self.names.values())
        return next((name for name in self.dice.sample(names, len(names)) if name not in taken), what)

    def output(self, fresh: str, beside: Callable[[str], list[str]] = lambda name: []) -> str:
        """Name an output: a new file, or one that the command reads or writes already, in disguise."""
        ending = Path(fresh).suffix
        chance = self.dice.random()
        if chance < 0.3:
            name = self._disguised(self.dice.choice(self.read), ending)
        elif chance < 0.45 and (names := [n for n in self.read for n in _that_writes(n, ending, beside)]):
            name = self.dice.choice(names)
        elif chance < 0.52 and self.written:
            name = self._disguised(self.dice.choice(self.written), ending)
        else:
            name = self.dice.choice([fresh, f"./{fresh}", f"sub/{fresh}", fresh.upper().replace("OUT", "Out")])
            (self.folder / "sub").mkdir(exist_ok=True)
        self.written += [name, *beside(name)]
        return name

    def database(self, fresh: str) -> str:
        """Name the file of a database that a table is added to: a new one, or one that is read as well."""
        self.grows = fresh if self.dice.random() < 0.5 else self.input("database")
        self.written += [] if self.grows in self.read else [self.grows]
        return self.grows

    def key(self, fresh: str) -> str:
        """Name a key that is made where it is not there: one that is there is read, also for a second use."""
        name = self.output(fresh)
        keys = [self.names[what] for what in ("pseudonym_key", "memory_key") if what in self.names]
        if _identity(self.folder / name) in [_identity(self.folder / there) for there in keys]:
            self.written.pop()
        return name

    def _disguised(self, name: str, ending: str) -> str:
        name = os.path.relpath(self.folder / name, self.folder)
        link = f"link{len(list(self.folder.iterdir()))}{ending}"
        match self.dice.randrange(7):
            case 0:
                return f"./{name}"
            case 1:
                (self.folder / "sub").mkdir(exist_ok=True)
                return f"sub/../{name}"
            case 2:
                return str(self.folder / name)
            case 3:
                (self.folder / link).symlink_to(self.folder / name)
                return link
            case 4 if (self.folder / name).is_file():
                os.link(self.folder / name, self.folder / link)
                return link
            case 5:
                (self.folder / f"{link}.d").symlink_to(self.folder)
                return f"{link}.d/{name}"
            case _:
                return name

    @property
    def clashes(self) -> list[str]:
        """Outputs that are inputs, or outputs before them."""
        found, used = [], {_identity(self.folder / name) for name in self.read}
        for name in self.written:
            place = _identity(self.folder / name)
            found += [name] if place in used else []
            used.add(place)
        return found


def _identity(path: Path) -> object:
    """Return what is the same for all names of a file: those that are there, and those that are not yet."""
    try:
        found = path.stat()
    except OSError:
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def _that_writes(name: str, ending: str, beside: Callable[[str], list[str]]) -> Iterator[str]:
    """Return the outputs with an ending that have a file beside them."""
    for cut in (".manifest.json", ".json"):
        guess = f"{name.removesuffix(cut)}{ending}"
        if name.endswith(cut) and name in beside(guess):
            yield guess


def manifest_beside(name: str) -> list[str]:
    """Return where the manifest of a release goes that is told to go nowhere else."""
    return [str(Path(name).with_name(f"{Path(name).stem}.manifest.json"))]


def json_beside(name: str) -> list[str]:
    """Return where the JSON of a report goes."""
    return [str(Path(name).with_suffix(".json"))]
