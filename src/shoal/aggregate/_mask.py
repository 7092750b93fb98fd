"""Mask one column: the operator of its kind over the groups of a partition, then rescaling and rounding where asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.classes import first_rows
from shoal.kinds.attribute_kind import Members
from shoal.kinds.column import Column
from shoal.kinds.numeric import check_range
from shoal.kinds.registry import kind_of


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a partition.

    Examples
    --------
    >>> groups = Groups(np.array([0, 1, 0, 1, 1]))
    >>> groups.sizes.tolist()
    [2, 3]
    """

    labels: NDArray[np.int64]  # the group of each record, groups numbered from 0 without gaps

    @cached_property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each group."""
        return np.bincount(self.labels, minlength=self.count)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first record of each group."""
        return first_rows(self.labels)


def mask(
    column: Column,
    groups: Groups,
    *,
    weights: NDArray[np.float64] | None = None,
    preserve_variance: bool = False,
    secret: int = 0,
) -> Column:
    """Replace each value by what stands for its group.

    Parameters
    ----------
    column
        The original values, and how they are averaged and rounded.
    groups
        The partition.
    weights
        Sampling weights for the mean, one per record.
    preserve_variance
        Stretch masked continuous values to the original mean and variance.
    secret
        What categories are drawn by: among equally frequent ones, or that of a member. Who knows it and the groups
        knows who was drawn, so it should be a number that only the holder of the table has.

    Returns
    -------
    Column
        The masked values. All records of a group have the same, computed from the observed cells; a group without an
        observed cell stays missing as a whole, so no record stands out.

    Notes
    -----
    Domingo-Ferrer and Torra 2005. Unweighted means of a column without missing cells are preserved.
    Preserving the variance maps equal values to equal values, and so does rounding: neither splits a group.
    """
    present = None if column.missing is None else ~column.missing
    labels = groups.labels if present is None else groups.labels[present]
    observed_weights = weights if weights is None or present is None else weights[present]
    # The lots of one column tell nothing of those of another.
    lots = np.random.default_rng((secret, _core.text_code(column.name)))
    centres = kind_of(column.spec).average(column, Members(labels, groups.count, observed_weights, lots))
    empty = np.bincount(labels, minlength=groups.count) == 0
    values = centres.values
    if column.kind.is_continuous:
        values = adjust(values, np.where(empty, 0, groups.sizes), column, preserve_variance=preserve_variance)
    missing = empty[groups.labels] if empty.any() else None
    return replace(centres, values=values[groups.labels], missing=missing)


def adjust(
    centres: NDArray[np.float64], sizes: NDArray[np.int64], column: Column, *, preserve_variance: bool
) -> NDArray[np.float64]:
    """Rescale and round what stands for so many records of a continuous column each, where that is asked for."""
    if preserve_variance:
        centres = rescaled(centres, column.observed, sizes)
    check_range(column.name, centres)  # what is stretched or mixed with other columns may leave the column's range
    return kind_of(column.spec).rounded(centres, column)


def rescaled(
    centres: NDArray[np.float64], original: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Stretch group values to the original mean and variance (Domingo-Ferrer and Torra 2005)."""
    if sizes.sum() == 0:
        return centres
    # In units of the column's reach around one of its values, so that neither offset nor size eats digits.
    base = original[0]
    reach = max(original.max() - base, base - original.min())
    if reach == 0:
        return centres
    before, after = (original - base) / reach, (centres - base) / reach
    mean, masked_mean = before.mean(), np.average(after, weights=sizes)
    deviation = before.std()
    masked_deviation = np.sqrt(np.average((after - masked_mean) ** 2, weights=sizes))
    # Groups that all have one value have no variance to stretch; a deviation of pure rounding noise is none either.
    if masked_deviation <= 1e-12 * deviation:
        return centres
    stretched = mean + (after - masked_mean) * (deviation / masked_deviation)
    return np.asarray(base + stretched * reach)


def permute_within(labels: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return, for each record, the record of the same group whose confidential values it receives.

    Notes
    -----
    Soria-Comas et al. 2015, section 2.3. Whole confidential records move, so the relations among confidential
    attributes are kept. Every permutation of a group is equally likely, the one that moves nothing included: that is
    what makes each of the group's records an equally good candidate.

    Examples
    --------
    >>> labels = np.array([0, 1, 0, 1])
    >>> source = permute_within(labels, seed=7)
    >>> bool((labels[source] == labels).all()), sorted(source.tolist())
    (True, [0, 1, 2, 3])
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(labels))
    target = np.argsort(labels, kind="stable")
    source = shuffled[np.argsort(labels[shuffled], kind="stable")]
    result = np.empty(len(labels), dtype=np.int64)
    result[target] = source
    return result
