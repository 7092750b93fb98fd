"""Files that appear whole and together, or not at all.

Each file is written beside its place under a temporary name, forced to the disk, and renamed when all are ready. If a
rename fails, the ones before it are undone. Whatever happens, also Ctrl-C, the temporary files go (see `temporary`).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from shoal.errors import DataError, OutputError
from shoal.file_status import is_one_file, is_special_file
from shoal.files.database.address import is_address
from shoal.files.private import FOR_OWNER, Privacy, is_private
from shoal.files.staging import Renames, Staged, force_to_disk, uninterrupted
from shoal.files.temporary import claim_anywhere, claim_beside, give_up
from shoal.files.write_errors import write_errors_of
from shoal.files_in_use import STANDARD_OUTPUT, collecting, inputs_so_far

if TYPE_CHECKING:
    from shoal.files.database import Transaction

STDOUT = "-"
_SEPARATORS = ("/", os.sep)  # with one of them at its end, a name is that of a folder, but pathlib leaves it out


class Outputs:
    """A transaction over files: all of them appear on leaving the ``with`` block, or none.

    Parameters
    ----------
    inputs
        Files that must not be overwritten, under whatever name (symbolic and hard links are seen through), besides
        those that the command has read (see `reading`).
    printed
        The options that ask for something on standard output, which then takes nothing else.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with Outputs() as outputs:
    ...     outputs.text(folder / "manifest.json", "{}")
    ...     (folder / "manifest.json").exists()
    False
    >>> (folder / "manifest.json").read_text()
    '{}'
    """

    def __init__(self, *, inputs: Iterable[str | Path] = (), printed: Sequence[str] = ()) -> None:
        self._inputs = [Path(path) for path in inputs if str(path) != STDOUT]
        self._printed = printed
        self._staged: list[Staged] = []
        self._checked: list[Staged] = []
        self._taken: dict[Path, str] = {}
        self._joined: list[Transaction] = []

    def join(self, transaction: Transaction) -> None:
        """Let a transaction of a database end with this one: committed when all files are there, or not at all."""
        self._joined.append(transaction)

    def take(self, places: Iterable[Path], name: str) -> None:
        """Say which files something else writes, a database of this name, so that no output replaces one of them."""
        self._taken |= {place.resolve(): name for place in places}

    def stage(self, target: str | Path, *, private: Privacy = False, new: bool = False) -> Path:
        """Return the temporary file to write, which will become ``target`` (``-`` is standard output).

        Parameters
        ----------
        target
            Where it goes.
        private
            Only the owner may read and write it, whatever stood there before. What cannot be so is refused: a pipe, a
            file system without permissions; unless it is ``"where possible"``.
        new
            It must not be there yet when it appears: another process may have made it in the meantime.
        """
        with write_errors_of(target):
            staged = replace(self._stage(target, private=private), private=private is True, new=new)
            self._refuse_mixed(staged, self._staged)
            self._staged.append(staged)
        return staged.temporary

    def staged(self, target: str | Path) -> Path:
        """Return the temporary file that was staged for a target: what it will hold, if nothing goes wrong."""
        place = None if str(target) == STDOUT else Path(target)
        return next(s.temporary for s in self._staged if s.target in (place, place and place.resolve()))

    def check(self, target: str | Path, *, private: Privacy = False, option: str = "") -> None:
        """Refuse now what could not be written at the end of a long run, beside what was checked before.

        Nothing is written. The option that names the target is said where two go to one place.
        """
        with write_errors_of(target):
            staged = self._stage(target, private=private, option=option)
            self._refuse_mixed(staged, self._checked)
            self._checked.append(staged)
            give_up(staged.temporary)

    def is_private(self, target: str | Path) -> bool:
        """Tell whether a file that is written as any other would be for its owner alone."""
        with write_errors_of(target):
            staged = self._stage(target)
            try:
                return staged.in_place and is_private(staged.temporary.stat())
            finally:
                give_up(staged.temporary)

    def text(self, target: str | Path, text: str, *, private: Privacy = False, new: bool = False) -> None:
        """Stage a text file, UTF-8 with line feeds."""
        temporary = self.stage(target, private=private, new=new)
        with write_errors_of(target):
            temporary.write_bytes(text.encode())

    def _stage(self, target: str | Path, *, private: Privacy = False, option: str = "") -> Staged:
        given, is_stdout = Path(target), str(target) == STDOUT
        name = str(target)
        if not str(target):
            raise OutputError("the name of an output is empty: give the name of a file, or - for standard output")
        if is_stdout and sys.stdout is None:
            raise OutputError("standard output is closed: name a file with --output")
        if is_address(str(target)):  # and what stands in it is not said
            raise OutputError("the address of a database is for the released table alone: give the name of a file here")
        _refuse_loop(given)
        if is_stdout:
            self._refuse_inputs(STANDARD_OUTPUT, "standard output")  # by >>, after which a release follows its original
        if is_stdout or is_special_file(given):
            if private is True:
                raise OutputError(f"{target} is no file that its owner alone can read: give the name of one")
            return Staged(claim_anywhere(), None if is_stdout else given, in_place=False, name=name, option=option)
        place = given.resolve()  # a link stays a link: what it points to is replaced
        self._refuse(place, target)
        # Not mkstemp: its files are for the owner only, and a release has the permissions of any new file.
        temporary = claim_beside(place, mode=FOR_OWNER if private else 0o666, keep=self._all_inputs())
        if place.exists() and not private:
            shutil.copymode(place, temporary)
        if private is True and not is_private(temporary.stat()):
            give_up(temporary)
            raise OutputError(
                f"{target} must be for its owner alone, and this file system lets others read it: choose another folder"
            )
        return Staged(temporary, place, in_place=True, name=name, option=option)

    def _refuse_mixed(self, staged: Staged, others: Iterable[Staged]) -> None:
        """Refuse what would replace another output, or follow it on standard output or in a pipe."""
        other_title = next((other.title for other in others if staged.is_mixed_with(other)), None)
        if other_title is None and not (self._printed and staged.on_stdout):
            return
        give_up(staged.temporary)
        if not staged.on_stdout:
            raise OutputError(f"{staged.name} is named for two outputs: choose different names")
        raise OutputError(
            f"{other_title or self._printed[0]} and {staged.title} both want standard output, which takes one of them: "
            f"name a file {f'with {staged.option}' if staged.option else 'for one of them'}"
        )

    def _refuse(self, place: Path, target: str | Path) -> None:
        if place.is_dir():
            raise OutputError(f"{target} is a folder: give the name of a file in it")
        if str(target).endswith(_SEPARATORS):
            raise OutputError(f"{target} is the name of a folder: give that of a file")
        if not place.parent.is_dir():
            what = (
                f"{place.parent} is no folder" if place.parent.exists() else f"the folder {place.parent} does not exist"
            )
            raise OutputError(f"{target} cannot be written: {what}")
        self._refuse_inputs(place, target)
        if is_one_file(place, STANDARD_OUTPUT):  # as /dev/stdout is, also where >> adds to what stands there
            raise OutputError(f"{target} is the file that standard output goes to: write - instead")
        for taken, name in self._taken.items():
            if place == taken or is_one_file(place, taken):
                raise OutputError(f"{target} is a file of {name}, which this run writes: choose another name")
        if place.exists():
            place.open("r+b").close()  # a rename would get past the permissions of the file itself

    def _refuse_inputs(self, place: Path, target: str | Path) -> None:
        for given in self._all_inputs():
            if is_one_file(place, given):
                raise OutputError(f"{target} is an input of this run ({given}): choose another name for the output")

    def _all_inputs(self) -> list[Path]:
        return [*self._inputs, *inputs_so_far()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            for staged in self._staged:
                give_up(staged.temporary)
            self._staged.clear()
            for transaction in self._joined:
                transaction.close()
            self._joined.clear()

    def _commit(self) -> None:
        for staged in self._staged:
            with write_errors_of(staged.target or "standard output"):
                force_to_disk(staged.temporary)
        renames = Renames()
        # Keys and models first: after a kill in between, a model without its release harms nobody, and a release that
        # no model remembers could not be followed by another one soundly. Then what cannot be undone: if a pipe breaks
        # or a device is full, no other file has appeared yet.
        private, others = ([each for each in self._staged if each.private is wanted] for wanted in (True, False))
        try:
            uninterrupted(lambda: renames.put(private))
            for staged in others:
                if not staged.in_place:
                    with write_errors_of(staged.target or "standard output"):
                        staged.copy_out()
                    renames.keep()
            uninterrupted(lambda: self._rename(renames, others))
        except BaseException:
            uninterrupted(renames.undo)
            raise

    def _rename(self, renames: Renames, others: Sequence[Staged]) -> None:
        renames.put(others)
        for transaction in self._joined:
            transaction.commit()
        for target in renames.settle():
            for seen in _witnesses:
                seen.append(target)


_witnesses: list[list[Path]] = []


def files_written() -> contextlib.AbstractContextManager[list[Path]]:
    """Give a ``with`` block a list of the files that appear inside it, for who has to say what was written."""
    return collecting(_witnesses)


def require_file(name: str) -> None:
    """Refuse a device, which has no end, and a pipe, which can be read but once; what is not there is not looked at."""
    if is_special_file(name):
        raise DataError(f"{name} cannot be read: it is a pipe or a device, and must be a file")


def _refuse_loop(path: Path) -> None:
    """Raise OSError for a symbolic link that leads to itself, which pathlib takes for a file that is not there."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
