"""Lines of standard input or of files, one after the other, none longer than a line may be."""

from __future__ import annotations

import logging
import os
import select
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.errors import DataError, counted
from shoal.stream.connect.input_files import Input, find_inputs
from shoal.stream.connect.known_files import KnownFiles
from shoal.stream.connect.message_formats import KEPT, csv_fields, is_json_object
from shoal.stream.connect.protocols import Message, Source, refuse_another


class Line(NamedTuple):
    """A line without its end, how many bytes it took with it, and whether it was too long (and is cut)."""

    value: bytes
    length: int
    too_long: bool = False


class Splitter:
    """Cuts bytes into lines of at most ``limit`` bytes; inside a quoted field, as in CSV, a line goes on.

    >>> splitter = Splitter(limit=8, quoted=False)
    >>> [line.value for line in splitter.feed(b"one\\ntw")], [line.value for line in splitter.feed(b"o\\r\\n")]
    ([b'one'], [b'two'])
    """

    def __init__(self, *, limit: int, quoted: bool) -> None:
        self._limit = limit
        self._quoted = quoted
        self._start_line()

    def _start_line(self) -> None:
        self._line = bytearray()
        self._dropped = 0  # bytes of a line that is too long, beyond what is kept
        self._too_long = False
        self._open = False  # a quoted field was open before the bytes of the line from here on:
        self._scanned = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """Take more bytes; return the lines they complete."""
        lines = []
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            self._extend(piece)
            if self._quoted and not self._too_long:
                self._open = stays_open(self._line[self._scanned :], is_open=self._open)
                if self._open:
                    self._extend(b"\n")
                    self._scanned = len(self._line)
                    continue
            lines.append(self._take(1))
        self._extend(pieces[-1])
        return lines

    def rest(self) -> list[Line]:
        """Return what came after the last end of line, if anything did."""
        return [self._take(0)] if self._line else []

    def _extend(self, piece: bytes) -> None:
        length = len(self._line) + len(piece)
        if not self._too_long and length <= self._limit:
            self._line += piece
            return
        self._too_long = True
        self._line = (self._line + piece[:KEPT])[:KEPT]
        self._dropped += length - len(self._line)

    def _take(self, end: int) -> Line:
        length = len(self._line) + self._dropped + end
        line = Line(bytes(self._line.removesuffix(b"\r")), length, too_long=self._too_long)
        self._start_line()
        return line


def stays_open(line: bytes | bytearray, *, is_open: bool) -> bool:
    """Whether a quoted CSV field is open at the end of a line. A quote opens one only at the beginning of a field.

    >>> [stays_open(line, is_open=False) for line in (b'1,"two', b'5" pipe,1', b'"a",c')]
    [True, False, False]
    """
    if b'"' not in line:
        return is_open
    at = 0
    while True:
        if is_open or line[at : at + 1] == b'"':
            at = line.find(b'"', at if is_open else at + 1)
            while at >= 0 and line[at + 1 : at + 2] == b'"':
                at = line.find(b'"', at + 2)
            if at < 0:
                return True
            is_open = False
        at = line.find(b",", at)
        if at < 0:
            return False
        at += 1


logger = logging.getLogger("shoal.stream")

_CHUNK = 1 << 16
_MARK = b"\xef\xbb\xbf"  # some programs write it before UTF-8


class LinesSource(Source):
    """Messages are lines, or CSV records; the one lane is named by the empty text. Empty lines are no messages.

    A place is the name of a file, a position in it and its number among the files that are known. A file is known again
    by its inode and a digest of everything that was read of it, whatever it is called now and wherever it stands among
    the inputs: it is gone on with, and another one under its name, as after a rotation of logs, is not read from its
    middle. Standard input (``-``) and other pipes have no places to go back to: what was read before a restart is gone,
    and whatever comes is new.

    In ``csv`` the first record of each file names the columns and is no message. If it ``waits``, a last line of a file
    that has no line end yet is left for the next run, unless it is a whole message for certain. Else it is taken for
    one, as that of a pipe always is.
    """

    def __init__(self, paths: Sequence[str], *, csv: bool, limit: int, waits: bool = False) -> None:
        self._paths = list(paths)
        self._csv = csv
        self._limit = limit
        self._waits = waits
        self._known_files = KnownFiles()
        self._coming: list[Input] = []  # the inputs that are still to be read
        self._input: Input | None = None  # the one that is open
        self._offset = 0  # of the next line
        self._taken = 0  # after the last message
        self._splitter = self._fresh_splitter()
        self._want_header = False
        self._silent = False
        self.names: list[str] = []

    def identity(self) -> dict[str, Any]:
        """Return by what the files are known again."""
        self._note(ended=None)
        return {"what": "lines", "files": self._known_files.dump()}

    def open(self, places: Mapping[str, Any], identity: Mapping[str, Any] | None = None) -> None:
        """Look at all inputs, and begin with the first, each where it was left."""
        if identity is not None:
            refuse_another(self.identity(), identity)
        self._known_files = KnownFiles.load([] if identity is None else identity.get("files"), places.get(""))
        self._coming = self._known_files.assign(find_inputs(self._paths))
        if self._csv:
            for each in self._coming:
                self._look_at_header(each)
        self._open_next()

    def read(self, timeout: float) -> list[Message] | None:
        """Return the lines that are there; None after the last file."""
        file = self._input
        if file is None:
            return None
        self._silent = file.file is None and not select.select([file.handle], [], [], timeout)[0]
        if self._silent:
            return []
        try:
            chunk = os.read(file.handle, _CHUNK)
        except OSError as error:
            raise file.unreadable(error) from None
        if chunk:
            return self._messages(file, self._splitter.feed(chunk))
        rest = self._splitter.rest()
        waiting = any(self._must_wait(line) for line in rest)
        messages = [] if waiting else self._messages(file, rest)
        if self._want_header:
            raise self._empty(file)
        if waiting and file.number is None:  # known by nothing yet: the next one may have the same header
            self._known_files.note(file, 0, ended=False)
        else:
            self._note(ended=not waiting)
        self._close_input()
        self._open_next()
        return messages

    def caught_up(self) -> bool:
        """Whether a pipe gives nothing; a file tells its end itself."""
        return self._silent

    def close(self) -> None:
        """Close the file."""
        self._close_input()
        self._coming = []

    def _open_next(self) -> None:
        """Open the next input, if there is one."""
        if not self._coming:
            return
        file = self._coming.pop(0)
        file.open()
        self._input = file
        self._splitter = self._fresh_splitter()
        self._want_header = self._csv and not file.is_named_file
        self._offset, self._taken = file.begin, file.taken
        if file.is_named_file:
            file.require_line_end()
            os.lseek(file.handle, self._offset, os.SEEK_SET)

    def _close_input(self) -> None:
        if self._input is not None:
            self._input.close()
        self._input = None

    def _note(self, *, ended: bool | None) -> None:
        """Keep how far the open file was read, once a message came of it."""
        if self._input is not None and self._input.number is not None:
            self._known_files.note(self._input, self._taken, ended=ended)

    def _messages(self, file: Input, lines: list[Line]) -> list[Message]:
        messages: list[Message] = []
        for line in lines:
            before, self._offset = self._offset, self._offset + line.length
            value = line.value if before else line.value.removeprefix(_MARK)
            if not value.strip():
                continue
            if self._want_header:
                self._want_header = False
                self._take_header(file, value)
                continue
            self._taken = self._offset
            if file.number is None and file.file is not None:
                self._known_files.note(file, 0, ended=False)
            problem = f"the line is longer than {counted(self._limit, 'byte')}" if line.too_long else None
            places = ([file.path, before, file.number], [file.path, self._offset, file.number])
            messages.append(Message("", value, *places, problem, cut=line.too_long))
        return messages

    def _must_wait(self, line: Line) -> bool:
        """Whether a last line without a line end may be the first half of one."""
        assert self._input is not None
        if not self._waits or self._input.file is None or not line.value.strip():
            return False
        if not self._csv and is_json_object(line.value.removeprefix(_MARK)):
            return False  # no beginning of an object is one
        logger.warning("the last line of %s has no line end: it waits for the next run", self._input)
        return True

    def _look_at_header(self, file: Input) -> None:
        """Read the names of the columns of a file, and begin behind them."""
        if not file.is_named_file:
            return  # they come with the first line
        splitter, position, end = self._fresh_splitter(), 0, 0
        with file.opened() as handle:
            while True:
                chunk = os.pread(handle, _CHUNK, position)
                position += len(chunk)
                for line in splitter.feed(chunk) if chunk else splitter.rest():
                    value = line.value if end else line.value.removeprefix(_MARK)
                    end += line.length
                    if not value.strip():
                        continue
                    if not chunk and self._waits:
                        raise DataError(f"{file} does not name its columns yet: its first line has no line end")
                    self._take_header(file, value)
                    file.begin = max(file.begin, end)
                    return
                if not chunk:
                    raise self._empty(file)

    def _take_header(self, file: Input, line: bytes) -> None:
        try:
            names = csv_fields(line)
        except DataError as error:
            raise DataError(f"{file} does not begin with the names of its columns: {error}") from None
        if len(set(names)) != len(names):
            raise DataError(f"{file} names a column twice in its first line")
        if self.names not in ([], names):
            raise DataError(f"{file} names other columns than the file before it")
        self.names = names

    def _empty(self, file: Input) -> DataError:
        return DataError(f"{file} is empty: a CSV stream begins with the names of its columns")

    def _fresh_splitter(self) -> Splitter:
        return Splitter(limit=self._limit, quoted=self._csv)
