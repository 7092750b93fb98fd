"""The partitioning methods a plan can name, and what each one reads and promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.partition._mdav import mdav
from shoal.partition._mic1d import mic1d
from shoal.partition._projected import projected
from shoal.partition._univariate import univariate
from shoal.partition._vmdav import vmdav


@dataclass(frozen=True)
class Method:
    """A partitioner: ``partition(points, k, *, progress, **options) -> labels``.

    ``options`` are the plan's fields that it reads, ``nominal`` says whether it takes nominal attributes.
    ``attributes`` says how it treats those of a block: ``together`` as points in space, ``one`` where there may be only
    one, ``each`` by itself, or ``mixed`` in one line; it then returns masked values instead of labels.
    """

    partition: Callable[..., NDArray[Any]]
    summary: str
    options: tuple[str, ...] = ()
    nominal: bool = True
    attributes: Literal["together", "one", "each", "mixed"] = "together"


METHODS: dict[str, Method] = {
    "mdav": Method(mdav, "groups of exactly k around the records farthest from the average"),
    "vmdav": Method(vmdav, "groups of k to 2k-1 that grow where records are dense", options=("gain",)),
    "projected": Method(
        projected, "groups of k to 2k-1 neighbours along one axis, the cheapest", options=("axis",), nominal=False
    ),
    "univariate": Method(
        univariate, "the cheapest groups of k to 2k-1 of one quasi-identifier", nominal=False, attributes="one"
    ),
    "individual": Method(
        univariate,
        "each quasi-identifier by itself in the cheapest groups of k to 2k-1; k not guaranteed",
        nominal=False,
        attributes="each",
    ),
    "mic1d": Method(
        mic1d,
        "the values of all quasi-identifiers mixed in runs of k values; k not guaranteed",
        options=("cut",),
        nominal=False,
        attributes="mixed",
    ),
}

PARTITIONERS: dict[str, Callable[..., NDArray[np.int64]]] = {
    name: method.partition for name, method in METHODS.items() if method.attributes == "together"
}
"""The methods that partition records by all their attributes."""


def nominal_methods() -> str:
    """Return the names of the methods that take nominal attributes, for messages."""
    return " and ".join(name for name, method in METHODS.items() if method.nominal)


def options_of(method: str, plan: Any) -> dict[str, Any]:
    """Return the options of a method that the plan sets."""
    values = {name: getattr(plan, name) for name in METHODS[method].options}
    return {name: value for name, value in values.items() if value is not None}
