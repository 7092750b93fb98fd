"""Giveaways of a Spark table: what can be counted is counted on all records, the rest is looked for in a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.errors import listed
from shoal.files import formula_columns
from shoal.files.csv.formulas import is_formula
from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey
from shoal.giveaways.attachments import nested_columns
from shoal.giveaways.constancy import nearly_constant
from shoal.giveaways.rare_values import confidential_categories, of_combinations, of_confidential_name, of_single_values
from shoal.giveaways.relations import determined_columns
from shoal.giveaways.release_giveaways import of_row_counts, one_group
from shoal.giveaways.spellings import category_spellings, subject_spellings
from shoal.masking.inputs import read_subjects_of
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.spark.fields import SUBJECT, comparable, content_key, own_fields, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.spark.judge import Verdict

SAMPLED_RECORDS = 1 << 14
"""Records by which columns are compared, about."""
_PARTS = 1 << 30
_LOOKED_AT = (determined_columns, category_spellings, subject_spellings, nearly_constant)
"""What looks at records beside each other, and so at a sample."""


@dataclass(frozen=True, eq=False)
class GiveawaySearch:
    """Looks for giveaways in a table of Spark.

    Parameters
    ----------
    table
        As it is grouped, with the subject of each record where the plan says whom it is about.
    plan
        What is asked.
    records
        How many there are.
    """

    table: DataFrame
    plan: Plan
    records: int

    def __call__(self) -> tuple[Giveaway, ...]:
        """Return what the table would give away by its plan; no value of a record."""
        if not self.plan.names(Role.OTHER) and not self.plan.names(Role.CONFIDENTIAL):
            return ()  # nothing leaves as it is
        survey = self._survey()
        of_whole = (replace(each, records=self.records) for each in nested_columns(survey))
        alone = {
            name: self._alone([name])
            for name in survey.others
            if isinstance(self.table.schema[name].dataType, T.AtomicType)
        }
        found = (*of_whole, *_single(survey, alone), *self._combined(survey, alone), *self._names(survey))
        return (*found, *(self._with_size_of_sample(each, survey) for look in _LOOKED_AT for each in look(survey)))

    def _survey(self) -> Survey:
        """Return a sample of whole subjects."""
        table = self.table
        who = F.col(SUBJECT) if SUBJECT in table.columns else content_key(table, self.plan.seed)
        if self.records > SAMPLED_RECORDS:
            share = int(_PARTS * SAMPLED_RECORDS / self.records)
            table = table.where(F.pmod(F.xxhash64(F.lit(self.plan.seed), who), F.lit(_PARTS)) < F.lit(share))
        names = [field.name for field in own_fields(table) if field.name != SUBJECT]
        sample = Table.of(table.select(*map(quoted, names)).toArrow())
        return Survey(sample, self.plan, subjects=read_subjects_of(sample, self.plan))

    def _with_size_of_sample(self, giveaway: Giveaway, survey: Survey) -> Giveaway:
        if len(survey) >= self.records:
            return giveaway
        text = f"{giveaway.sentence} (seen in a seeded sample of {len(survey):,} of {self.records:,} records)"
        return replace(giveaway, sentence=text)

    def _alone(self, names: Sequence[str]) -> tuple[int, int, int]:
        """Return how many combinations of values there are, how many belong to one subject, and their records."""
        keys = [comparable(self.table.schema[name]).alias(f"k{i}") for i, name in enumerate(names)]
        of = F.count_distinct(SUBJECT) if SUBJECT in self.table.columns else F.count(F.lit(1))
        sizes = self.table.groupBy(*keys).agg(of.alias("subjects"), F.count(F.lit(1)).alias("records"))
        single = F.col("subjects") == 1
        row = sizes.agg(
            F.count(F.lit(1)),
            F.sum(single.cast("long")),
            F.sum(F.when(single, F.col("records")).otherwise(F.lit(0))),
        ).first()
        assert row is not None
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)

    def _combined(self, survey: Survey, alone: Mapping[str, tuple[int, int, int]]) -> Iterator[Giveaway]:
        levels = {name: values for name, (values, single, _) in alone.items() if values > 1 and not single}
        yield from of_combinations(survey, levels, lambda names: self._alone(names)[2], self.records)

    def _names(self, survey: Survey) -> Iterator[Giveaway]:
        for name in confidential_categories(survey):
            values, single, _ = self._alone([name])
            if values > 1 and values == single:
                yield of_confidential_name(survey, name, self.records)


def _single(survey: Survey, alone: Mapping[str, tuple[int, int, int]]) -> Iterator[Giveaway]:
    single = {name: values for name, (_, values, _) in alone.items() if values}
    if single:
        yield of_single_values(survey, single, max(alone[name][2] for name in single))


def formula_cells_of(frame: DataFrame, plan: Plan, records: int) -> tuple[Giveaway, ...]:
    """Return which columns would leave in CSV files with cells that a spreadsheet takes for formulas."""
    identifiers = plan.names(Role.IDENTIFIER)
    leaving = [field for field in frame.schema.fields if field.name not in identifiers]
    texts = [field.name for field in leaving if isinstance(field.dataType, T.StringType)]
    found = {field.name for field in leaving if is_formula(field.name)}
    if texts:
        seen = frame.select(*map(quoted, texts)).mapInArrow(_formula_columns_of, "name string").distinct()
        found.update(row[0] for row in seen.collect())
    if not found:
        return ()
    columns = tuple(field.name for field in leaving if field.name in found)
    verb = "has" if len(columns) == 1 else "have"
    sentence = (
        f"{listed(columns)} {verb} cells that begin as formulas do (= + - @), and a spreadsheet that opens the files "
        "would run them: write another format, or open the files as text"
    )
    return (Giveaway("formulas", sentence, columns, records),)


def _formula_columns_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return the names of the columns that have such cells, in some records."""
    for batch in batches:
        columns = formula_columns(pl.DataFrame(pa.Table.from_batches([batch])))
        yield pa.record_batch({"name": pa.array(columns, pa.string())})


def find_in_release_of(settled: DataFrame, plan: Plan, verdict: Verdict) -> tuple[Giveaway, ...]:
    """Return what only a release shows.

    Parameters
    ----------
    settled
        The masked table with the subject of each record, where the plan says whom it is about.
    plan
        What is asked.
    verdict
        What was found of its classes.
    """
    found: list[Giveaway] = []
    if verdict.classes == 1:
        labels = np.zeros(verdict.records, dtype=np.int64)
        found += one_group(Survey(Table.of(settled.limit(0).toArrow()), plan, labels=labels))
        found = [replace(each, records=verdict.records) for each in found]
    name = plan.pseudonym_column()
    if name is not None:
        known = [*plan.demand().quasi_identifiers, *([plan.by] if plan.by else [])]
        look = F.xxhash64(*(comparable(settled.schema[each]) for each in known))
        of_each = settled.groupBy(quoted(name)).agg(F.min(look).alias("look"), F.count(F.lit(1)).alias("rows"))
        alike = of_each.groupBy("look", "rows").agg(F.count(F.lit(1)).alias("n"))
        few = F.col("n") < F.lit(plan.k)
        row = alike.agg(
            F.sum(F.when(few, F.col("n")).otherwise(F.lit(0))),
            F.sum("n"),
            F.sum(F.when(few, F.col("n") * F.col("rows")).otherwise(F.lit(0))),
        ).first()
        assert row is not None
        if row[0]:
            found.append(of_row_counts(plan, name, *map(int, row)))
    return tuple(found)
