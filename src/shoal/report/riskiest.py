"""The classes of a release that give most away, and what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import Groups
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.measures import Score
from shoal.plan import Plan
from shoal.report.data import Plain, RiskyGroup
from shoal.report.wording import number

MOST_RISKY = 10
MOST_NAMED = 3
"""Confidential attributes that are spoken of: those that a class is farthest from the table in."""


@dataclass(frozen=True, eq=False)
class RiskyClasses:
    """What is known of the classes of a release, by which some give more away than others.

    Parameters
    ----------
    names
        The columns whose released values say which class it is.
    scores, distances
        Measures with detail by class, and how far each class is from the table, by confidential attribute.
    days
        Columns of dates without times.
    categories
        Columns whose numbers are names, such as postcodes.
    """

    names: Sequence[str]
    scores: Mapping[str, Score]
    distances: Mapping[str, NDArray[np.float64]]
    days: Collection[str] = ()
    categories: Collection[str] = ()

    def among(self, released: Table, labels: NDArray[np.int64]) -> tuple[RiskyGroup, ...]:
        """Return the classes whose records share a confidential value, then those farthest from the table.

        Then those whose records are linked most often, then the smallest. ``linked`` is the share of the class's
        records whose nearest original is their own (`dld`); it is not known where groups are not the equivalence
        classes.
        """
        groups = Groups(labels)
        links = _per_group(self.scores, "dld").get("expected_links")
        distinct = _per_group(self.scores, "l_distinct")
        worst = np.max(list(self.distances.values()), axis=0) if self.distances else np.zeros(groups.count)
        alone = np.min(list(distinct.values()), axis=0) == 1 if distinct else np.zeros(groups.count, dtype=np.bool_)
        linked = np.zeros(groups.count) if links is None else links / groups.sizes
        order = np.lexsort((groups.sizes, -linked, -worst, ~alone))[:MOST_RISKY]
        return tuple(
            RiskyGroup(
                size=int(groups.sizes[group]),
                why=_why(
                    released,
                    np.flatnonzero(labels == group),
                    {name: values[group] for name, values in self.distances.items()},
                    self.categories,
                ),
                values={
                    name: _plain(
                        released.frame[name][int(groups.first[group])],
                        day=name in self.days,
                        category=name in self.categories,
                    )
                    for name in self.names
                },
                linked=None if links is None else float(linked[group]),
                distances={name: float(values[group]) for name, values in self.distances.items()},
                distinct={name: int(values[group]) for name, values in distinct.items()},
            )
            for group in order.tolist()
        )


def category_names(plan: Plan) -> tuple[str, ...]:
    """Return the columns whose values are names, be they written in digits."""
    return tuple(name for name, what in plan.attributes.items() if what.kind is not None and what.kind.is_categorical)


def _why(released: Table, rows: NDArray[np.int64], distances: Mapping[str, float], categories: Collection[str]) -> str:
    """Say what is known of everybody in a class, by attribute, the one farthest from the table first."""
    if not distances:
        return "one of the smallest"
    farthest = sorted(distances, key=lambda name: -distances[name])[:MOST_NAMED]
    common = (
        _in_common([_plain(released.frame[name][int(row)], category=name in categories) for row in rows], name)
        for name in farthest
    )
    return "; ".join(f"{text} (EMD {number(distances[name], 2)})" for name, text in zip(farthest, common, strict=True))


def _in_common(values: Sequence[Plain], name: str) -> str:
    """Say what the values of a class have in common: one value, most of them, or a range.

    Examples
    --------
    >>> _in_common(["flu", "flu"], "illness"), _in_common(["flu", "flu", "gout"], "illness"), _in_common([7, 9], "pay")
    ('all have illness flu', '2 of 3 have illness flu', 'pay from 7 to 9')
    """
    common, count = Counter(values).most_common(1)[0]
    shown = number(common) if isinstance(common, int | float) and not isinstance(common, bool) else str(common)
    if count == len(values):
        return f"all have {name} {shown}"
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values):
        return f"{name} from {number(min(numbers))} to {number(max(numbers))}"
    return f"{count} of {len(values)} have {name} {shown}"


def _per_group(scores: Mapping[str, Score], key: str) -> Mapping[str, NDArray[Any]]:
    return scores[key].groups if key in scores else {}


def _plain(value: Any, *, day: bool = False, category: bool = False) -> Plain:
    if isinstance(value, np.generic):
        value = value.item()
    if category and isinstance(value, int | float) and not isinstance(value, bool):
        return category_text(value)  # a name that is written in digits, which nobody reads as an amount
    if isinstance(value, datetime) and (day or value.time() == time()):
        return value.date().isoformat()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
