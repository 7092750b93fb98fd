"""Release by permutation: confidential records change places inside their group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
