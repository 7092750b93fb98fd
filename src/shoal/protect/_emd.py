"""The earth mover's distance of each group from the whole table, for whoever asks for it by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.labels import read_labels
from shoal.protect.confidential import Missing, confidentials


def emd(confidential: object, labels: ArrayLike, *, missing: Missing = "error") -> NDArray[np.float64]:
    """Distance of each group's confidential values from those of the whole table.

    Parameters
    ----------
    confidential
        (n,) values: numbers and dates are compared by the ordered distance, other values by the equal distance. Or
        `Confidential`, for another distance. Or several attributes: (n, c) values, or a list.
    labels
        (n,) group of each record, from 0.
    missing
        What a missing value is: an ``error``, or a ``category`` of its own.

    Returns
    -------
    ndarray
        One distance per group, from 0 to 1; one column per attribute where several were given.

    Notes
    -----
    Soria-Comas et al. 2015, section 2.2: 1/(m−1)·Σᵢ|Σ_{j≤i}(pⱼ−qⱼ)| over the m distinct values; ½·Σ|p−q| for equal
    distances. A group of g records costs O(g log m), not O(m): between two of its values its cumulative share is
    constant and that of the table grows, so one binary search and prefix sums give that stretch.

    Examples
    --------
    >>> emd([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]).round(4)
    array([0.3333, 0.3333])
    """
    array, count = read_labels(labels)
    attributes = confidentials(confidential, len(array), missing=missing)
    columns = [attribute.kernel.distances(array, count) for attribute in attributes]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)
