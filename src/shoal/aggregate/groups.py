"""Groups: a partition seen from the groups' side, worked out once and shared by the operators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.classes import first_rows


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
