"""Subjects of a Spark table: how many there are, what is constant of each, and where too few would be together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from shoal.encode import read_subjects, subject_texts
from shoal.errors import counted
from shoal.frames import Table
from shoal.masking.inputs import require_at_least_k, require_whole_subjects
from shoal.masking.pseudonyms import one_pseudonym_of_two
from shoal.plan import Plan
from shoal.protect.k_anonymity import require_domain_sizes
from shoal.spark.exchange import with_columns
from shoal.spark.fields import FRAGMENT, SUBJECT, aggregates, class_sizes, comparable, quoted, with_longitudes


@dataclass(frozen=True)
class SubjectCounts:
    """The subjects of a table."""

    column: str | None  # which says whom a record is about
    count: int  # how many there are
    constant: frozenset[str]  # the quasi-identifiers that are the same in all records of each


def count_subjects(frame: DataFrame, plan: Plan) -> SubjectCounts:
    """Count the subjects of a table that has their numbers.

    Raises DataError: there are fewer than k, or ``by`` parts a subject whose constant attributes must be masked once.
    """
    names = plan.masked_names()
    varying = find_varying(frame, [*with_longitudes(plan, names), *([] if plan.by is None else [plan.by])], plan.by)
    things = f"{counted(varying.subjects, 'different subject')} ({plan.subject_column()})"
    require_at_least_k(varying.subjects, things, plan)
    constant = [name for name in names if varying.names.isdisjoint(plan.spec(name).names)]
    require_whole_subjects(plan, constant, varies=plan.by in varying.names)
    return SubjectCounts(plan.subject_column(), varying.subjects, frozenset(constant))


class Varying(NamedTuple):
    """How many subjects there are, and the columns of which one of them has several values."""

    subjects: int
    names: frozenset[str]


def find_varying(frame: DataFrame, names: Iterable[str], by: str | None = None) -> Varying:
    """Compare the values of each subject; a missing one is another value in the column ``by`` alone."""
    varies: dict[str, Column] = {}
    for name in dict.fromkeys(names):
        column = comparable(frame.schema[name])
        several = F.coalesce(F.min(column) != F.max(column), F.expr("false"))
        if name == by:
            several |= (F.count(column) < F.count(F.lit(1))) & (F.count(column) > 0)
        varies[name] = several.alias(f"v{len(varies)}")
    of_each = frame.groupBy(SUBJECT).agg(*varies.values())
    count, *found = aggregates(of_each, [F.count(F.lit(1)), *(F.max(f"v{i}") for i in range(len(varies)))])
    return Varying(count, frozenset(name for name, several in zip(varies, found, strict=True) if several))


def with_subjects(frame: DataFrame, plan: Plan) -> DataFrame:
    """Return a table with the subject of each record as a number, where the plan says whom a record is about.

    Raises DataError: when it is computed: a record has no subject.
    """
    name = plan.subject_column()
    if name is None:
        return frame

    def add_subjects(table: pa.Table) -> pa.Table:
        records = Table.of(table)
        texts = (text.encode("utf-8", "surrogatepass") for text in subject_texts(records, name))
        keys = [int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True) for text in texts]
        numbers = read_subjects(records, name).numbers
        return table.append_column(SUBJECT, pa.array(np.array(keys, dtype=np.int64)[numbers]))

    return with_columns(frame, add_subjects, SUBJECT)


def require_domains(frame: DataFrame, plan: Plan, sizes: NDArray[np.int64]) -> None:
    """Refuse values of ``by`` with fewer than k records, or subjects where the plan names them."""
    if plan.by is not None and SUBJECT in frame.columns:
        sizes = class_sizes(frame, [plan.by]).toArrow()["subjects"].to_numpy()
    require_domain_sizes(plan.demand(), sizes, plan.subject_column())


def require_pseudonyms(released: DataFrame, plan: Plan) -> None:
    """Refuse two subjects with one pseudonym, which fragments by themselves would not see."""
    name = plan.pseudonym_column()
    if name is None:
        return
    pseudonyms, subjects = aggregates(released, [F.count_distinct(quoted(name)), F.count_distinct(SUBJECT)])
    if pseudonyms < subjects:
        raise one_pseudonym_of_two(name)


def subjects_of_fragments(assigned: DataFrame, fragments: int) -> NDArray[np.int64]:
    """Count the subjects of each fragment."""
    rows = assigned.groupBy(FRAGMENT).agg(F.count_distinct(SUBJECT).alias("n")).toArrow()
    counts = np.zeros(fragments, dtype=np.int64)
    counts[rows[FRAGMENT].to_numpy()] = rows["n"].to_numpy()
    return counts
