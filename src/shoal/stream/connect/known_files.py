"""The files that a stream has read: how far, by what each is known again, and which input of this run it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.errors import DataError
from shoal.file_status import file_status
from shoal.stream.connect.input_files import STDIN, Input, Prefix

_PIECE = 1 << 16


class KnownFile(NamedTuple):
    """What a state knows of a file. Not its device: that changes when a file system is mounted again."""

    name: str  # what it was called last, from any folder
    inode: int
    length: int  # what was read of it
    digest: str
    ended: bool  # nothing but empty lines came after it then

    def __str__(self) -> str:
        return "the file that standard input came from" if self.name == STDIN else self.name

    def begins(self, file: Input, prefix: Prefix) -> bool:
        """Whether an open file begins with what was read; its prefix, which no other file has, grows."""
        return file.size >= self.length and prefix.grown_to(file.handle, self.length)[1:] == (self.length, self.digest)


class KnownFiles:
    """The files that were read so far, in the order in which the first message of each came.

    The stream stopped in the file of a number, at the position after its last message, or in none of them. A source
    may have read a little more than was taken.
    """

    def __init__(self, files: Sequence[KnownFile] = (), stopped: Mapping[int, int] | None = None) -> None:
        self._files = list(files)
        self._stopped = stopped or {}

    @classmethod
    def load(cls, files: Any, place: Any) -> KnownFiles:
        """Return what `dump` and the place of the lane say, in a state; refuse what cannot be."""
        if isinstance(files, dict):
            raise DataError(
                "the state is of another version of shoal: finish the stream with that one, or give this run a new "
                "folder"
            )
        if not isinstance(files, list) or not all(_is_known_file(each) for each in files):
            raise DataError("the files in the state are none: start anew without the state")
        known_files = [KnownFile(*each) for each in files]
        kinds = [type(part) for part in place] if isinstance(place, list) else []
        if place is None or kinds == [str, int, type(None)]:  # a pipe
            return cls(known_files)
        if kinds != [str, int, int] or place[1] < 0 or not 0 <= place[2] < len(files):
            raise DataError("the place in the state is none in a file: start anew without the state")
        return cls(known_files, {place[2]: place[1]})

    def dump(self) -> list[list[Any]]:
        """Return plain values (JSON)."""
        return [list(earlier) for earlier in self._files]

    def note(self, file: Input, length: int, *, ended: bool | None) -> None:
        """Keep how far a file was read, and whether it ended; None: it had if it had, unless more was read of it."""
        assert file.file is not None
        if file.prefix is None:
            file.prefix = Prefix(file.file[1])
        earlier = KnownFile(file.name, *file.prefix.grown_to(file.handle, length), ended is True)
        if file.number is None:
            file.number = len(self._files)
            self._files.append(earlier)
        elif ended is None:
            before = self._files[file.number]
            earlier = earlier._replace(ended=before.ended and before.length == earlier.length)
        self._files[file.number] = earlier

    def assign(self, inputs: Sequence[Input]) -> list[Input]:
        """Find the inputs among the known files, and return them in the order in which they are to be read.

        The file in which the stream stopped comes first: whatever was released after the last snapshot then comes again
        as it was. The others keep their order. Refused is a known file that was changed, or is not among the inputs and
        has more than was read of it, and an input that is a copy of one.
        """
        files = [each for each in inputs if each.file is not None]
        by_inode: dict[int, list[int]] = {}
        for number, earlier in enumerate(self._files):
            by_inode.setdefault(earlier.inode, []).append(number)
        for each in files:
            self._recognize(each, by_inode)
        given = {each.number for each in files}
        missing = [number for number in range(len(self._files)) if number not in given]
        names = {self._files[number].name for number in missing} - {STDIN}
        for each in files:
            if each.number is None:
                self._refuse_changed(each, names)
        for number in missing:
            self._refuse_unread(number)
        unfinished = [number for number in self._stopped if not self._ended(number)]
        return sorted(inputs, key=lambda each: each.number not in unfinished)

    def _begin(self, number: int) -> int:
        """Return the position after the last message of a file."""
        return self._stopped.get(number, self._files[number].length)

    def _ended(self, number: int) -> bool:
        earlier = self._files[number]
        return earlier.ended and self._begin(number) == earlier.length

    def _recognize(self, file: Input, by_inode: Mapping[int, Sequence[int]]) -> None:
        """Find an input among the known files, by what it is and not by how it is called."""
        assert file.file is not None
        for number in by_inode.get(file.file[1], ()):
            if self._begin(number) > self._files[number].length:
                continue  # it was cut while it was read
            with file.opened():
                prefix = Prefix(file.file[1])
                if not self._files[number].begins(file, prefix):
                    continue  # it has the inode of one that is gone, or was changed
                if file.path == STDIN:
                    raise DataError(
                        "standard input is the file that was read before: name it with --input to go on where it was "
                        "left"
                    )
                file.number, file.prefix = number, prefix
                file.begin = file.taken = self._begin(number)
                file.require_line_end()
                return

    def _refuse_changed(self, file: Input, names: set[str]) -> None:
        """Refuse a file that stands where a known one stood, or has all that was read of one."""
        if file.name in names:
            raise DataError(
                f"{file} is another file than the one that was read, or does not begin with what was read of it: bring "
                "that file back or name it, too, as it is called now, or start anew without the state"
            )
        with file.opened():
            prefix = Prefix(0)
            for earlier in sorted(self._files, key=lambda earlier: earlier.length):
                if earlier.length and earlier.begins(file, prefix):
                    raise DataError(
                        f"{file} begins with everything that was read of {earlier}, and is another file: a copy would "
                        "be released a second time; name that file, or start anew without the state"
                    )

    def _refuse_unread(self, number: int) -> None:
        """Refuse to go on without a known file, unless nothing is left in it."""
        earlier, begin, ended = self._files[number], self._begin(number), self._ended(number)
        status = None if earlier.name == STDIN else file_status(earlier.name)
        if status is not None and stat.S_ISREG(status.st_mode) and status.st_ino == earlier.inode:
            file = Input(earlier.name, (status.st_dev, status.st_ino), status.st_size)
            if file.size == begin or (file.size > begin and not _has_more(file, begin)):
                return
            if ended:
                with file.opened():
                    if earlier.begins(file, Prefix(earlier.inode)):
                        raise DataError(
                            f"{earlier} has more than what was read of it, and is not among the inputs: name it, too, "
                            "or start anew without the state"
                        )
        if not ended:
            raise DataError(
                f"the state stopped in the middle of {earlier}, which is not among the inputs: name it, too, as it is "
                "called now, or start anew without the state"
            )


def _is_known_file(value: Any) -> bool:
    kinds = [type(part) for part in value] if isinstance(value, list) else []
    return kinds == [str, int, int, str, bool] and value[2] >= 0


def _has_more(file: Input, position: int) -> bool:
    """Whether a file has anything but empty lines after a position."""
    with file.opened() as handle:
        while piece := os.pread(handle, _PIECE, position):
            if piece.strip():
                return True
            position += len(piece)
    return False
