"""Diversity of the confidential values inside each equivalence class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.measures.confidential_column import ConfidentialColumn, Counts
from shoal.measures.declaration import ConfidentialColumns, Value, declare_measure
from shoal.measures.definition import Score
from shoal.measures.pair import Pair, counts_of

_DIVERSITY: dict[str, Any] = {"aspect": "risk", "better": "higher", "role": "confidential", "external": "release"}


def _one_value_only(score: Score) -> Iterator[str]:
    """Warn of classes whose records all share one confidential value."""
    for name in score.columns:
        if name in score.groups:
            homogeneous, classes = int((score.groups[name] == 1).sum()), len(score.groups[name])
        else:  # counted elsewhere
            homogeneous, classes = int(score.parts[f"{name} alike"]), int(score.parts["classes"])
        if homogeneous:
            yield (
                f"In {homogeneous:,} class{'' if homogeneous == 1 else 'es'} of {classes:,} all records share "
                f"one value of {name}: it is known of everyone in them. Ask for closeness or diversity."
            )


@declare_measure(
    "l_distinct",
    "Distinct l-diversity: the smallest number of distinct values of a confidential attribute in an equivalence class; "
    "the worst of the attributes.",
    title="fewest different values in a class",
    low=1.0,
    caution=_one_value_only,
    **_DIVERSITY,
)
def l_distinct(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the smallest number of distinct confidential values in a class.

    Notes
    -----
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007). A missing value is a value.

    Examples
    --------
    >>> pair = Pair.of([0.0, 0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 0.0, 9.0, 9.0], confidential=[1, 2, 3, 4, 4])
    >>> score = l_distinct(pair)
    >>> score.value, score.groups["confidential 0"].tolist()
    (1.0, [3, 1])
    """
    return _worst(pair, columns, lambda counts: counts.distinct)


@declare_measure(
    "p_sensitive",
    "p-Sensitive k-anonymity: the largest p such that every equivalence class has at least p distinct values of every "
    "confidential attribute.",
    title="p-sensitivity",
    low=1.0,
    **_DIVERSITY,
)
def p_sensitive(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the p of p-sensitive k-anonymity.

    Notes
    -----
    Truta and Vinay (2006). It asks of all attributes together what distinct l-diversity asks of each, so its value is
    that of `l_distinct`; it has a key of its own because people look for it by name.

    Examples
    --------
    >>> pair = Pair.of([0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0], confidential=[1, 2, 3, 4])
    >>> p_sensitive(pair).value
    2.0
    """
    return _worst(pair, columns, lambda counts: counts.distinct)


@declare_measure(
    "l_entropy",
    "Entropy l-diversity: the smallest exp(H) over the equivalence classes, H the entropy of the confidential values "
    "of a class; the worst of the attributes.",
    title="least entropy diversity",
    low=1.0,
    **_DIVERSITY,
)
def l_entropy(pair: Pair, columns: ConfidentialColumns) -> Value:
    """Return the smallest effective number of confidential values in a class.

    Notes
    -----
    Machanavajjhala and others (2007), Definition 4.1: entropy at least log l, so l = exp(H).

    Examples
    --------
    Shares ½, ¼, ¼ have entropy 1.5 · ln 2.

    >>> pair = Pair.of([0.0] * 4, [0.0] * 4, confidential=[7, 7, 8, 9])
    >>> round(l_entropy(pair).value, 4)
    2.8284
    """
    return _worst(pair, columns, _effective)


@declare_measure(
    "l_recursive",
    "Recursive (c, l)-diversity: the largest l such that in every equivalence class the most frequent value occurs "
    "less than c times as often as the values from the l-th most frequent on together; the worst of the attributes.",
    title="least recursive diversity",
    **_DIVERSITY,
)
def l_recursive(pair: Pair, columns: ConfidentialColumns, *, c: float = 3.0) -> Value:
    """Return the l of recursive (c, l)-diversity.

    Parameters
    ----------
    c
        How many times more often than the rarer values together the most frequent one may occur.

    Notes
    -----
    Machanavajjhala and others (2007), Definition 4.2, with counts r₁ ≥ r₂ ≥ …: r₁ < c·(r_l + r_{l+1} + …). 0 where
    not even l = 1 holds, which takes c ≤ 1.

    Examples
    --------
    Counts 3, 2, 1 and c = 3: 3 < 3·(2 + 1) holds for l = 2, but 3 < 3·1 does not for l = 3.

    >>> pair = Pair.of([0.0] * 6, [0.0] * 6, confidential=[7, 7, 7, 8, 8, 9])
    >>> l_recursive(pair).value, l_recursive(pair, c=4.0).value
    (2.0, 3.0)
    """
    if not c > 0:
        raise PlanError(f"c of recursive diversity must be positive, not {c}")
    return _worst(pair, columns, lambda counts: _recursive(counts, c))


@declare_measure(
    "l_avg",
    "Average diversity: confidential attributes standardised and cut into cells of width 0.2 (categories as they are); "
    "per equivalence class the smallest number of distinct cells over the attributes; averaged over classes.",
    title="average diversity of a class",
    low=1.0,
    **_DIVERSITY,
)
def l_avg(pair: Pair, columns: ConfidentialColumns, *, width: float = 0.2) -> Value:
    """Return the average diversity of the classes.

    Parameters
    ----------
    width
        The width of a cell in standard deviations.

    Notes
    -----
    Rebollo-Monedero et al. 2016, section V. Cell i of a standardised value z holds i·width ≤ z < (i+1)·width.
    ``attributes`` holds the average of each attribute by itself.

    Examples
    --------
    The values 1, 2 and 5, 5 stand at −1.09, −0.61, 0.85, 0.85 in standard deviations from the mean 3.25: two cells in
    the first class, one in the second.

    >>> pair = Pair.of([0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0], confidential=[1.0, 2.0, 5.0, 5.0])
    >>> l_avg(pair).value
    1.5
    """
    if not width > 0:
        raise PlanError(f"width of a cell must be positive, not {width}")
    per_attribute = {column.name: Counts.of(pair.classes, _cells(column, width)).distinct for column in columns}
    smallest = np.minimum.reduce(list(per_attribute.values()))
    return Value(
        float(smallest.mean()),
        attributes={name: float(distinct.mean()) for name, distinct in per_attribute.items()},
        groups={"smallest": smallest},
    )


def _worst(
    pair: Pair, columns: ConfidentialColumns, diversity: Callable[[Counts], NDArray[np.float64 | np.int64]]
) -> Value:
    """Return the smallest diversity over classes and attributes."""
    groups = {column.name: diversity(counts_of(pair, column)) for column in columns}
    attributes = {name: float(values.min()) for name, values in groups.items()}
    return Value(min(attributes.values()), attributes=attributes, groups=groups)


def _effective(counts: Counts) -> NDArray[np.float64]:
    sizes = np.add.reduceat(counts.count, counts.starts)
    share = counts.count / sizes[counts.group]
    entropy = np.bincount(counts.group, weights=-share * np.log(share))
    return np.asarray(np.exp(entropy))


def _recursive(counts: Counts, c: float) -> NDArray[np.int64]:
    """Per class, how many of the sums "the j rarest values together" exceed r₁ / c: the l-th from above is the last."""
    order = np.lexsort((counts.count, counts.group))
    ascending = counts.count[order]
    total = np.cumsum(ascending)
    before = np.repeat(np.append(0, total[counts.starts[1:] - 1]), counts.distinct)
    most = np.maximum.reduceat(counts.count, counts.starts)
    holds = c * (total - before) > most[counts.group]
    return np.bincount(counts.group[holds], minlength=len(counts.starts))


def _cells(column: ConfidentialColumn, width: float) -> NDArray[np.int64]:
    if not column.is_continuous:
        return column.codes
    cells = np.floor(column.standardised / width).astype(np.int64)
    if column.missing is not None:
        cells[column.missing] = np.iinfo(np.int64).max
    return cells
