"""Files to files: a release gets its name when its guarantees hold on what was written."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from shoal.errors import GuaranteeError
from shoal.files import Outputs
from shoal.giveaways import as_manifest
from shoal.plan import Plan
from shoal.spark._anonymize import FRAGMENT_SIZE, anonymize, kept
from shoal.spark.fields import LOSS, SUBJECT
from shoal.spark.files import format_of, read, read_back, write
from shoal.spark.giveaways import formula_cells_of
from shoal.spark.interrupts import interruptible
from shoal.spark.judge import judge
from shoal.spark.messages import in_words
from shoal.spark.place import Place
from shoal.spark.progress import followed
from shoal.spark.release import SparkRelease

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger("shoal")


@dataclass(eq=False)
class _Writer:
    """Writes a masked table under a name that is not final, and gives back what can be judged."""

    place: Place
    file_format: str
    written: DataFrame | None = None
    kept: DataFrame | None = None

    def __call__(self, frame: DataFrame) -> DataFrame:
        """Return the table as it was written, or the one it was written from where that has subjects."""
        more = {SUBJECT, LOSS}.intersection(frame.columns)
        settled = frame
        if more:
            settled = self.kept = kept(frame)
        self.written = write(settled.drop(*more), self.place.unfinished, file_format=self.file_format)
        logger.info("Spark judges what it wrote")
        return settled if more else self.written


def anonymize_files(
    session: SparkSession,
    source: str,
    plan: Plan,
    target: str,
    *,
    file_format: str | None = None,
    fragment_size: int = FRAGMENT_SIZE,
    manifest: str | None = None,
    measure: bool = False,
    progress: Callable[[int, int], object] | None = None,
    check: Callable[[SparkRelease], object] | None = None,
    outputs: Outputs | None = None,
    **how: Any,
) -> SparkRelease:
    """Anonymize a folder or file that Spark reads into a folder that it writes.

    Parameters
    ----------
    session
        Of Spark.
    source, target
        Where the table is, and where the release will be.
    plan
        Every choice of the run.
    file_format
        Of both, where their names do not say.
    fragment_size
        Records of a fragment, about.
    manifest
        Where the manifest goes, if it is written.
    measure
        Whether the manifest tells what was lost.
    progress
        Called now and then with (tasks done, tasks known).
    check
        Called with the release before it gets its name; what it raises leaves nothing behind.
    outputs
        Files on this machine that appear with the release, or not at all; those that ``check`` stages are among them.
    how
        Options of Spark's reader of CSV files.

    Notes
    -----
    The masked table is written once, under another name, and its guarantees are judged on what is read back from there.
    A subject is no column of a release: there k is judged on the table that was written, with its subjects, and the
    classes of what was read back must be the same.
    """
    outputs = Outputs() if outputs is None else outputs

    def work(stopped: Event) -> SparkRelease:
        place = Place(session, target, outputs)
        with in_words(), followed(session, progress):
            place.check(manifest)
            frame = read(session, source, plan, file_format=format_of(source, file_format), **how)
            writer = _Writer(place, format_of(target, file_format))
            try:
                with outputs:  # whose files appear after the release has its name, or take that back
                    place.prepare()
                    release = anonymize(frame, plan, fragment_size=fragment_size, measure=measure, settle=writer)
                    if plan.subject_column() is not None or measure:
                        _require_same_classes(release, writer.written, plan)
                    release = _with_formulas(release, writer, plan)
                    if check is not None:
                        check(release)
                    if manifest is not None:
                        place.write_text(manifest, release.manifest.to_json())
                    if stopped.is_set():
                        raise KeyboardInterrupt
                    place.finish()
            except BaseException:
                place.discard()
                raise
            finally:
                if writer.kept is not None:
                    writer.kept.unpersist()
        assert writer.written is not None
        return replace(release, data=read_back(writer.written, place.path, file_format=writer.file_format))

    return interruptible(session, work)


def _with_formulas(release: SparkRelease, writer: _Writer, plan: Plan) -> SparkRelease:
    """Return a release that says which of its columns a spreadsheet would run, where it is one of CSV files."""
    if writer.file_format != "csv":
        return release
    assert writer.written is not None
    found = formula_cells_of(writer.written, plan, release.manifest["output"]["rows"])
    if not found:
        return release
    return replace(release, manifest=release.manifest.adding(**as_manifest((*release.giveaways, *found))))


def _require_same_classes(release: SparkRelease, written: DataFrame | None, plan: Plan) -> None:
    """Refuse files whose classes are not those that were judged with their subjects."""
    assert written is not None
    found = judge(written, plan.replace(subject="record", keep_subject=None), {})
    judged = release.manifest["groups"]
    if (found.classes, found.smallest, found.largest) != (judged["count"], judged["smallest"], judged["largest"]):
        raise GuaranteeError("what was written has other classes than what was judged: nothing was released")
