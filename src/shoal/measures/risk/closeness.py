"""Earth mover's distance between the confidential values of each equivalence class and those of the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.kinds import Kind
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.protect import emd
from shoal.protect.confidential import Confidential as Attribute

_DISTANCE = (
    "the ordered distance 1/(m−1)·Σ|Σ(p−q)| over the m distinct values for numeric, date and ordinal attributes, and "
    "½·Σ|p−q| for nominal ones"
)

EMD_MAX = Definition(
    "emd_max",
    f"Greatest earth mover's distance between an equivalence class of the release and the whole release, {_DISTANCE}; "
    "the worst of the confidential attributes. The release is t-close for every t from this value on.",
    title="farthest class from the whole table",
    aspect="risk",
    better="lower",
    low=0.0,
    high=1.0,
    role="confidential",
    external="release",
)

EMD_AVG = Definition(
    "emd_avg",
    "Average over the equivalence classes of the release of the earth mover's distance to the whole release, "
    f"{_DISTANCE}; the worst of the confidential attributes.",
    title="average distance of a class from the whole table",
    aspect="risk",
    better="lower",
    low=0.0,
    high=1.0,
    role="confidential",
    external="release",
)


def emd_max(pair: Pair) -> Score:
    """Return the t that the release achieves.

    Parameters
    ----------
    pair
        The table and its release, with confidential attributes.

    Notes
    -----
    Soria-Comas et al. 2015, section 2.2. ``attributes`` holds the greatest distance of each attribute, ``groups`` the
    distances of all classes. A missing value is a value of its own, after the greatest.

    Examples
    --------
    Values 1, 2 in one class and 3, 4 in the other: half of the mass moves two of three steps.

    >>> pair = Pair.of([0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0], confidential=[1.0, 2.0, 3.0, 4.0])
    >>> round(emd_max(pair).value, 4)
    0.3333
    """
    columns = EMD_MAX.confidential(pair)
    groups = {column.name: _distances(pair, column) for column in columns}
    attributes = {name: float(distances.max()) for name, distances in groups.items()}
    return EMD_MAX.score(max(attributes.values()), columns, attributes=attributes, groups=groups)


def emd_avg(pair: Pair) -> Score:
    """Return the average distance of a class from the release.

    Parameters
    ----------
    pair
        The table and its release, with confidential attributes.

    Notes
    -----
    Domingo-Ferrer and Soria-Comas 2017, section VI. Every class counts the same, whatever its size.

    Examples
    --------
    One class holds 1 and 4, as the table does on average; the other 2 and 3, closer together.

    >>> pair = Pair.of([0.0, 9.0, 9.0, 0.0], [0.0, 9.0, 9.0, 0.0], confidential=[1.0, 2.0, 3.0, 4.0])
    >>> round(emd_avg(pair).value, 4)
    0.1667
    """
    columns = EMD_AVG.confidential(pair)
    groups = {column.name: _distances(pair, column) for column in columns}
    attributes = {name: float(distances.mean()) for name, distances in groups.items()}
    return EMD_AVG.score(max(attributes.values()), columns, attributes=attributes, groups=groups)


def _distances(pair: Pair, column: ConfidentialColumn) -> NDArray[np.float64]:
    """One distance per equivalence class, computed once per pair."""

    def compute() -> NDArray[np.float64]:
        make = Attribute.nominal if column.kind == Kind.NOMINAL else Attribute.ordered
        of_table = make(np.arange(len(column.overall)), name=column.name)
        return emd(replace(of_table, codes=column.codes.astype(np.int32), counts=column.overall), pair.classes)

    return pair.once(("emd", column.name), compute)
