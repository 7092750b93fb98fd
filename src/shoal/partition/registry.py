"""The partitioning methods a plan can name, and what each one reads and promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.mdav import mdav
from shoal.partition.vmdav import vmdav


@dataclass(frozen=True)
class Method:
    """A partitioner: ``partition(points, k, *, progress, **options) -> labels``.

    ``options`` are the plan's fields that it reads, ``nominal`` says whether it takes nominal attributes.
    """

    partition: Callable[..., NDArray[np.int64]]
    summary: str
    options: tuple[str, ...] = ()
    nominal: bool = True


METHODS: dict[str, Method] = {
    "mdav": Method(mdav, "groups of exactly k around the records farthest from the average"),
    "vmdav": Method(vmdav, "groups of k to 2k-1 that grow where records are dense", options=("gain",)),
}


def options_of(method: str, plan: Any) -> dict[str, Any]:
    """Return the options of a method that the plan sets."""
    values = {name: getattr(plan, name) for name in METHODS[method].options}
    return {name: value for name, value in values.items() if value is not None}
