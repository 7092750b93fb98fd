"""StreamAnonymizer: records or frames in, the same out within a bounded delay, in groups of k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self, Unpack

import numpy as np

from shoal.errors import DataError, PlanError, ShoalError, counted
from shoal.plan import Plan
from shoal.plan.stream import StreamKeywords
from shoal.run.manifest import versions
from shoal.stream.engine.recoder import StreamRecoder
from shoal.stream.engine.released_records import LeavingRecords
from shoal.stream.engine.rows import FrameRows, Record, RecordRows, as_frames, as_records, open_batch
from shoal.stream.engine.snapshot import Snapshot, dump_records, load_records, read_snapshot, write_snapshot
from shoal.stream.engine.stream_encoder import StreamEncoder
from shoal.stream.engine.stream_engine import Released, StreamEngine
from shoal.stream.engine.stream_statistics import PublishedFigures, Publisher, StreamStats


class StreamAnonymizer:
    """Anonymize a stream: every record leaves in a group of k that share their quasi-identifiers, or is dropped.

    Parameters
    ----------
    plan
        The columns and k; ``[stream]`` for the rest. Choices for tables only are refused.
    text
        Records hold text, as those of ``csv.DictReader``: numbers are written out, an empty text is a missing value.
    max_bytes
        The most bytes of records that wait, by the sizes that `push` is told; None sets no bound. Where a record would
        pass it, the oldest leave before their time, as if more had come, or are dropped where fewer than k subjects
        wait; a record that is larger by itself is refused.
    **options
        Keys of ``[stream]``, in place of the plan's: ``max_delay``, ``position_weight``, ``bounds``,
        ``sweeps``, ``on_unclose``. Those left out, or None, are the plan's.

    Records leave with their columns in the order of the plan, and the records of a group in a random order that what
    came before decides: the same plan and the same records give the same order, and nobody else can tell it.

    A stream is used by one thread at a time. ``observer``, if set, is called with the
    positions and groups of what leaves, before it leaves.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section V, Algorithms 2 and 3, Note 1; the guarantee is Definition 5 with the
    delay of Definition 4. Values are compared on [0, 1] by their bounds: running bounds know the past only, so early
    groups are formed with less knowledge.

    Examples
    --------
    >>> plan = Plan(k=2, attributes={
    ...     "name": {"role": "identifier"},
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pulse": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> stream = StreamAnonymizer(plan, max_delay=2)
    >>> stream.push({"name": "Ann", "age": 30, "pulse": 61})
    []
    >>> stream.push({"name": "Bo", "age": 71, "pulse": 80})
    []
    >>> stream.push({"name": "Cy", "age": 34, "pulse": 72})
    [{'age': 32.0, 'pulse': 72}, {'age': 32.0, 'pulse': 61}]
    >>> stream.flush(), stream.stats.dropped["too_few_subjects"]
    ([], 1)
    """

    def __init__(
        self, plan: Plan, *, text: bool = False, max_bytes: int | None = None, **options: Unpack[StreamKeywords]
    ) -> None:
        if max_bytes is not None and max_bytes < 1:
            raise PlanError(f"max_bytes must be at least 1, not {max_bytes}")
        given = {name: value for name, value in options.items() if value is not None}
        if given:
            section = {} if plan.stream is None else plan.stream.model_dump(exclude_defaults=True)
            plan = plan.replace(stream={**section, **given})
        self.plan = plan
        self.text = text
        self.max_bytes = max_bytes
        self.hurried = 0
        """Records that left, or were dropped, before their time because there was no room."""
        self._encoder = StreamEncoder(plan, text=text)
        self._recoder = StreamRecoder(plan, text=text)
        self._engine = StreamEngine(self._encoder.settings)
        self._rows: RecordRows | FrameRows = RecordRows()
        self._leaving = LeavingRecords(self._encoder)
        self._publisher = Publisher()
        self._arrived = 0
        self.observer: Callable[[Released], object] | None = None

    def push(self, record: Record, *, size: int = 0) -> list[dict[str, Any]]:
        """Take one record; return the records that leave because of it, often none.

        Parameters
        ----------
        record
            Values by column.
        size
            The bytes that it counts for in ``max_bytes``.

        Raises
        ------
        DataError
            The record does not fit the plan. It is not taken, and the stream goes on without it.
        """
        if not isinstance(record, Mapping):
            raise DataError(f"a record must be a mapping from columns to values, not a {type(record).__name__}")
        if self.max_bytes is not None and size > self.max_bytes:
            raise DataError(f"the record has more than the {counted(self.max_bytes, 'byte')} that the buffer may hold")
        record = self._encoder.gaps(record)
        record = self._recoder.record(record)
        cells, subject, confidential = self._encoder.encode_record(record)
        self._rows = rows = as_records(self._rows)
        left = self._make_room(rows, size)
        self._accept(1)
        rows.add(self._arrived, {name: record[name] for name in self._encoder.released}, size=size)
        self._arrived += 1
        released = self._engine.push(cells, subject=subject, confidential=confidential)
        if released is not None:
            left += self._leave(released)
        return left

    def push_many(self, frame: Any) -> Any:
        """Take the rows of a frame or Arrow record batch in order; return what leaves because of them, the same kind.

        The same groups leave as when the rows are pushed one by one. Cells leave, and nothing beside them: no pandas
        index or ``attrs``, no metadata of an Arrow schema, no category in a type that no record leaves with.

        Raises
        ------
        DataError
            A row does not fit the plan. None of the frame is taken.
        """
        table, give_back = open_batch(frame, self.plan)
        table = self._recoder.table(table)
        cells, subjects, confidential = self._encoder.encode_table(table)
        leaving = table.select(self._encoder.released)
        if isinstance(self._rows, RecordRows):
            self._leaving.require_room(leaving)
        self._rows = rows = as_frames(self._rows, leaving)
        rows.add(np.arange(self._arrived, self._arrived + len(table)), leaving)
        self._accept(len(table))
        self._arrived += len(table)
        released = self._engine.push_many(cells, subjects=subjects, confidential=confidential)
        return give_back(self._leave(released))

    def flush(self) -> Any:
        """End the stream: release what can be released, drop and count the rest.

        Returns
        -------
        list or frame
            Records after ``push``, a frame after ``push_many``. More may be pushed afterwards.
        """
        return self._leave(self._engine.flush())

    def expire(self, before: int) -> list[dict[str, Any]]:
        """Let the records that came before a position leave before their time, as for a bound of their delay in time.

        Parameters
        ----------
        before
            A position, from 0. The records that stand before it leave in groups as if more had come, others with them;
            where fewer than k subjects wait, they are dropped and counted. All that wait leave as by `flush`.

        Returns
        -------
        list
            The records that leave, as `push` gives them.
        """
        self._rows = as_records(self._rows)
        if before >= self._arrived:
            return list(self._leave(self._engine.flush()))
        left: list[dict[str, Any]] = []
        while self.oldest < before:
            left += self._leave(self._engine.expire())
        return left

    @property
    def stats(self) -> StreamStats:
        """Counts, errors, reordering and delays so far, exact: for who has the original stream, see `published`."""
        return StreamStats.of(self._engine.tally())

    @property
    def gaps(self) -> dict[str, dict[str, int]]:
        """Cells of released records that came ``missing``, were ``filled`` and were ``suppressed``, by column."""
        return {name: dict(counts) for name, counts in self._leaving.gaps.counts.items()}

    @property
    def published(self) -> PublishedFigures | None:
        """Error, delays and gaps that may be told while it runs: of many groups at once; None before there are."""
        return self._publisher.figures

    @property
    def arrived(self) -> int:
        """How many records came."""
        return self._arrived

    @property
    def oldest(self) -> int:
        """The position, from 0, of the oldest record that has not left; of the next to come if there is none."""
        return self._engine.oldest

    @property
    def manifest(self) -> dict[str, Any]:
        """What was done, for the record: plan, versions, normalisation, counts. It is exact: keep it with the plan."""
        given = self._encoder.options.bounds
        return {
            "plan": self.plan.to_dict(),
            "versions": versions(),
            "normalisation": {
                column.name: "unit vectors"
                if column.width > 1
                else "given bounds"
                if column.name in given
                else "running bounds"
                for column in self._encoder.continuous
            },
            "no_reordering_above": self._encoder.settings.no_reordering,
            **self._recoder.in_manifest(self._arrived),
            "stats": self.stats.counts(),
            "published": None if self.published is None else asdict(self.published),
            **({"gaps": self.gaps} if self.gaps else {}),
        }

    def save(self, path: str | Path, *, extra: Mapping[str, Any] | None = None, key: bytes | None = None) -> None:
        """Write the whole state to a file, from which `restore` goes on as if nothing had happened.

        The file holds records as they came, before they were anonymized: keep it as safe as the source.

        Parameters
        ----------
        path
            The file; one that is there is replaced at once.
        extra
            Plain values (JSON) to keep with the state, such as the position in a source.
        key
            Seals the file, so that who does not have it cannot change it unnoticed.
        """
        header, parts = self.dump()
        write_snapshot(path, {**header, "extra": dict(extra or {})}, parts, key=key)

    @classmethod
    def restore(
        cls, path: str | Path, *, plan: Plan | None = None, key: bytes | None = None
    ) -> tuple[Self, dict[str, Any]]:
        """Return the stream saved in a file, and what was kept with it.

        Parameters
        ----------
        path
            What `save` wrote.
        plan
            The plan that is expected; a state of another one is refused.
        key
            What `save` was given.

        Raises
        ------
        DataError
            The file cannot be read, or is damaged, or holds what no stream saves.
        PlanError
            The state belongs to another plan.
        """
        header, parts = read_snapshot(path, key=key)
        if "plan" not in header:
            raise DataError(f"{str(path)!r} is a state of `shoal stream`, not of one StreamAnonymizer")
        return cls.load(header, parts, plan=plan), header.get("extra", {})

    def dump(self) -> Snapshot:
        """Return the whole state: plain values (JSON), and bytes by name."""
        header = {
            "plan": self.plan.to_dict(),
            "text": self.text,
            "arrived": self._arrived,
            "forms": {column.name: column.form for column in self._encoder.dates},
            "precisions": self._leaving.dump(),
            "last_seen": self._encoder.subjects.dump(),
            "max_bytes": self.max_bytes,
            "sizes": list(self._rows.sizes.items()) if isinstance(self._rows, RecordRows) else [],
            "gaps": self._leaving.gaps.counts,
            "recoded": self._recoder.counts,
        }
        rows, classes = dump_records(self._rows.items()), dump_records(self._leaving.values())
        return Snapshot(header, {"engine": self._engine.save(), "rows": rows, "classes": classes})

    @classmethod
    def load(cls, header: Mapping[str, Any], parts: Mapping[str, bytes], *, plan: Plan | None = None) -> Self:
        """Return the stream whose state `dump` gave; one of another plan is refused, and what `dump` cannot give."""
        try:
            saved = Plan.from_mapping(header["plan"])
            if plan is not None and plan != saved:
                raise PlanError(
                    "the snapshot belongs to another plan: go on with that one, or start without a snapshot"
                )
            if not isinstance(header["text"], bool) or type(header["max_bytes"]) not in (int, type(None)):
                raise ValueError("what the stream was made with is not what it should be")
            stream = cls(saved, text=header["text"], max_bytes=header["max_bytes"])
            stream._engine = StreamEngine.restored(stream._encoder.settings, parts["engine"])
            stream._arrived = header["arrived"]
            stream._rows = RecordRows.sized(load_records(parts["rows"]), header["sizes"])
            for column in stream._encoder.dates:
                column.form = header["forms"][column.name]
            stream._leaving.load(header["precisions"], dict(load_records(parts["classes"])))
            stream._encoder.subjects.load(header["last_seen"], stream._arrived)
            stream._require_consistent()
            stream._leaving.gaps.load(header["gaps"])
            stream._recoder.load(header["recoded"])
        except ShoalError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError):
            raise DataError("the state of the stream cannot be restored: a part of it is none of a state") from None
        return stream

    def _require_consistent(self) -> None:
        """Refuse a state whose records are not those that the engine holds: what comes later trusts that they are."""
        positions, cells = self._engine.waiting().tolist(), self._engine.waiting_cells()
        records = dict(self._rows.items())
        belongs = self._arrived == self._engine.tally()["arrived"]
        belongs = belongs and records.keys() == {*positions, *self._leaving.needed()}
        belongs = belongs and all(tuple(record) == self._encoder.released for record in records.values())
        if belongs:
            again = [[cell for c in self._encoder.columns for cell in c.axes(records[p])] for p in positions]
            belongs = np.array_equal(np.array(again, dtype=np.float64).reshape(cells.shape), cells, equal_nan=True)
        if not belongs:
            raise DataError("the state of the stream cannot be restored: its parts do not belong together")

    def _accept(self, count: int) -> None:
        """Remember what was looked at last, so many records: they are taken."""
        self._recoder.count()
        self._encoder.subjects.keep(count)
        for column in self._encoder.dates:
            column.keep_form()

    def _make_room(self, rows: RecordRows, size: int) -> list[dict[str, Any]]:
        """Let the oldest records leave until one of this size has room; what is kept of left groups stays."""
        left: list[dict[str, Any]] = []
        while self.max_bytes is not None and rows.bytes + size > self.max_bytes and self.oldest < self._arrived:
            released = self._engine.expire()
            self.hurried += len(released.positions) + len(released.dropped)
            left += self._leave(released)
        return left

    def _leave(self, released: Released) -> Any:
        """Return the records, or the frame, that leave; who observes is told before."""
        self._publisher.take(released, self._leaving.gaps.totals())
        if self.observer is not None:
            self.observer(released)
        rows = self._rows
        if isinstance(rows, RecordRows):
            left: Any = self._leaving.records(released, rows)
        else:
            left = self._leaving.frame(released, rows).frame.to_native()
        rows.forget(self._leaving.no_longer_needed(released))
        return left
