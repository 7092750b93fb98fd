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
from shoal.report.report_data import Plain, RiskyGroup
from shoal.report.wording import is_number, number

MOST_RISKY = 10
MOST_NAMED = 3
"""Confidential attributes that are spoken of: those that a class is farthest from the table in."""


@dataclass(frozen=True, eq=False)
class RiskyClasses:
    """What is known of the classes of a release, by which some give more away than others."""

    names: Sequence[str]  # the columns whose released values say which class it is
    scores: Mapping[str, Score]  # with detail by class
    distances: Mapping[str, NDArray[np.float64]]  # of each class from the table, by confidential attribute
    days: Collection[str] = ()  # columns of dates without times
    categories: Collection[str] = ()  # columns whose numbers are names, such as postcodes

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
                why=self._why(released, np.flatnonzero(labels == group), group),
                values={
                    name: self._plain(released, name, int(groups.first[group]), day=name in self.days)
                    for name in self.names
                },
                linked=None if links is None else float(linked[group]),
                distances={name: float(values[group]) for name, values in self.distances.items()},
                distinct={name: int(values[group]) for name, values in distinct.items()},
            )
            for group in order.tolist()
        )

    def _why(self, released: Table, rows: NDArray[np.int64], group: int) -> str:
        """Say what is known of everybody in a class, by attribute, the one farthest from the table first."""
        distances = {name: values[group] for name, values in self.distances.items()}
        farthest = sorted(distances, key=lambda name: -distances[name])[:MOST_NAMED]
        reasons = (
            f"{_in_common([self._plain(released, name, row) for row in rows.tolist()], name)} "
            f"(EMD {number(distances[name], 2)})"
            for name in farthest
        )
        return "; ".join(reasons) or "one of the smallest"

    def _plain(self, released: Table, name: str, row: int, *, day: bool = False) -> Plain:
        """Return a cell as people read it: a category that is written in digits is no amount, a day has no time."""
        value = released.frame[name][row]
        if isinstance(value, np.generic):
            value = value.item()
        if name in self.categories and is_number(value):
            return category_text(value)
        if isinstance(value, datetime) and value != value:  # what pandas has where a date is missing
            return None
        if isinstance(value, datetime) and (day or value.time() == time()):
            return value.date().isoformat()
        if value is None or isinstance(value, str | int | float | bool):
            return value
        return str(value)


def category_names(plan: Plan) -> tuple[str, ...]:
    """Return the columns whose values are names, be they written in digits."""
    return tuple(name for name, what in plan.attributes.items() if what.kind is not None and what.kind.is_categorical)


def _in_common(values: Sequence[Plain], name: str) -> str:
    """Say what the values of a class have in common: one value, most of them, or a range.

    Examples
    --------
    >>> _in_common(["flu", "flu"], "illness"), _in_common(["flu", "flu", "gout"], "illness"), _in_common([7, 9], "pay")
    ('all have illness flu', '2 of 3 have illness flu', 'pay from 7 to 9')
    """
    common, count = Counter(values).most_common(1)[0]
    shown = number(common) if is_number(common) else str(common)
    if count == len(values):
        return f"all have {name} {shown}"
    numbers = [value for value in values if is_number(value)]
    if len(numbers) == len(values):
        return f"{name} from {number(min(numbers))} to {number(max(numbers))}"
    return f"{count} of {len(values)} have {name} {shown}"


def _per_group(scores: Mapping[str, Score], key: str) -> Mapping[str, NDArray[Any]]:
    return scores[key].groups if key in scores else {}
