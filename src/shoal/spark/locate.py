"""Locate: the fragment of every record, by its values alone, so that neither partitions nor retries decide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.window import Window

from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.plan import Plan
from shoal.spark.cuts import Cuts, Layout
from shoal.spark.exchange import Batches, in_batches, with_columns
from shoal.spark.fields import (
    FRAGMENT,
    SUBJECT,
    comparable,
    comparable_cells,
    content_key,
    long_field,
    own_fields,
    quoted,
    with_longitudes,
)
from shoal.spark.strata import Strata

PART, CELL, COUNT = "__shoal_part", "__shoal_cell", "__shoal_count"
SPAN, START, SIZE = "__shoal_span", "__shoal_start", "__shoal_size"
FIRST, FRAGMENTS = "__shoal_first", "__shoal_fragments"
BORDER = (FRAGMENT, SPAN, CELL, START, SIZE, FIRST, FRAGMENTS)


@dataclass(frozen=True, eq=False)
class Locator:
    """Tells where records lie: in cells of a space, strata of a confidential attribute, values of ``by``."""

    plan: Plan
    encoder: Encoder
    cuts: Cuts
    layout: Layout
    strata: Strata | None = None
    domains: pa.Array | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that say where a record lies."""
        strata = [] if self.strata is None else [self.strata.name]
        domains = [] if self.plan.by is None else [self.plan.by]
        return list(dict.fromkeys((*with_longitudes(self.plan, self.plan.masked_names()), *strata, *domains)))

    def place(self, table: pa.Table) -> Place:
        """Return where each record lies."""
        part = strata = np.zeros(table.num_rows, dtype=np.int64)
        if self.strata is not None:
            part = strata = self.strata.locate(table[self.strata.name])
        if self.domains is not None:  # a missing one may be among them
            domain = pc.index_in(comparable_cells(table[self.plan.by]), value_set=self.domains)
            part = strata + self.layout.strata * domain.to_numpy(zero_copy_only=False).astype(np.int64)
        frame = Table.of(table)
        points = self.encoder.apply([read_column(frame, self.plan.spec(name)) for name in self.plan.masked_names()])
        return Place(part, self.cuts.locate(points, strata))

    def count_records(self, table: pa.Table) -> pa.Table:
        """Return how many of some records lie in each cell of each part."""
        place = self.place(table)
        cells, counts = np.unique(place.part * self.cuts.cells + place.cell, return_counts=True)
        return pa.table({CELL: cells, COUNT: counts})

    def add_place(self, table: pa.Table) -> pa.Table:
        """Add to each record the part and the cell that it lies in."""
        place = self.place(table)
        return table.append_column(PART, pa.array(place.part)).append_column(CELL, pa.array(place.cell))

    def add_fragment(self, table: pa.Table) -> pa.Table:
        """Add to each record its fragment, where no cell reaches into two."""
        place = self.place(table)
        return table.append_column(FRAGMENT, pa.array(self.layout.place(place.part, place.cell).first))

    def add_border(self, table: pa.Table) -> pa.Table:
        """Add to each record the columns of `BORDER`: its fragment, or the cell in which counting decides it."""
        layout, place = self.layout, self.place(table)
        reach = layout.place(place.part, place.cell)
        domain = place.part // layout.strata
        counts = (layout.sizes[place.part], layout.first[domain], layout.fragments[domain])
        added = (reach.first, reach.span, place.part * self.cuts.cells + place.cell, reach.start, *counts)
        for name, values in zip(BORDER, added, strict=True):
            table = table.append_column(name, pa.array(values))
        return table

    def counted(self, cells: pa.Table) -> Locator:
        """Return the locator whose layout knows how many records each cell of each part has."""
        counts = np.zeros((self.layout.parts, self.cuts.cells), dtype=np.int64)
        counts.flat[cells[CELL].to_numpy()] = cells[COUNT].to_numpy()
        return replace(self, layout=replace(self.layout, cells=counts))


@dataclass(frozen=True, eq=False)
class Place:
    """The part of each record, a stratum of a domain, and its cell."""

    part: NDArray[np.int64]
    cell: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Assignment:
    """A table with the fragment of each record, or with what adds it."""

    table: DataFrame  # with the column of fragments, where nothing adds it
    fragments: int  # how many there are
    # by which records were assigned; None where there is one fragment, or where they were assigned by their groups
    locator: Locator | None = None
    before: Batches | None = None  # adds the column of fragments to batches of the table


def count_cells(frame: DataFrame, locator: Locator) -> Locator:
    """Count the records of every cell, and return the locator with its layout complete."""
    schema = T.StructType([long_field(CELL), long_field(COUNT)])
    located = frame.select(*map(quoted, locator.columns)).mapInArrow(in_batches(locator.count_records), schema)
    return locator.counted(located.groupBy(CELL).agg(F.sum(COUNT).alias(COUNT)).toArrow())


def assign(frame: DataFrame, locator: Locator, seed: int) -> DataFrame:
    """Return the table with the fragment of each record.

    A record of a cell that reaches into several fragments goes by its place in the cell, in the order of hashes of
    whole records and then of their values. Equal records are interchangeable, so that the table of a fragment is the
    same whoever sorts.
    """
    if not locator.layout.has_borders:
        return with_columns(frame, locator.add_fragment, FRAGMENT)
    located = with_columns(frame, locator.add_border, *BORDER)
    names = [*map(quoted, frame.columns)]
    order = [content_key(frame, seed), *(comparable(field) for field in own_fields(frame))]
    place = F.col(START) + F.row_number().over(Window.partitionBy(CELL).orderBy(*order)) - 1
    fragment = F.col(FIRST) + F.floor(place * F.col(FRAGMENTS) / F.col(SIZE)).cast("long")
    whole = located.where(F.col(SPAN) == 1).select(*names, FRAGMENT)
    return whole.unionByName(located.where(F.col(SPAN) > 1).select(*names, fragment.alias(FRAGMENT)))


def assign_subjects(frame: DataFrame, locator: Locator) -> Assignment:
    """Return the table with the fragment of each record, all records of a subject in one domain in the same fragment.

    A subject whose records lie in several cells goes with the first of them.
    """
    together = Window.partitionBy(SUBJECT, PART)
    cells = locator.cuts.cells
    located = with_columns(frame, locator.add_place, PART, CELL)
    located = located.withColumn(CELL, F.min(CELL).over(together) + F.col(PART) * F.lit(cells))
    counts = located.groupBy(CELL).agg(F.count(F.lit(1)).alias(COUNT)).toArrow()
    locator = locator.counted(counts)
    filled = np.sort(counts[CELL].to_numpy())
    reach = locator.layout.place(filled // cells, filled % cells)
    lookup = frame.sparkSession.createDataFrame(
        pa.table({CELL: filled, FRAGMENT: reach.first, SPAN: reach.span}),
        T.StructType([*map(long_field, (CELL, FRAGMENT, SPAN))]),
    )
    placed = located.join(F.broadcast(lookup), CELL)
    fragment = F.col(FRAGMENT) + F.pmod(F.xxhash64(F.lit(0), F.col(SUBJECT)), F.col(SPAN))
    placed = placed.select(*map(quoted, frame.columns), fragment.alias(FRAGMENT))
    return Assignment(placed, locator.layout.count, locator)
