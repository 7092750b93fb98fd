"""What a class tells about the confidential attributes that the whole table does not."""

from __future__ import annotations

import math

import numpy as np

from shoal.measures.class_counts import counts_of
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair

DELTA_DISCLOSURE = Definition(
    "delta_disclosure",
    "δ-disclosure privacy: the greatest |ln(p/q)|, p the share of a confidential value in an equivalence class and q "
    "its share in the release, over the classes and the values they hold; the worst of the attributes.",
    title="strongest hint at a confidential value",
    aspect="risk",
    better="lower",
    low=0.0,
    high=math.inf,
    role="confidential",
    external="release",
)

MUTUAL_INFORMATION = Definition(
    "mutual_information",
    "Mutual information, in nats, between the equivalence class and a confidential attribute: what knowing the "
    "released quasi-identifiers tells about it; the worst of the attributes.",
    title="what classes tell of confidential values",
    aspect="risk",
    better="lower",
    low=0.0,
    high=math.inf,
    role="confidential",
    external="release",
)


def delta_disclosure(pair: Pair) -> Score:
    """Return the δ of δ-disclosure privacy over the values that classes hold.

    Parameters
    ----------
    pair
        The table and its release, with confidential attributes.

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
    columns = DELTA_DISCLOSURE.confidential(pair)
    groups, parts = {}, {}
    for column in columns:
        counts = counts_of(pair, column)
        overall = column.overall
        lift = (counts.count * overall.sum()) / (pair.sizes[counts.group] * overall[counts.value])
        groups[column.name] = np.maximum.reduceat(np.abs(np.log(lift)), counts.starts)
        parts[f"{column.name} absent"] = len(pair.sizes) * len(overall) - len(counts.count)
    attributes = {name: float(values.max()) for name, values in groups.items()}
    return DELTA_DISCLOSURE.score(max(attributes.values()), columns, attributes=attributes, groups=groups, parts=parts)


def mutual_information(pair: Pair) -> Score:
    """Return how much the released quasi-identifiers tell about a confidential attribute.

    Parameters
    ----------
    pair
        The table and its release, with confidential attributes.

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
    columns = MUTUAL_INFORMATION.confidential(pair)
    groups = {}
    for column in columns:
        counts = counts_of(pair, column)
        share = counts.count / pair.sizes[counts.group]
        lift = share * column.overall.sum() / column.overall[counts.value]
        groups[column.name] = np.bincount(counts.group, weights=share * np.log(lift))
    weights = pair.sizes / columns[0].overall.sum()
    # Rounding may leave a class that is exactly like the table a hair below 0.
    attributes = {name: max(0.0, float(np.sum(weights * values))) for name, values in groups.items()}
    return MUTUAL_INFORMATION.score(max(attributes.values()), columns, attributes=attributes, groups=groups)
