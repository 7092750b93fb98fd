"""Subjects of a Spark table: how many there are, what is constant of each, and where too few would be together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as F

from shoal.errors import DataError, GuaranteeError, counted, listed
from shoal.plan import Plan
from shoal.spark.fields import FRAGMENT, SUBJECT, aggregates, class_sizes, comparable, quoted, with_longitudes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class SubjectCounts:
    """How many subjects there are, and the quasi-identifiers that are the same in all records of each."""

    count: int
    constant: frozenset[str]


def count_subjects(frame: DataFrame, plan: Plan) -> SubjectCounts:
    """Count the subjects of a table that has their numbers.

    Raises DataError: there are fewer than k, or ``by`` parts a subject whose constant attributes must be masked once.
    """
    names = list(plan.masked_names())
    read = with_longitudes(plan, names)
    asked = [*read, *([] if plan.by is None or plan.by in read else [plan.by])]
    varies = []
    for i, name in enumerate(asked):
        column = comparable(frame.schema[name])
        gone = F.count(column) < F.count(F.lit(1)) if name == plan.by else F.expr("false")
        several = F.coalesce(F.min(column) != F.max(column), F.expr("false"))
        varies.append((several | (gone & (F.count(column) > 0))).alias(f"v{i}"))
    of_each = frame.groupBy(SUBJECT).agg(*varies)
    count, *several_of = aggregates(of_each, [F.count(F.lit(1)), *(F.max(f"v{i}") for i in range(len(asked)))])
    found = dict(zip(asked, several_of, strict=True))
    if count < plan.k:
        things = f"{counted(count, 'different subject')} ({plan.subject_column()})"
        raise DataError(f"k is {plan.k} but the table has only {things}: lower k or bring more data")
    constant = [name for name in names if not any(found[part] for part in with_longitudes(plan, [name]))]
    if constant and plan.by is not None and found[plan.by]:
        raise DataError(
            f"by = {plan.by!r} differs between records of one subject, in whose records {listed(constant)} "
            f"{'is' if len(constant) == 1 else 'are'} always the same and must be masked once: leave by out, or make "
            f"{plan.by!r} a quasi_identifier"
        )
    return SubjectCounts(count, frozenset(constant))


def require_domains(frame: DataFrame, plan: Plan, sizes: NDArray[np.int64] | None) -> None:
    """Refuse values of ``by`` with fewer than k records, or subjects where the plan names them."""
    if plan.by is None or sizes is None:
        return
    things = "records"
    if SUBJECT in frame.columns:
        sizes = class_sizes(frame, [plan.by]).toArrow()["subjects"].to_numpy()
        things = f"different subjects ({plan.subject_column()})"
    small = int((sizes < plan.k).sum())
    if small:
        raise GuaranteeError(
            f"by = {plan.by!r} has {small} of {len(sizes)} values with fewer than k = {plan.k} {things}, the fewest "
            f"{sizes.min()}: lower k, merge its values, or leave by out",
            reached=int(sizes.min()),
        )


def require_pseudonyms(released: DataFrame, plan: Plan) -> None:
    """Refuse two subjects with one pseudonym, which fragments by themselves would not see."""
    name = plan.pseudonym_column()
    if name is None:
        return
    pseudonyms, subjects = aggregates(released, [F.count_distinct(quoted(name)), F.count_distinct(SUBJECT)])
    if pseudonyms < subjects:
        raise DataError(
            f"two subjects of {name!r} have one pseudonym by this key, which is a rare accident: use another key"
        )


def subjects_of_fragments(assigned: DataFrame, fragments: int) -> NDArray[np.int64]:
    """Count the subjects of each fragment."""
    found = assigned.groupBy(FRAGMENT).agg(F.count_distinct(SUBJECT).alias("n")).collect()
    counts = np.zeros(fragments, dtype=np.int64)
    for row in found:
        counts[row[FRAGMENT]] = row.n
    return counts
