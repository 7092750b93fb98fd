"""Locate: the fragment of every record, by its values alone, so that neither partitions nor retries decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.window import Window

from shoal.encode import Encoder, read_subjects, subject_texts
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.plan import Plan
from shoal.spark.cells import Cuts, Layout
from shoal.spark.fields import FRAGMENT, SUBJECT, comparable, content_key, own_fields, quoted, with_longitudes
from shoal.spark.shuffle import gathered
from shoal.spark.strata import Strata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PART, CELL, COUNT = "__shoal_part", "__shoal_cell", "__shoal_count"
SPAN, START, SIZE = "__shoal_span", "__shoal_start", "__shoal_size"
FIRST, FRAGMENTS = "__shoal_first", "__shoal_fragments"


@dataclass(frozen=True, eq=False)
class Locator:
    """Tells where records lie.

    Parameters
    ----------
    plan, encoder
        How records become points.
    cuts
        The cells of the space.
    strata
        Of the leading confidential attribute, where there are any.
    domains
        The values of ``by``, where the plan names it.
    layout
        The fragments.
    """

    plan: Plan
    encoder: Encoder
    cuts: Cuts
    layout: Layout
    strata: Strata | None = None
    domains: pa.Array | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that say where a record lies."""
        names = with_longitudes(self.plan, self.plan.masked_names())
        names += [] if self.strata is None else [self.strata.name]
        names += [] if self.plan.by is None else [self.plan.by]
        return list(dict.fromkeys(names))

    def parts_and_cells(self, table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the part of each record, a stratum of a domain, and its cell."""
        strata = np.zeros(table.num_rows, dtype=np.int64)
        if self.strata is not None:
            strata = self.strata.locate(table[self.strata.name])
        frame = Table.of(table)
        points = self.encoder.apply([read_column(frame, self.plan.spec(name)) for name in self.plan.masked_names()])
        return self.domain_numbers(table) * self.layout.strata + strata, self.cuts.locate(points, strata)

    def domain_numbers(self, table: pa.Table) -> NDArray[np.int64]:
        """Return the number of each record's domain; 0 where there is but one."""
        if self.domains is None or self.plan.by is None:
            return np.zeros(table.num_rows, dtype=np.int64)
        return _places(table[self.plan.by], self.domains)


@dataclass(frozen=True, eq=False)
class CellCounter:
    """Counts the records of each cell of each part, batch by batch."""

    locator: Locator

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return one row for each cell that a batch has records of."""
        cells = self.locator.cuts.cells
        for table in gathered(batches):
            part, cell = self.locator.parts_and_cells(table)
            found, counts = np.unique(part * cells + cell, return_counts=True)
            yield pa.RecordBatch.from_arrays([pa.array(found), pa.array(counts)], names=[CELL, COUNT])


@dataclass(frozen=True, eq=False)
class Assigner:
    """Adds to each record where it goes: a fragment, or the cell in which that is decided by counting."""

    locator: Locator
    borders: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What is added."""
        return (FRAGMENT, SPAN, CELL, START, SIZE, FIRST, FRAGMENTS) if self.borders else (FRAGMENT,)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches with more columns."""
        layout, cells = self.locator.layout, self.locator.cuts.cells
        assert layout.sizes is not None
        for table in gathered(batches):
            part, cell = self.locator.parts_and_cells(table)
            fragment, span, start = layout.place(part, cell)
            domain = part // layout.strata
            counts = (layout.sizes[part], layout.first[domain], layout.fragments[domain])
            added = (fragment, span, part * cells + cell, start, *counts)
            for name, values in zip(self.names, added, strict=False):
                table = table.append_column(name, pa.array(values))
            yield from table.to_batches()


@dataclass(frozen=True, eq=False)
class PartAssigner:
    """Adds to each record the cell that it lies in and whom it is about."""

    locator: Locator

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches with more columns."""
        for table in gathered(batches):
            part, cell = self.locator.parts_and_cells(table)
            table = table.append_column(PART, pa.array(part)).append_column(CELL, pa.array(cell))
            yield from table.to_batches()


@dataclass(frozen=True)
class SubjectReader:
    """Adds to each record whom it is about."""

    name: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the batches with a column of hashes."""
        for table in gathered(batches):
            frame = Table.of(table)
            numbers = read_subjects(frame, self.name).numbers
            keys = [_key(text) for text in subject_texts(frame, self.name)]
            table = table.append_column(SUBJECT, pa.array(np.array(keys, dtype=np.int64)[numbers]))
            yield from table.to_batches()


def with_subjects(frame: DataFrame, plan: Plan) -> DataFrame:
    """Return a table with the subject of each record as a number, where the plan says whom a record is about.

    Raises
    ------
    DataError
        When it is computed: a record has no subject.
    """
    name = plan.subject_column()
    if name is None:
        return frame
    return frame.mapInArrow(SubjectReader(name), T.StructType([*frame.schema.fields, _whole(SUBJECT)]))


def count_cells(frame: DataFrame, locator: Locator) -> Locator:
    """Count the records of every cell, and return the locator with its layout complete."""
    located = frame.select(*map(quoted, locator.columns)).mapInArrow(
        CellCounter(locator), T.StructType([_whole(CELL), _whole(COUNT)])
    )
    found = located.groupBy(CELL).agg(F.sum(COUNT).alias(COUNT)).toArrow()
    counts = np.zeros(locator.layout.parts * locator.cuts.cells, dtype=np.int64)
    counts[found[CELL].to_numpy()] = found[COUNT].to_numpy()
    cells = counts.reshape(locator.layout.parts, locator.cuts.cells)
    return replace(locator, layout=locator.layout.counted(cells))


def assign(frame: DataFrame, locator: Locator, seed: int) -> DataFrame:
    """Return the table with the fragment of each record.

    Notes
    -----
    A record of a cell that reaches into several fragments goes by its place in the cell, in the order of hashes of
    whole records and then of their values. Equal records are interchangeable, so that the table of a fragment is the
    same whoever sorts.
    """
    assigner = Assigner(locator, has_borders(locator.layout))
    added = [_whole(name) for name in assigner.names]
    located = frame.mapInArrow(assigner, T.StructType([*frame.schema.fields, *added]))
    if not assigner.borders:
        return located
    names = [F.col(quoted(field.name)) for field in frame.schema.fields]
    order = [content_key(frame, seed), *(comparable(field) for field in own_fields(frame))]
    place = F.col(START) + F.row_number().over(Window.partitionBy(CELL).orderBy(*order)) - 1
    fragment = F.col(FIRST) + F.floor(place * F.col(FRAGMENTS) / F.col(SIZE)).cast("long")
    whole = located.where(F.col(SPAN) == 1).select(*names, FRAGMENT)
    return whole.unionByName(located.where(F.col(SPAN) > 1).select(*names, fragment.alias(FRAGMENT)))


def assign_subjects(frame: DataFrame, locator: Locator) -> tuple[DataFrame, Locator]:
    """Return the table with the fragment of each record, all records of a subject in one domain in the same fragment.

    A subject whose records lie in several cells goes with the first of them.
    """
    fields = [*frame.schema.fields, _whole(PART), _whole(CELL)]
    located = frame.mapInArrow(PartAssigner(locator), T.StructType(fields))
    together = Window.partitionBy(SUBJECT, PART)
    cells = locator.cuts.cells
    located = located.withColumn(CELL, F.min(CELL).over(together) + F.col(PART) * F.lit(cells))
    found = located.groupBy(CELL).agg(F.count(F.lit(1)).alias(COUNT)).toArrow()
    counts = np.zeros(locator.layout.parts * cells, dtype=np.int64)
    counts[found[CELL].to_numpy()] = found[COUNT].to_numpy()
    layout = locator.layout.counted(counts.reshape(-1, cells))
    known = np.sort(found[CELL].to_numpy())
    first, span, _ = layout.place(known // cells, known % cells)
    session = frame.sparkSession
    lookup = session.createDataFrame(
        pa.table({CELL: known, FRAGMENT: first, SPAN: span}), T.StructType([_whole(n) for n in (CELL, FRAGMENT, SPAN)])
    )
    placed = located.join(F.broadcast(lookup), CELL)
    fragment = F.col(FRAGMENT) + F.pmod(F.xxhash64(F.lit(0), F.col(SUBJECT)), F.col(SPAN))
    names = [F.col(quoted(field.name)) for field in frame.schema.fields]
    return placed.select(*names, fragment.alias(FRAGMENT)), replace(locator, layout=layout)


def has_borders(layout: Layout) -> bool:
    """Whether a cell reaches from one fragment into the next, so that its records must be counted off."""
    assert layout.cells is not None
    part, cell = np.nonzero(layout.cells)
    return bool((layout.place(part, cell)[1] > 1).any())


def _places(column: pa.ChunkedArray, values: pa.Array) -> NDArray[np.int64]:
    """Return the place of each cell among values, in which a missing one may be."""
    if pa.types.is_floating(column.type):
        column = pc.add(pc.if_else(pc.is_nan(column), None, column).cast(values.type), 0.0)
    found = pc.index_in(column, value_set=values)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def _whole(name: str) -> T.StructField:
    return T.StructField(name, T.LongType(), nullable=True)
