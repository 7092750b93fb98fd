"""A released column as its reader sees it: classes with a mean and a size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.encode import Column
from shoal.kinds import DIRECTIONAL, Kind
from shoal.moments import moments, safely_scaled
from shoal.partition import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.report.absorption import Absorption, safe_bounds, squares
from shoal.report.numbers import as_numbers
from shoal.run.recoded import recoded_columns

LOSSES = (1, 2, 5, 10, 20, 50)
"""Percents of its variance between which the loss of a column is told."""

FEWEST_VALUES = 10
"""Released values of a column that has a say of its own in who is grouped with whom."""

FOLLOWS = 0.9
"""Correlation of class means from which on a column has no say of its own beside another."""


@dataclass(frozen=True, eq=False)
class ClassesOfColumn:
    """The classes of a column in which a mean stands for each of them.

    Parameters
    ----------
    means, sizes
        The released value of each class, and its records.
    together
        Whether a mean may be that of several classes.
    """

    means: NDArray[np.float64]
    sizes: NDArray[np.int64]
    together: bool = False

    @classmethod
    def of(cls, released: NDArray[np.float64], labels: NDArray[np.int64], *, together: bool = False) -> ClassesOfColumn:
        """Bring the released values of a column together by the class of each record."""
        sizes = np.bincount(labels)
        means = np.empty(len(sizes))
        means[labels] = released
        return cls(means, sizes, together)

    def left_open(self, look: Callable[[NDArray[np.float64], NDArray[np.int64]], Absorption]) -> Absorption:
        """Return what means and sizes leave open of a sum, whichever classes of one mean were averaged together."""
        found = look(self.means, self.sizes)
        if not self.together:
            return found
        means, whole = np.unique(self.means, return_inverse=True)
        sizes = np.bincount(whole, self.sizes).astype(np.int64)
        return replace(found, widest=max(found.widest, look(means, sizes).widest))

    def variance_lost(self, original: NDArray[np.float64], released: NDArray[np.float64]) -> tuple[int, int] | None:
        """Return between which percents the lost share of the variance lies, as far as it may be told.

        Notes
        -----
        The squares around the means (lost) and those of the means (kept) add up to those of the original column, and
        everybody knows what is kept. To tell the share that is lost is to tell the squares around the means.
        """
        original, released, means = safely_scaled(original, released, self.means)
        kept = float(((released - released.mean()) ** 2).sum())
        lost = float(((original - released) ** 2).sum())
        if kept == 0:
            return None
        bounds = {kept * percent / (100 - percent): percent for percent in LOSSES}
        between = safe_bounds(lost, bounds, replace(self, means=means).left_open(squares))
        return None if between is None else (bounds.get(between[0], 0), bounds.get(between[1], 100))


def masked_together(plan: Plan) -> bool:
    """Whether the classes that a reader sees are those that a value of every column was found for."""
    together = plan.blocks is None and METHODS.named(plan.method).attributes == "together"
    return together and plan.release is ReleaseMode.AGGREGATE


def averaged_together(plan: Plan) -> bool:
    """Whether a value may have been found for several of the classes that a reader sees.

    What is the same in all records of a subject is masked once for a group of subjects, whose records may stand in
    several classes by what varies. Which columns are so, only the original says.
    """
    return plan.subject_column() is not None and plan.pseudonym_column() is None


def left_by_category(plan: Plan) -> tuple[str, ...]:
    """Return the columns of which a class left with a category that any other could have stood beside.

    Notes
    -----
    Where cells may be missing, a class that left without a
    category had none, and one that left with its mode may have had fewer of it than gaps. Where a category may be that
    of several classes, nobody knows which of those that left with it these are.
    """
    names = plan.names(Role.QUASI_IDENTIFIER) if masked_together(plan) and not averaged_together(plan) else ()
    return tuple(name for name in names if not plan.spec(name).missing.admits)


def classes_by_column(
    columns: Sequence[tuple[Column, Column]], labels: NDArray[np.int64], plan: Plan
) -> dict[str, ClassesOfColumn]:
    """Return the classes of the released columns of which means and sizes are all that is known.

    Parameters
    ----------
    columns
        The columns of the report, of whatever role, in the original and in the released table.
    labels
        The class of each record.
    plan
        What was asked.

    Returns
    -------
    By name; without the columns of whose classes more or other things are known than `absorption` reckons with.

    Notes
    -----
    A column that is grouped by itself has classes that lie between their neighbours: far less of them is left open than
    by means and sizes, and nothing can be told of the original column. It is as good as by itself where all other
    quasi-identifiers have a few values only, or follow it. A weighted mean, a median, a stretched or mixed value leaves
    other things open, a missing cell as well, wherever the plan admits one; so does the mean of a direction. Of a
    column that was recoded, originals are not those that means were made of: one that was cut off may lie as far out as
    it likes, and no class bounds it.
    """
    plain = not plan.preserve_variance and not plan.weights
    masked = [pair for pair in columns if pair[0].name in plan.names(Role.QUASI_IDENTIFIER)]
    if not (masked_together(plan) and plain and masked):
        return {}
    averaged = {name for name in plan.averaged_names() if plan.attributes[name].kind not in DIRECTIONAL}
    averaged -= set(recoded_columns(plan))
    # Whether a cell is missing is the original's: where one may be, what is told does not depend on it.
    averaged -= {name for name in averaged if plan.spec(name).missing.admits}
    spread = _spread_by_others([after for _, after in masked], labels)
    return {
        after.name: ClassesOfColumn.of(as_numbers(after), labels, together=averaged_together(plan))
        for (before, after), free in zip(masked, spread, strict=True)
        if free and after.name in averaged and not _has_gaps(before) and not _has_gaps(after)
    }


def _spread_by_others(columns: Sequence[Column], labels: NDArray[np.int64]) -> list[bool]:
    """Tell of each column whether another one keeps its classes from being neighbours in it."""
    sizes = np.bincount(labels)
    means = [np.bincount(labels, column.values.astype(np.float64)) / sizes for column in columns]
    varied = np.array([len(np.unique(values)) >= FEWEST_VALUES for values in means])
    nominal = np.array([column.kind is Kind.NOMINAL for column in columns])
    apart = nominal[None, :] | (np.abs(moments([safely_scaled(values)[0] for values in means]).correlation) < FOLLOWS)
    np.fill_diagonal(apart, val=False)
    found: list[bool] = (apart & varied[None, :]).any(axis=1).tolist()
    return found


def _has_gaps(column: Column) -> bool:
    return column.missing is not None and bool(column.missing.any())
