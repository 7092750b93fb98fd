"""Release: an anonymized table with its evidence, frozen, never a bare tuple."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, cast
from weakref import ReferenceType
from weakref import ref as weak_reference

import numpy as np
from numpy.typing import NDArray

from shoal.card import Card, screenful
from shoal.errors import DataError, GuaranteeError
from shoal.frames import Table
from shoal.giveaways.giveaway import Giveaway
from shoal.masking.mask import Block, Partition
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.progress import shown
from shoal.republish.earlier_release import Earlier
from shoal.run.guarantees import Guarantees, guarantee_line
from shoal.run.manifest import Manifest

if TYPE_CHECKING:
    import altair as alt
    from typing_extensions import TypeVar

    from shoal.attacks import Attempts
    from shoal.files import SourceFile
    from shoal.measures import Scores
    from shoal.progress import Progress
    from shoal.report import ReportData
    from shoal.report.summary import Summary
    from shoal.run.model.model import Model, ModelState

    FrameT = TypeVar("FrameT", default=Any)
else:  # a default needs Python 3.13, and matters to type checkers alone
    from typing import TypeVar

    FrameT = TypeVar("FrameT")


__all__ = ["Block", "FrameT", "Guarantees", "Manifest", "Partition", "Release", "as_earlier", "refer_to"]


def refer_to(frame: Any) -> ReferenceType[Any] | None:
    """Refer to a frame without keeping it; None where its kind cannot be referred to."""
    try:
        return weak_reference(frame)
    except TypeError:
        return None


@dataclass(frozen=True, eq=False, repr=False)
class Release(Card, Generic[FrameT]):
    """An anonymized table with its evidence.

    Parameters
    ----------
    data
        The released frame: identifiers gone, quasi-identifiers masked, rows in the order they came or shuffled.
    labels
        The group of each released row.
    guarantees
        What was asked and what holds, checked on ``data``.
    manifest
        Plan, versions, seed, sizes, hashes, counts and timings; no record values.
    partition
        The groups of each block of attributes.
    rows
        The original position of each released row, from 0. It undoes a shuffle: keep it with the original.
    origin
        Refers to the table that came in for as long as somebody else has it; it does not keep it, and is not pickled.
    model_state
        What the model is made of besides; None of a release that another tool made.
    """

    data: FrameT
    labels: NDArray[np.int64]
    guarantees: Guarantees
    manifest: Manifest
    partition: Partition
    rows: NDArray[np.int64]
    origin: ReferenceType[Any] | None = field(default=None, repr=False)
    model_state: ModelState | None = None

    def summary(
        self, original: Any | None = None, *, edition: str = "internal", attacks: Sequence[str] | None = None
    ) -> Summary:
        """Return page one of the report: whether it is safe, how that is known, what it is good for, what to decide.

        Parameters
        ----------
        original
            The table that was anonymized; may be left out while it is still there, and for an external edition.
        edition
            ``internal`` compares with the original and stays with it; ``external`` goes out with the release, and is
            made of the released table, the plan and the guarantees alone.
        attacks
            What to try against the release, by the names of `shoal.attacks.ATTACKS`; the quick ones if None,
            ``["all"]`` or ``["none"]``.

        Returns
        -------
        Summary
            With ``text`` (also as ``str``), ``markdown`` and ``html``; a notebook shows it by itself.

        Examples
        --------
        >>> import polars as pl, shoal
        >>> frame = pl.DataFrame({"age": [30, 34, 61, 67]})
        >>> plan = shoal.Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
        >>> shoal.anonymize(frame, plan).summary().who
        '4 records, each about another person.'
        """
        return self._collected(original, "summary(frame)", edition=edition, attacks=attacks).summary

    def report(
        self,
        path: str | Path,
        original: Any | None = None,
        *,
        edition: str = "internal",
        attacks: Sequence[str] | None = None,
        certificate: bool = False,
        progress: Progress | bool | None = None,
    ) -> ReportData:
        """Write the report on the release, HTML (extra ``charts``) or Markdown with page one alone, and JSON beside it.

        Parameters
        ----------
        path
            The file, ``.html`` or ``.md``. Both files appear, or none.
        original, edition, attacks
            As `summary` takes them.
        certificate
            Prove how far the loss is from the best possible at most: up to a minute.
        progress
            Called with the work done and the work to do; True for a bar, False for none, None for a bar in notebooks
            and at a prompt.

        Returns
        -------
        ReportData
            What it says; ``charts()`` has its charts as Altair objects.
        """
        files = import_module("shoal.report.report_files")
        target = files.report_paths(os.fspath(path))  # which shows nothing of a frame that is given first
        with import_module("shoal.files").Outputs() as outputs:
            for file in target:
                outputs.check(file)
            options = {"edition": edition, "attacks": attacks, "certificate": certificate, "progress": progress}
            content = self._collected(original, "report(path, frame)", **options)
            files.stage_report(outputs, target, content)
        return content

    def save(
        self,
        path: str | Path,
        *,
        manifest: str | Path | None = None,
        like: SourceFile | None = None,
        escape_formulas: bool = False,
    ) -> Manifest:
        """Write the released table and its manifest, as ``shoal anonymize`` does: both appear, or none.

        Parameters
        ----------
        path
            The file, whose ending tells the format, or the address of a table in a database.
        manifest
            Where the manifest goes; beside a file if None.
        like
            The file that the table came from (`shoal.files.read`): a CSV file keeps its dialect, and columns that were
            not masked keep their cells as they were written. It is never overwritten.
        escape_formulas
            Write ' before cells of a CSV file that a spreadsheet would run.

        Returns
        -------
        Manifest
            As it was written, with the fingerprint of the file.

        Raises
        ------
        GuaranteeError
            The release misses a guarantee that the plan does not give up, or ``data`` was changed since it was checked;
            nothing is written.
        DataError
            ``like`` holds another table than the one that was anonymized.
        OutputError
            A file cannot be written; then none is.
        """
        save = import_module("shoal.run.saved_release").save
        return cast("Manifest", save(self, path, manifest=manifest, like=like, escape_formulas=escape_formulas))

    def measure(
        self, original: Any | None = None, *, keys: Iterable[str] | None = None, progress: Progress | bool | None = None
    ) -> Scores:
        """Measure what the release gives away and what it keeps.

        Parameters
        ----------
        original
            The table that was anonymized; may be left out while it is still there.
        keys
            The measures wanted, such as ``["il_percent", "dld"]``; every one that the columns allow if None.
        progress
            As `report` takes it.
        """
        before = self._original(original, "measure(frame)")
        measure_release = import_module("shoal.measures").measure_release
        with shown(progress, "measuring") as report:
            return cast("Scores", measure_release(before, self, self.plan, keys=keys, progress=report))

    def attack(
        self,
        original: Any | None = None,
        *,
        attacks: Iterable[str] | None = None,
        progress: Progress | bool | None = None,
        **options: Any,
    ) -> Attempts:
        """Attack the release in every way that the tables allow, and count how often it works.

        Parameters
        ----------
        original
            The table that was anonymized; may be left out while it is still there.
        attacks
            The attacks to try, such as ``["linkage"]``; every one that the tables allow if None.
        progress
            As `report` takes it.
        options
            Others of `shoal.attacks.attack`: ``known``, ``control``, ``after``, ``seed``.
        """
        before = self._original(original, "attack(frame)")
        attack = import_module("shoal.attacks").attack
        tried = attack(before, self.data, self.plan, rows=self.rows, attacks=attacks, progress=progress, **options)
        return cast("Attempts", tried)

    def plot(self, column: str, original: Any | None = None, *, edition: str = "internal") -> alt.TopLevelMixin:
        """Draw a column before and after, as the report does (extra ``charts``).

        Parameters
        ----------
        column
            Its name.
        original
            The table that was anonymized; may be left out while it is still there.
        edition
            ``internal`` compares with the original; ``external`` shows the column as it is released.

        Returns
        -------
        An Altair chart.

        Raises
        ------
        PlanError
            There is no such column, or nothing of it may be shown.
        """
        before = None if edition == "external" else self._original(original, "plot(column, frame)")
        plot = import_module("shoal.report._plot").plot
        return cast("alt.TopLevelMixin", plot(before, self, self.plan, column, edition=edition))

    @property
    def plan(self) -> Plan:
        """The plan it was made by."""
        return Plan.from_mapping(self.manifest["plan"])

    def _original(self, original: Any | None, call: str) -> Any:
        """Return the original table: as it is given, or as it is still there, unless it was changed meanwhile."""
        if original is not None:
            return original
        name = call.partition("(")[0]
        original_frame = None if self.origin is None else self.origin()
        if original_frame is None:
            raise DataError(
                f"release.{name} compares with the original table, which is gone: give it, as release.{call}"
            )
        if open_table(original_frame, self.plan).sha256() != self.manifest["input"]["sha256"]:
            raise DataError(
                f"release.{name} compares with the original table, which was changed after it was anonymized: give it "
                f"as it was, as release.{call}"
            )
        return original_frame

    def require_unchanged(self) -> None:
        """Refuse to vouch for another table than the one that the guarantees were checked on.

        Frames of pandas can be changed in place: a column that is put back, or rows in the order they came.
        """
        if Table.of(self.data).sha256() != self.manifest["output"]["sha256"]:
            raise GuaranteeError(
                "release.data is not the table that the guarantees were checked on: its columns, cells or the order of "
                "its rows were changed since. Change the original or the plan and anonymize it again"
            )

    def _collected(self, original: Any | None, call: str, **options: Any) -> ReportData:
        self.require_unchanged()
        # Reports stand above this module; whoever asks for one has them at hand.
        collect = import_module("shoal.report").collect
        external = options["edition"] == "external"  # which has nothing to do with the original
        before = None if external else self._original(original, call)
        return cast("ReportData", collect(before, self, self.plan, **options))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}

    @property
    def model(self) -> Model:
        """The encoder and the groups, to mask new records by; no records."""
        from shoal.run.model.model import Model

        return Model.of(self)

    def in_original_order(self) -> Release[FrameT]:
        """Return the release with its rows as they came, to compare it with the original record by record."""
        if np.array_equal(self.rows, np.arange(len(self.rows))):
            return self
        back = np.argsort(self.rows)
        data, partition = Table.of(self.data).take(back).data, self.partition.take(back)
        return replace(self, data=data, labels=partition.labels, partition=partition, rows=self.rows[back])

    @property
    def giveaways(self) -> tuple[Giveaway, ...]:
        """What the manifest warns of, with the lines of the plan that would end it."""
        return tuple(Giveaway.from_dict(each) for each in self.manifest.get("giveaways", ()))

    def __repr__(self) -> str:
        lines = [f"Release of {len(self.labels):,} records in {int(self.labels.max(initial=-1)) + 1:,} groups"]
        lines += map(guarantee_line, self.guarantees.values())
        if self.manifest.get("order", {}).get("shuffled"):
            lines.append("  rows shuffled: release.rows says where each of them stood")
        lines += [f"  warning: {warning}" for warning in self.manifest.get("warnings", ())]
        return screenful(lines)


def as_earlier(original: Table, given: Release | Earlier, number: int) -> Earlier:
    """Take an earlier release as it is, or match one that was made in this process with its original."""
    if isinstance(given, Earlier):
        if len(given.places) != len(original):
            raise DataError(f"{given.name} was matched with another table than the one to anonymize")
        return given
    if isinstance(given, Release):
        name = f"earlier release {number}"
        return Earlier.of(original.frame, given.data, given.manifest, rows=given.rows, name=name)
    raise DataError(f"after takes releases of shoal.anonymize or shoal.run.Earlier, not a {type(given).__name__}")
