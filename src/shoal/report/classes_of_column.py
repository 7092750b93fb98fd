"""A released column as its reader sees it: classes with a mean and a size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.kinds import Kind, Operator, Scale
from shoal.kinds.column import Column
from shoal.kinds.operators import group_mean
from shoal.moments import moments, safely_scaled
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.report.absorption import ANY, Absorption, Steps, safe_bounds, squares
from shoal.report.numbers import as_numbers

LOSSES = (1, 2, 5, 10, 20, 50)
"""Percents of its variance between which the loss of a column is told."""

FEWEST_VALUES = 10
"""Released values of a column that has a say of its own in who is grouped with whom."""

FOLLOWS = 0.9
"""Correlation of class means from which on a column has no say of its own beside another."""

LIGHT = 0.1
"""What a column must add to squared distances to have a say beside another, as a share of what that one adds."""


@dataclass(frozen=True, eq=False)
class ClassesOfColumn:
    """The classes of a column in which a mean stands for each of them.

    Parameters
    ----------
    means, sizes
        The released value of each class, and its records.
    steps
        In which steps the column counts, as far as these show it.
    amounts
        It counts from 0.
    """

    means: NDArray[np.float64]
    sizes: NDArray[np.int64]
    steps: Steps = ANY
    amounts: bool = False

    @classmethod
    def of(
        cls,
        original: NDArray[np.float64],
        released: NDArray[np.float64],
        labels: NDArray[np.int64],
        *,
        rounded: bool = False,
        amounts: bool = False,
    ) -> ClassesOfColumn | None:
        """Bring the released values of a column together by the class of each record; None if they are no means.

        A release of another tool may have other values, and so has one in which each subject counted once.
        """
        sizes = np.bincount(labels)
        means = np.empty(len(sizes))
        means[labels] = released
        steps = Steps.of(means, sizes, rounded=rounded)
        slack = steps.half + 1e-9 * float(np.abs(original).max())
        if not (np.abs(group_mean(original, labels, len(sizes)) - means) <= slack).all():
            return None
        return cls(means, sizes, steps, amounts)

    def left_open(self, look: Callable[[NDArray[np.float64], NDArray[np.int64], Steps], Absorption]) -> Absorption:
        """Return what means and sizes leave open of a sum."""
        return look(self.means, self.sizes, self.steps)

    def variance_lost(self, original: NDArray[np.float64], released: NDArray[np.float64]) -> tuple[int, int] | None:
        """Return between which percents the lost share of the variance lies, as far as it may be told.

        Notes
        -----
        The squares around the means (lost) and those of the means (kept) add up to those of the original column, and
        everybody knows what is kept. To tell the share that is lost is to tell the squares around the means.
        """
        original, released, means, steps = safely_scaled(original, released, self.means, np.array(self.steps))
        kept = float(((released - released.mean()) ** 2).sum())
        lost = float(((original - released) ** 2).sum())
        if kept == 0:
            return None
        bounds = {kept * percent / (100 - percent): percent for percent in LOSSES}
        between = safe_bounds(lost, bounds, squares(means, self.sizes, Steps(*steps.tolist()), amounts=self.amounts))
        return None if between is None else (bounds.get(between[0], 0), bounds.get(between[1], 100))


def masked_together(plan: Plan) -> bool:
    """Whether the classes that a reader sees are those that a value of every column was found for, and no more."""
    method = METHODS.named(plan.method)
    together = plan.blocks is None and method.attributes == "together" and not method.borders
    return together and plan.release is ReleaseMode.AGGREGATE


def counted_by_record(plan: Plan, released: Table) -> bool:
    """Whether each record of a class has a value of its own, as far as a reader of the release knows.

    Notes
    -----
    Records of one subject may have the same value, and then they move together: in a class of five subjects with four
    records each, the number of records from an edge on is one of six, and not of twenty-one. What is the same in all
    records of a subject is masked once for a group of subjects, whose records may stand in several classes by what
    varies; and where a run remembers its subjects, each counts once in the mean of its class. Which columns are so, and
    how the table was released, a release does not say, and neither does the plan. Whose records are whose is known to
    readers from pseudonyms, and perhaps from elsewhere: that everybody was asked four times. Only where pseudonyms show
    that nobody has several records none of this can be.
    """
    if plan.subject_column() is None:
        return True
    pseudonym = plan.pseudonym_column()
    if pseudonym is None or pseudonym not in released.names:
        return False
    return len(np.unique(released.class_codes(pseudonym))) == len(released)


def open_columns(columns: Sequence[Column], labels: NDArray[np.int64], plan: Plan) -> tuple[str, ...]:
    """Return the released columns of which readers know no more than what each class left with, and its records.

    Parameters
    ----------
    columns
        The columns of the release that were masked.
    labels
        The class of each record.
    plan
        What was asked.

    Notes
    -----
    A column that is grouped by itself has classes that lie between their neighbours: far less of them is left open than
    by means and sizes, and nothing can be told of the original column. It is as good as by itself where all other
    quasi-identifiers have a few values only, follow it, or weigh so little beside it that they decide nothing. Groups
    that end at borders, of cells or along a line, leave less open, too. Where a cell may be missing, what is told must
    not depend on it: a class that left without a category had none, and one that left with its mode may have had fewer
    of it than gaps.
    """
    if not masked_together(plan) or not columns:
        return ()
    spread = _spread_by_others(columns, labels)
    return tuple(
        column.name
        for column, free in zip(columns, spread, strict=True)
        if free and not plan.spec(column.name).missing.admits and not _has_gaps(column)
    )


def averaged_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns in which the mean of its originals stands for a class, or that mean rounded.

    Notes
    -----
    A weighted mean, a median, a stretched or mixed value leaves other things open; so does the mean of a direction. Of
    a column that was recoded, originals are not those that means were made of: one that was cut off may lie as far out
    as it likes, and no class bounds it. A total has ends by those of its parts, and they by its own: a class in a
    corner of all of them leaves nothing open.
    """
    if plan.preserve_variance or plan.weights:
        return ()
    averaged = [name for name in plan.averaged_names() if not plan.spec(name).kind.is_directional]
    bound = {name for total in plan.totals for name in (total.total, *total.parts)}
    return tuple(name for name in averaged if name not in {*plan.recoded_names(), *bound})


def classes_by_column(
    columns: Sequence[tuple[Column, Column]], labels: NDArray[np.int64], plan: Plan
) -> dict[str, ClassesOfColumn]:
    """Return the classes of the columns that means stand in, of some that readers know no more of.

    Parameters
    ----------
    columns
        Columns in the original and in the released table.
    labels
        The class of each record.
    plan
        What was asked.

    Returns
    -------
    By name; without the columns of whose classes other things are known than `absorption` reckons with.
    """
    averaged = averaged_columns(plan)
    found = {
        after.name: ClassesOfColumn.of(
            as_numbers(before),
            as_numbers(after),
            labels,
            rounded=after.kind.is_date or plan.spec(after.name).round,
            amounts=after.kind is Kind.NUMERIC,
        )
        for before, after in columns
        if after.name in averaged and not _has_gaps(before)
    }
    return {name: classes for name, classes in found.items() if classes is not None}


def operators_by_column(plan: Plan) -> dict[str, Operator]:
    """Return what stands for a class in each column of categories that was masked."""
    names = [name for name in plan.names(Role.QUASI_IDENTIFIER) if not plan.spec(name).kind.is_continuous]
    return {name: plan.attributes[name].operator for name in names}


def _spread_by_others(columns: Sequence[Column], labels: NDArray[np.int64]) -> list[bool]:
    """Tell of each column whether another one keeps its classes from being neighbours in it."""
    sizes = np.bincount(labels)
    means = [np.bincount(labels, column.values.astype(np.float64)) / sizes for column in columns]
    varied = np.array([len(np.unique(values)) >= FEWEST_VALUES for values in means])
    nominal = np.array([column.kind.is_nominal for column in columns])
    apart = nominal[None, :] | (np.abs(moments([safely_scaled(values)[0] for values in means]).correlation) < FOLLOWS)
    np.fill_diagonal(apart, val=False)
    adds = np.array([_squared_distance(column) for column in columns])
    with np.errstate(over="ignore"):
        heavy = adds[None, :] >= LIGHT * adds[:, None]
    found: list[bool] = (apart & heavy & varied[None, :]).any(axis=1).tolist()
    return found


def _squared_distance(column: Column) -> float:
    """Return what a column adds to the squared distance of two records on average, about, as its release shows it."""
    spec, values = column.spec, column.observed.astype(np.float64)
    if not len(values):
        return 0.0
    if column.kind.is_nominal:
        shares = np.bincount(column.observed) / len(values)
        return spec.weight * float(1 - (shares**2).sum())
    if column.kind.is_ordinal:
        return spec.weight * 2 * float((values / len(column.levels)).var())
    reach = float(values.max() - values.min())
    if reach == 0:
        return 0.0
    units = {Scale.ZSCORE: 2.0, Scale.MINMAX: 2 * float((values / reach).var())}
    with np.errstate(over="ignore"):
        return spec.weight * (units[spec.scale] if spec.scale in units else 2 * float(values.var()))


def _has_gaps(column: Column) -> bool:
    return column.missing is not None and bool(column.missing.any())
