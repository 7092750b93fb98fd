"""Files that grow between the runs of a stream: appended to, half written, renamed, rotated; and what of it is known.

Every record has a note of its own, so that a judge can tell what left, and how often.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(eq=False)
class Fed:
    """A file that is given to runs of a stream, and what its judge knows of it.

    Parameters
    ----------
    name
        What it is called now.
    rest
        What the last line still lacks.
    half
        Whether that line must wait for it.
    end
        Where the last whole message ends.
    fresh
        Whether something came that was surely not read.
    done
        Whether all messages were surely read.
    read
        How far it was surely read.
    given_as
        Where it was when a run that went well had it.
    """

    name: str
    rest: bytes = b""
    half: bool = False
    end: int = 0
    fresh: bool = False
    done: bool = False
    read: int = 0
    given_as: str = ""


@dataclass
class Feed:
    """The files of one stream in a folder."""

    folder: Path
    dice: random.Random
    csv: bool
    files: list[Fed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    garbage: list[str] = field(default_factory=list)
    made: int = 0

    def fresh_name(self, stem: str = "in", ending: str = "") -> str:
        """Return a name that was never used."""
        self.made += 1
        return f"{stem}{self.made}{ending or ('.csv' if self.csv else '.ndjson')}"

    def new(self, name: str | None = None) -> Fed:
        """Make a file with a few records."""
        fed = Fed(name or self.fresh_name())
        (self.folder / fed.name).write_bytes(b"note,age\n" if self.csv else b"")
        self.files.append(fed)
        self.append(fed, self.dice.choice([0, 1, 5, 12]))
        return fed

    def append(self, fed: Fed, lines: int) -> None:
        """End a line that was half written, and write more; perhaps the last one only in part."""
        self.end_line(fed)
        for left in range(lines, 0, -1):
            half = left == 1 and self.dice.random() < 0.3
            self._write_line(fed, half=half)

    def end_line(self, fed: Fed) -> None:
        """Write what the last line lacks."""
        if fed.rest:
            self._write(fed, fed.rest, message=fed.half)
        fed.rest, fed.half = b"", False

    def _write_line(self, fed: Fed, *, half: bool) -> None:
        self.made += 1
        chance = self.dice.random()
        if chance < 0.05:
            self._write(fed, self.dice.choice([b"\n", b" \n", b"\r\n"]))
            return
        wrong = chance < 0.12
        if wrong:
            content = f"garbage {self.made}\n".encode()
            self.garbage.append(f"garbage {self.made}")
        else:
            note, age = f"n{self.made}", self.dice.randrange(90)
            content = (f"{note},{age}\n" if self.csv else f'{{"age": {age}, "note": "{note}"}}\n').encode()
            self.notes.append(note)
        cut = self.dice.randint(1, len(content) - 1) if half else len(content)
        # A JSON object is whole without its line end, and nothing else is for certain.
        fed.half = half and (self.csv or wrong or cut < len(content) - 1)
        fed.rest = content[cut:]
        self._write(fed, content[:cut], message=not fed.half)

    def _write(self, fed: Fed, content: bytes, *, message: bool = False) -> None:
        with (self.folder / fed.name).open("ab") as file:
            file.write(content)
            if message:
                fed.end, fed.fresh, fed.done = file.tell(), True, False

    def change(self) -> None:
        """Do something that happens to files every day."""
        fed = self.dice.choice(self.files)
        match self.dice.randrange(8):
            case 0:
                self.new()
            case 1:
                fed.name = self._rename(fed.name)
            case 2:  # as logs are rotated
                name, fed.name = fed.name, self._rename(fed.name)
                self.new(name)
            case _:
                self.append(fed, self.dice.choice([0, 1, 3, 9]))

    def _rename(self, name: str) -> str:
        new = self.fresh_name("moved")
        (self.folder / name).rename(self.folder / new)
        return new

    def spelled(self, fed: Fed) -> str:
        """Return one of the names of a file."""
        match self.dice.randrange(8):
            case 0:
                return f"./{fed.name}"
            case 1:
                return str(self.folder / fed.name)
            case 2 | 3 as how:
                link = self.fresh_name("link")
                if how == 2:
                    os.link(self.folder / fed.name, self.folder / link)
                else:
                    (self.folder / link).symlink_to(fed.name)
                return link
            case _:
                return fed.name

    def place(self, name: str) -> str:
        """Return where a name leads to."""
        return os.path.realpath(self.folder / name)
