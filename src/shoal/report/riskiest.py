"""The groups of a release that give most away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.aggregate import Groups
from shoal.frames import Table
from shoal.measure import Score
from shoal.report.data import Plain, RiskyGroup

MOST_RISKY = 10


def riskiest_groups(
    released: Table,
    labels: NDArray[np.int64],
    names: Sequence[str],
    scores: Mapping[str, Score],
    distances: Mapping[str, NDArray[np.float64]],
) -> tuple[RiskyGroup, ...]:
    """Return the groups whose records are linked most often, then those farthest from the table, then the smallest.

    Notes
    -----
    ``linked`` is the share of the group's records whose nearest original is their own (`dld`); it is not known where
    groups are not the equivalence classes of the release.
    """
    groups = Groups(labels)
    links = _per_group(scores, "dld").get("expected_links")
    distinct = _per_group(scores, "l_distinct")
    worst = np.max(list(distances.values()), axis=0) if distances else np.zeros(groups.count)
    linked = np.zeros(groups.count) if links is None else links / groups.sizes
    order = np.lexsort((groups.sizes, -worst, -linked))[:MOST_RISKY]
    return tuple(
        RiskyGroup(
            size=int(groups.sizes[group]),
            values={name: _plain(released.frame[name][int(groups.first[group])]) for name in names},
            linked=None if links is None else float(linked[group]),
            distances={name: float(values[group]) for name, values in distances.items()},
            distinct={name: int(values[group]) for name, values in distinct.items()},
        )
        for group in order.tolist()
    )


def _per_group(scores: Mapping[str, Score], key: str) -> Mapping[str, NDArray[Any]]:
    return scores[key].groups if key in scores else {}


def _plain(value: Any) -> Plain:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    return str(value)
