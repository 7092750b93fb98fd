"""Way: how groups become t-close, as a plan can name it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.options import Options
from shoal.protect import Closeness, Confidential, Spread


@dataclass(frozen=True)
class Way:
    """How groups become t-close."""

    name: str  # in plans and messages
    summary: str  # in a few words
    options: type[Options] = Options  # its keys in ``[closeness]``
    # ``form(points, rules, k, options, *, guarantee, progress) -> labels`` makes groups of its own; without it, the
    # partitioning method's are merged. Without a guarantee, only `steered` leaves groups above t
    form: Callable[..., NDArray[np.int64]] | None = None
    # ``spread(rules, k, options)`` tells how large its groups are, where it spreads them by construction
    spread: Callable[[Sequence[Closeness], int, Any], Spread] | None = None
    unit_range: bool = False  # it compares quasi-identifiers on [0, 1]


def attributes_of(rules: Sequence[Closeness]) -> list[Confidential]:
    """Return the attributes that rules are about."""
    return [rule.attribute for rule in rules]


def thresholds_of(rules: Sequence[Closeness]) -> list[Any]:
    """Return how far each rule lets groups be."""
    return [rule.t for rule in rules]
