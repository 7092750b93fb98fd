"""Giveaways of a Spark table: what can be counted is counted on all records, the rest is looked for in a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from shoal.errors import listed
from shoal.files import formula_columns
from shoal.files.csv.formulas import is_formula
from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey
from shoal.giveaways.attachments import nested_columns
from shoal.giveaways.dependencies import nearly_constant
from shoal.giveaways.rare_values import confidential_categories, of_combinations, of_confidential_name, of_single_values
from shoal.giveaways.relations import determined_columns
from shoal.giveaways.release_giveaways import of_row_counts, one_group
from shoal.giveaways.spellings import category_spellings, subject_spellings
from shoal.masking.inputs import read_subjects_of
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.spark.fields import SUBJECT, aggregates, class_key, class_sizes, content_key, drawn, own_fields, quoted
from shoal.spark.judge import Verdict

SAMPLED_RECORDS = 1 << 14
"""Records by which columns are compared, about."""
_LOOKED_AT = (determined_columns, category_spellings, subject_spellings, nearly_constant)
"""What looks at records beside each other, and so at a sample."""


def find_in_table(table: DataFrame, plan: Plan, records: int) -> tuple[Giveaway, ...]:
    """Return what a table would give away by its plan; no value of a record.

    It has the subject of each record, where the plan says whom it is about.
    """
    if not plan.names(Role.OTHER) and not plan.names(Role.CONFIDENTIAL):
        return ()  # nothing leaves as it is
    survey = _survey(table, plan, records)
    said = f" (seen in a seeded sample of {len(survey):,} of {records:,} records)" if len(survey) < records else ""
    return (
        *(replace(each, records=records) for each in nested_columns(survey)),
        *_counted(table, survey, records),
        *(replace(each, sentence=each.sentence + said) for look in _LOOKED_AT for each in look(survey)),
    )


def _survey(table: DataFrame, plan: Plan, records: int) -> Survey:
    """Return a sample of whole subjects."""
    who = F.col(SUBJECT) if SUBJECT in table.columns else content_key(table, plan.seed)
    table = drawn(table, F.xxhash64(F.lit(plan.seed), who), records, SAMPLED_RECORDS)
    names = [field.name for field in own_fields(table) if field.name != SUBJECT]
    sample = Table.of(table.select(*map(quoted, names)).toArrow())
    return Survey(sample, plan, subjects=read_subjects_of(sample, plan))


def _counted(table: DataFrame, survey: Survey, records: int) -> Iterator[Giveaway]:
    """Find values and combinations of them that belong to one subject."""
    plain = [name for name in survey.others if isinstance(table.schema[name].dataType, T.AtomicType)]
    alone = {name: _count_alone(table, [name]) for name in plain}
    single = {name: counts.single for name, counts in alone.items() if counts.single}
    if single:
        yield of_single_values(survey, single, max(alone[name].records for name in single))
    levels = {name: counts.values for name, counts in alone.items() if counts.values > 1 and not counts.single}
    yield from of_combinations(survey, levels, lambda names: _count_alone(table, names).records, records)
    for name in confidential_categories(survey):
        counts = _count_alone(table, [name])
        if counts.values > 1 and counts.values == counts.single:
            yield of_confidential_name(survey, name, records)


class _Alone(NamedTuple):
    """How many combinations of values there are, how many belong to one subject, and their records."""

    values: int
    single: int
    records: int


def _count_alone(table: DataFrame, names: Sequence[str]) -> _Alone:
    single = F.col("subjects") == 1
    asked = [F.count(F.lit(1)), F.sum(single.cast("long")), F.sum(F.when(single, F.col("records")))]
    return _Alone(*(int(count or 0) for count in aggregates(class_sizes(table, names), asked)))


def formula_cells_of(frame: DataFrame, plan: Plan, records: int) -> tuple[Giveaway, ...]:
    """Return which columns would leave in CSV files with cells that a spreadsheet takes for formulas."""
    identifiers = plan.names(Role.IDENTIFIER)
    leaving = [field for field in frame.schema.fields if field.name not in identifiers]
    texts = [field.name for field in leaving if isinstance(field.dataType, T.StringType)]
    names = {field.name for field in leaving if is_formula(field.name)}
    if texts:
        cells = frame.select(*map(quoted, texts)).mapInArrow(_formula_columns_of, "name string").distinct()
        names.update(row[0] for row in cells.collect())
    if not names:
        return ()
    columns = tuple(field.name for field in leaving if field.name in names)
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
    """Return what only a release shows."""
    giveaways: list[Giveaway] = []
    if verdict.classes == 1:
        labels = np.zeros(verdict.records, dtype=np.int64)
        group = one_group(Survey(Table.of(settled.limit(0).toArrow()), plan, labels=labels))
        giveaways += (replace(each, records=verdict.records) for each in group)
    name = plan.pseudonym_column()
    if name is not None:
        look = F.min(class_key(settled, plan)).alias("look")
        of_each = settled.groupBy(quoted(name)).agg(look, F.count(F.lit(1)).alias("rows"))
        alike = of_each.groupBy("look", "rows").agg(F.count(F.lit(1)).alias("n"))
        few = F.col("n") < F.lit(plan.k)
        asked = [F.sum(F.when(few, F.col("n"))), F.sum("n"), F.sum(F.when(few, F.col("n") * F.col("rows")))]
        alone, subjects, rows = aggregates(alike, asked)
        if alone:
            giveaways.append(of_row_counts(plan, name, int(alone), int(subjects), int(rows)))
    return tuple(giveaways)
