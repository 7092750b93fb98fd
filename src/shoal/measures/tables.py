"""Measures of two tables by a plan: frames in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.encode import Subjects, read_subjects, read_weights
from shoal.errors import DataError
from shoal.frames import Table, finest_unit
from shoal.kinds import Kind, Missing
from shoal.kinds.categories import Categorical
from shoal.kinds.column import Column, Spec
from shoal.kinds.direction import unit_vectors
from shoal.kinds.registry import read_column
from shoal.masking.inputs import read_subjects_of
from shoal.masking.recoding import coarsened
from shoal.measures.arrays import Observed
from shoal.measures.column_pair import ColumnPair, TreeCodes
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.definition import Scores
from shoal.measures.matching import MatchedTables
from shoal.measures.pair import Pair
from shoal.measures.registry import compute
from shoal.measures.whole_table import FullColumn, FullConfidential, FullTable
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.plan import require_plan
from shoal.progress import Progress, shown
from shoal.protect import released_classes
from shoal.recode import Recoded
from shoal.subsets import Known

Given = ParamSpec("Given")
T = TypeVar("T")
Rows = NDArray[np.int64] | None


def measure(
    original: Any,
    released: Any,
    plan: Plan,
    *,
    keys: Iterable[str] | None = None,
    key_column: str | None = None,
    rows: ArrayLike | None = None,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Scores:
    """Measure a release against the table it was made from.

    Parameters
    ----------
    original, released
        pandas, polars or pyarrow tables; the release may come from any tool: intervals are read by their middle, and
        stars are lost (`read_generalized`).
    plan
        Says which columns are quasi-identifiers and confidential attributes, and of what kind; nothing else of it
        counts.
    keys
        The measures wanted, such as ``["il_percent", "dld"]``; None for every one that the columns allow.
    key_column
        Match records by this column, which both tables have; by row order if None.
    rows
        The original position of each released row, where they were shuffled: `Release.rows`.
    subsets, sample, seed
        The quasi-identifiers that an intruder knows, as `Subsets.of` takes them: all of them if None.
    progress
        Called now and then by the measures that take long, with the work done and the work to do; True for a bar, False
        for none, None for a bar in notebooks and at a prompt.

    Returns
    -------
    Scores
        By key.

    Raises
    ------
    DataError
        The tables do not match in records, columns or kinds of columns, or the released rows are those of the original
        in another order and nothing says in which.
    PlanError
        There is no such measure, or an option makes no sense.

    Examples
    --------
    >>> import polars as pl
    >>> import shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = shoal.Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> scores = measure(frame, shoal.anonymize(frame, plan).data, plan, keys=["k_min", "il_percent"])
    >>> {key: round(score.value, 2) for key, score in scores.items()}
    {'k_min': 2.0, 'il_percent': 2.48}
    """
    require_plan(plan)
    matched = MatchedTables.read(original, released, plan, key_column=key_column, rows=rows)
    pair = pair_matched(matched)
    matched.require_known_order()
    with shown(progress, "measuring") as report:
        return compute(pair, keys, subsets=subsets, sample=sample, seed=seed, progress=report)


def pair_tables(
    original: Table, released: Table, plan: Plan, *, rows: ArrayLike | None = None, full: FullTable | None = None
) -> Pair:
    """Pair two tables by a plan, record by record in the original's order, as `pair_matched` does.

    With ``full``, what is known of the whole table, these are a part of it that was recoded before.
    """
    require_plan(plan)
    return pair_matched(MatchedTables(original, released, plan, rows=rows, is_part=full is not None), full)


def pair_matched(matched: MatchedTables, full: FullTable | None = None) -> Pair:
    """Pair the records that left, in the original's order; the released table has the confidential attributes too."""
    plan, released = matched.plan, matched.released
    of_columns, of_secrets = ({}, {}) if full is None else (full.columns, full.confidential)
    quasi, secret = plan.names(Role.QUASI_IDENTIFIER), plan.names(Role.CONFIDENTIAL)
    matched.require_columns(quasi, (*quasi, *secret))
    # What was recoded depends on all records, also on those that were dropped.
    recoding = replace(
        matched.recoding, before=matched.left(matched.recoding.before), table=matched.left(matched.recoding.table)
    )
    original, place = recoding.before, matched.places
    return Pair(
        tuple(
            paired_column(original, released, compared_by(plan, name), place, full=of_columns.get(name))
            for name in plan.masked_names()
        ),
        tuple(_confidential(released, compared_by(plan, name), place, of_secrets.get(name)) for name in secret),
        subjects=_numbers(read_subjects_of(original, plan)),
        recoded=recoded_pair(recoding, plan) if full is None and coarsened(plan) else None,
        weights=read_weights(recoding.table, plan.weights) if plan.weights in original.names else None,
        dropped=len(matched.original) - len(matched.origins),
    )


def released_pair(released: Table, plan: Plan) -> Pair:
    """Pair a released table with itself: whatever follows from it alone can be measured, and nothing else."""
    specs = [as_released(compared_by(plan, name)) for name in plan.masked_names()]
    return Pair(
        tuple(paired_column(released, released, spec, called="released") for spec in specs),
        tuple(_confidential(released, compared_by(plan, name), None, None) for name in plan.names(Role.CONFIDENTIAL)),
        labels=released_classes(released, plan.demand()),
        subjects=_numbers(released_subjects(released, plan)),
        weights=read_weights(released, plan.weights) if plan.weights in released.names else None,
    )


def released_subjects(released: Table, plan: Plan) -> Subjects | None:
    """Return whom each record of a released table is about, as far as it shows that."""
    name = plan.subject_column()
    return None if name is None or name not in released.names else read_subjects(released, name)


def recoded_pair(recoding: Recoded, plan: Plan) -> Pair:
    """Pair the table with itself after recoding: what is lost before records are grouped."""
    names = plan.masked_names()
    return Pair(tuple(paired_column(recoding.before, recoding.table, compared_by(plan, name), None) for name in names))


def compared_by(plan: Plan, name: str) -> Spec:
    """Return how a column is compared; a gap is no mistake here, whatever the plan says of gaps."""
    spec = plan.spec(name)
    return replace(spec, missing=Missing.CATEGORY if spec.kind.is_categorical else Missing.IMPUTE)


def _numbers(subjects: Subjects | None) -> NDArray[np.int32] | None:
    return None if subjects is None else subjects.numbers


def paired_column(
    original: Table,
    released: Table,
    spec: Spec,
    rows: Rows = None,
    *,
    called: str = "original",
    full: FullColumn | None = None,
) -> ColumnPair:
    """Pair a column of two tables; ``rows`` is the released row of each original one, ``called`` says whose it is."""
    before = of_table(called, read_column, original, spec)
    after = of_table("released", read_column, released, as_released(spec))
    if before.kind.is_directional:
        x, y = (unit_vectors(column.values, before.spec.period) for column in (before, after))
        cells = equivalence_classes([released.class_codes(name) for name in before.names])
    elif before.kind.is_continuous:
        # One origin for the dates of both sides, in the finer of their units, so that float64 holds the differences.
        unit = finest_unit(before.unit, after.unit) if full is None or full.unit is None else full.unit
        origin = before.origin_in(unit) if full is None else 0
        x, y = (column.counted_from(origin, unit if column.kind.is_date else None) for column in (before, after))
        # Cells are told apart as a reader tells them apart, also where two are the same double.
        cells = released.class_codes(spec.name)
    else:
        return _categorical_pair(before, after, rows, full)
    observed = Observed(x, before.missing), Observed(_taken(y, rows), _gaps(after, rows))
    return ColumnPair.measured(before.name, before.kind, *observed, cells=_taken(cells, rows), full=full)


def _categorical_pair(before: Column, after: Column, rows: Rows, full: FullColumn | None) -> ColumnPair:
    # The categories of the original; names that only the release has come after them, and a missing cell is a category.
    levels = before.levels
    if before.kind.is_ordinal and None in after.levels and None not in levels:
        levels = (None, *levels)
    categories = replace(Categorical.fit(before), levels=levels)
    x, y = categories.apply(before), _taken(of_table("released", categories.apply, after), rows)
    count = max(len(levels), int(x.max(initial=0)) + 1, int(y.max(initial=0)) + 1) if full is None else full.levels
    taxonomy = before.spec.taxonomy
    tree = None if taxonomy is None else TreeCodes.of(taxonomy, categories.joined(after.levels))
    return ColumnPair(before.name, before.kind, x, y, count, y, tree, full)


def _confidential(released: Table, spec: Spec, rows: Rows, full: FullConfidential | None) -> ConfidentialColumn:
    column = of_table("released", read_column, released, replace(spec, missing=Missing.IMPUTE))
    values = column.values if full is None else full.read(column)
    return ConfidentialColumn(spec.name, spec.kind, _taken(values, rows), _gaps(column, rows), full)


def as_released(spec: Spec) -> Spec:
    """Return how a column of a release is read, which any tool may have made.

    An order that the plan does not name is that of the original's type: a release may hold its categories as text.
    """
    lost_order = spec.kind.is_ordinal and spec.order is None
    return replace(spec, kind=Kind.NOMINAL if lost_order else spec.kind, generalized=True)


def of_table(side: str, work: Callable[Given, T], *given: Given.args, **options: Given.kwargs) -> T:
    """Do something with one of several tables; what is wrong with it is said of that table."""
    try:
        return work(*given, **options)
    except DataError as error:
        raise DataError(f"of the {side} table, {error}") from None


def _taken(values: NDArray[Any], rows: Rows) -> NDArray[Any]:
    return values if rows is None else values[rows]


def _gaps(column: Column, rows: Rows) -> NDArray[np.bool_] | None:
    return None if column.missing is None else _taken(column.missing, rows)
