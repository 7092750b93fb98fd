"""What a class tells about the confidential attributes that the whole table does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.declaration import ConfidentialColumns, Value, declare_measure
from shoal.measures.pair import Pair, counts_of
from shoal.protect import emd
from shoal.protect.confidential import Confidential as Attribute

_DISTANCE = (
    "the ordered distance 1/(m−1)·Σ|Σ(p−q)| over the m distinct values for numeric, date and ordinal attributes, and "
    "½·Σ|p−q| for nominal ones"
)
_HINT: dict[str, Any] = {"aspect": "risk", "better": "lower", "role": "confidential", "external": "release"}


@declare_measure(
    "emd_max",
    f"Greatest earth mover's distance between an equivalence class of the release and the whole release, {_DISTANCE}; "
    "the worst of the confidential attributes. The release is t-close for every t from this value on.",
    title="farthest class from the whole table",
    high=1.0,
    **_HINT,
)
def emd_max(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the t that the release achieves.

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
    return _farthest({column.name: _distances(pair, column) for column in columns}, np.max)


@declare_measure(
    "emd_avg",
    "Average over the equivalence classes of the release of the earth mover's distance to the whole release, "
    f"{_DISTANCE}; the worst of the confidential attributes.",
    title="average distance of a class from the whole table",
    high=1.0,
    **_HINT,
)
def emd_avg(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the average distance of a class from the release.

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
    return _farthest({column.name: _distances(pair, column) for column in columns}, np.mean)


def _distances(pair: Pair, column: ConfidentialColumn) -> NDArray[np.float64]:
    """One distance per equivalence class, computed once per pair."""

    def compute() -> NDArray[np.float64]:
        make = Attribute.nominal if column.kind.is_nominal else Attribute.ordered
        of_table = make(np.arange(len(column.overall)), name=column.name)
        return emd(replace(of_table, codes=column.codes.astype(np.int32), counts=column.overall), pair.classes)

    return pair.once(("emd", column.name), compute)


@declare_measure(
    "delta_disclosure",
    "δ-disclosure privacy: the greatest |ln(p/q)|, p the share of a confidential value in an equivalence class and q "
    "its share in the release, over the classes and the values they hold; the worst of the attributes.",
    title="strongest hint at a confidential value",
    **_HINT,
)
def delta_disclosure(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the δ of δ-disclosure privacy over the values that classes hold.

    Notes
    -----
    Brickell and Shmatikov (2008). By the letter of their definition a value that some class lacks makes δ infinite,
    which every attribute with more values than a class has records would; ``parts`` counts the combinations of class
    and value that are absent, and the value is δ over those present.

    Examples
    --------
    The class (a, a) doubles the share of a; the class (b, c) doubles those of b and c: ln 2 everywhere.

    >>> pair = Pair.of([0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0], confidential=[1, 1, 2, 3])
    >>> score = delta_disclosure(pair)
    >>> round(score.value, 4), score.parts["confidential 0 absent"]
    (0.6931, 3.0)
    """
    groups, parts = {}, {}
    for column in columns:
        counts = counts_of(pair, column)
        overall = column.overall
        lift = (counts.count * overall.sum()) / (pair.sizes[counts.group] * overall[counts.value])
        groups[column.name] = np.maximum.reduceat(np.abs(np.log(lift)), counts.starts)
        parts[f"{column.name} absent"] = len(pair.sizes) * len(overall) - len(counts.count)
    return replace(_farthest(groups, np.max), parts=parts)


@declare_measure(
    "mutual_information",
    "Mutual information, in nats, between the equivalence class and a confidential attribute: what knowing the "
    "released quasi-identifiers tells about it; the worst of the attributes.",
    title="what classes tell of confidential values",
    **_HINT,
)
def mutual_information(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return how much the released quasi-identifiers tell about a confidential attribute.

    Notes
    -----
    I = Σ p(class, value)·ln(p(class, value) / (p(class)·p(value))), at most the entropy of the attribute. ``groups``
    holds the divergence of each class from the release; their average weighted by class size is the value.

    Examples
    --------
    The class tells the value exactly, and there are two equally likely ones: ln 2.

    >>> pair = Pair.of([0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0], confidential=[1, 1, 2, 2])
    >>> round(mutual_information(pair).value, 4)
    0.6931
    """
    groups = {}
    for column in columns:
        counts = counts_of(pair, column)
        share = counts.count / pair.sizes[counts.group]
        lift = share * column.overall.sum() / column.overall[counts.value]
        groups[column.name] = np.bincount(counts.group, weights=share * np.log(lift))
    weights = pair.sizes / columns[0].overall.sum()
    # Rounding may leave a class that is exactly like the table a hair below 0.
    return _farthest(groups, lambda values: max(0.0, float(np.sum(weights * values))))


def _farthest(groups: dict[str, NDArray[Any]], over_classes: Callable[[NDArray[Any]], Any]) -> Value:
    """Return the worst of the attributes, the classes of each put together."""
    attributes = {name: float(over_classes(values)) for name, values in groups.items()}
    return Value(max(attributes.values()), attributes=attributes, groups=groups)
