"""Where a release is written: a folder that gets its name when everything in it holds, and not before."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from shoal.errors import OutputError
from shoal.files import Outputs
from shoal.spark.files import HadoopPath, local_path, resolved

logger = logging.getLogger("shoal")

_UNFINISHED = "-in-progress"
_FOR_OWNER, _FOR_OWNER_FOLDER = "600", "700"
_LOOKS, _LOOK = 3, 0.2
"""How often, and after how many seconds, it is seen whether a task that ends late has written once more."""


class Destination:
    """Where a table is written with the small files beside it, on whatever file system Spark knows."""

    def __init__(self, session: SparkSession, path: str) -> None:
        self.name = path
        self.path = resolved(session, path).rstrip("/")
        self.unfinished = self.path + _UNFINISHED
        self._at = partial(HadoopPath, session)
        self._permission: Any = None
        self._texts: dict[str, str] = {}
        self._appeared: list[str] = []

    def check(self, beside: str | None = None) -> None:
        """Refuse names that are taken: that of the release, and a folder elsewhere where a small file shall be."""
        if self._at(self.path).exists():
            raise OutputError(f"there is something at {self.name} already: choose another name, or move it away")
        if beside is None or local_path(beside) is not None:
            return
        place = self._at(beside)
        if place.exists() and place.files.getFileStatus(place.where).isDirectory():
            raise OutputError(f"{beside} is a folder: give the name of a file in it")

    def prepare(self) -> None:
        """Clear away what a run left that was killed, and make a folder into which nobody else can look."""
        self._delete(self.unfinished)
        folder = self._at(self.unfinished)
        folder.files.mkdirs(folder.where)
        self._permission = folder.files.getFileStatus(folder.where).getPermission()  # of any new folder there
        folder.allow(_FOR_OWNER_FOLDER)

    def stage_text(self, outputs: Outputs, path: str, text: str) -> None:
        """Write a small file for its owner alone, which gets its name with the release, or after it on this machine."""
        here = local_path(path)
        if here is not None:
            outputs.text(str(here), text, private="where possible")
            return
        temporary = self._texts[path] = path + _UNFINISHED
        file = self._at(temporary)
        stream = file.files.create(file.where)
        file.allow(_FOR_OWNER)  # no byte yet
        stream.write(bytearray(text.encode("utf-8")))
        stream.close()

    def finish(self) -> None:
        """Give the folder and the small files their names."""
        folder = self._at(self.unfinished)
        folder.files.setPermission(folder.where, self._permission)
        if self._at(self.path).exists():  # into which a rename would put the folder
            raise OutputError(f"something has appeared at {self.name} meanwhile: nothing was released")
        self._rename(self.unfinished, self.path)
        for path, temporary in self._texts.items():
            self._delete(path)
            self._rename(temporary, path)

    def discard(self) -> None:
        """Remove what is not finished, and what has its name where not all could get theirs.

        What goes wrong with that is logged: it must not hide why it is done.
        """
        try:
            for path in (*self._appeared, *self._texts.values()):
                self._delete(path)
            self._delete(self.unfinished)
            for _ in range(_LOOKS):
                time.sleep(_LOOK)
                if self._at(self.unfinished).exists():
                    self._delete(self.unfinished)
        except Exception:
            logger.warning("%s could not be removed: remove it yourself, it was not judged", self.unfinished)

    def _rename(self, before: str, after: str) -> None:
        source = self._at(before)
        if not source.files.rename(source.where, self._at(after).where):
            raise OutputError(f"the release cannot be renamed to {after}: nothing is left under that name")
        self._appeared.append(after)

    def _delete(self, path: str) -> None:
        place = self._at(path)
        place.files.delete(place.where, True)  # noqa: FBT003  with all that is in it
