"""What groups must keep before they are refined: what they promise at the start is what they promise in the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classes import subjects_of_each
from shoal.errors import DataError
from shoal.points import Points
from shoal.protect import Rule


def require_kept(points: Points, labels: NDArray[np.int64], count: int, k: int, rules: Sequence[Rule] = ()) -> None:
    """Refuse groups to start from that break k or a rule."""
    sizes = subjects_of_each(labels, points.subjects if points.subjects.size else None)
    smallest = int(sizes.argmin())
    if sizes[smallest] < k:
        of = "different subjects" if points.subjects.size else "records"
        raise DataError(
            f"labels break k at the start: group {smallest} has {sizes[smallest]} {of}, and k is {k}, so form "
            "groups of at least k first"
        )
    for rule in rules:
        if len(rule.attribute) != len(points):
            raise DataError(
                f"{rule.attribute.name} has {len(rule.attribute)} values for {len(points)} records: they must match "
                "one to one"
            )
        shortfall, is_kept = rule.kernel.judge(labels, count)
        if not is_kept.all():
            worst = int(np.argmax(np.where(is_kept, -np.inf, shortfall)))
            raise DataError(
                f"labels break a rule at the start: {rule.attribute.name} must have {rule.rule} in every group, but "
                f"group {worst} reaches {rule.reached(float(shortfall[worst])):.4g}, so merge groups first "
                "(shoal.constrain.repair)"
            )
