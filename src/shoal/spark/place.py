"""The place of a release: a folder that gets its name when everything in it holds, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import OutputError
from shoal.files import Outputs
from shoal.spark.files import local_path, resolved

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_UNFINISHED = "-in-progress"


class Place:
    """Where a table is written, on whatever file system Spark knows.

    Parameters
    ----------
    session
        Whose file systems they are.
    path
        The final name.
    """

    def __init__(self, session: SparkSession, path: str) -> None:
        self.name = path
        self.path = resolved(session, path).rstrip("/")
        self.unfinished = self.path + _UNFINISHED
        self._jvm: Any = session._jvm  # the one way to the file systems of the cluster
        self._configuration = session.sparkContext._jsc.hadoopConfiguration()

    def prepare(self) -> None:
        """Refuse a name that is taken, and clear away what a run left that was killed."""
        if self._exists(self.path):
            raise OutputError(f"there is something at {self.name} already: choose another name, or move it away")
        self.discard()

    def discard(self) -> None:
        """Remove what is not finished."""
        where = self._jvm.org.apache.hadoop.fs.Path(self.unfinished)
        where.getFileSystem(self._configuration).delete(where, True)  # noqa: FBT003  with all that is in it

    def finish(self) -> None:
        """Give the folder its name."""
        before, after = (self._jvm.org.apache.hadoop.fs.Path(path) for path in (self.unfinished, self.path))
        if not before.getFileSystem(self._configuration).rename(before, after):
            raise OutputError(f"the release cannot be renamed to {self.name}: nothing is left under that name")

    def write_text(self, path: str, text: str) -> None:
        """Write a small file beside it, which appears whole or not at all."""
        here = local_path(path)
        if here is not None:
            with Outputs() as outputs:
                outputs.text(str(here), text, private="where possible")
            return
        where = self._jvm.org.apache.hadoop.fs.Path(path)
        stream = where.getFileSystem(self._configuration).create(where)
        stream.write(bytearray(text.encode("utf-8")))
        stream.close()

    def _exists(self, path: str) -> bool:
        where = self._jvm.org.apache.hadoop.fs.Path(path)
        return bool(where.getFileSystem(self._configuration).exists(where))
