"""Sum of squared errors of the quasi-identifiers, and its share of the total sum of squares."""

from __future__ import annotations

import math

from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair

SSE = Definition(
    "sse",
    "Sum over records of the squared distance between the original and the released quasi-identifiers: z-scores by the "
    "mean and standard deviation (n - 1) of the original (a constant column counts 0), ordinal steps divided by the "
    "number of categories, nominal values 0 or 1 apart (in a hierarchy by the height at which they meet), places and "
    "cycles by chords.",
    title="squared distance from the original",
    aspect="utility",
    better="lower",
    low=0.0,
    high=math.inf,
    external="withheld",  # it counts the records whose category changed
)

IL_PERCENT = Definition(
    "il_percent",
    "Information loss: 100 × sse / SST, where SST is the sse of releasing the average record of the table (means, "
    "lower medians, modes) for every record.",
    title="information lost",
    aspect="utility",
    better="lower",
    low=0.0,
    high=math.inf,
    unit="%",
    external="bound",
)


def sse(pair: Pair) -> Score:
    """Return the sum of squared errors on z-scored quasi-identifiers.

    Parameters
    ----------
    pair
        The table and its release.

    Notes
    -----
    Domingo-Ferrer and Torra 2005, section II, and Nin 2014, section 2.2. ``attributes`` holds each column's part; the
    parts add up to the value.

    Examples
    --------
    The values 0, 2, 10, 12 have mean 6 and variance 104/3. Each moved by 1: 4 · 3/104.

    >>> round(sse(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 6) == round(12 / 104, 6)
    True
    """
    columns = SSE.quasi_identifiers(pair)
    parts = {column.name: column.squared_deviations for column in columns}
    return SSE.score(math.fsum(parts.values()), columns, attributes=parts)


def il_percent(pair: Pair) -> Score:
    """Return the information loss in percent: 100 for a release that is the same average record throughout.

    Parameters
    ----------
    pair
        The table and its release.

    Notes
    -----
    Domingo-Ferrer and Torra 2005, section IV. ``attributes`` holds 100 × SSE / SST of each column by itself. Above 100
    only for a release that is worse than the average record. Where columns were recoded before records were grouped,
    ``parts`` holds the loss of recoding alone; it is part of the value, and not to be added to it. Records that
    were dropped are lost altogether and not part of the value: ``parts`` says how many.

    Examples
    --------
    The values 0, 2, 10, 12 vary by 36 + 16 + 16 + 36 = 104 around their mean; the release misses each by 1.

    >>> round(il_percent(Pair.of([0.0, 2.0, 10.0, 12.0], [1.0, 1.0, 11.0, 11.0])).value, 4)
    3.8462
    """
    columns = IL_PERCENT.quasi_identifiers(pair)
    error = math.fsum(column.squared_deviations for column in columns)
    total = math.fsum(column.total for column in columns)
    return IL_PERCENT.score(
        percent(error, total),
        columns,
        attributes={column.name: percent(column.squared_deviations, column.total) for column in columns},
        parts=({} if pair.recoded is None else {"recoding": il_percent(pair.recoded).value})
        | ({"dropped records": pair.dropped} if pair.dropped else {}),
    )


def percent(error: float, total: float) -> float:
    """100 × error / total; a table that does not vary loses nothing unless it is changed, and then everything."""
    if total == 0:
        return 0.0 if error == 0 else 100.0
    return 100.0 * error / total
