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
    """How groups become t-close.

    Parameters
    ----------
    name
        In plans and messages.
    summary
        In a few words.
    options
        Its keys in ``[closeness]``.
    form
        ``form(points, rules, k, options, *, guarantee, progress) -> labels`` makes groups of its own; without it, the
        partitioning method's are merged. Without a guarantee, only `steered` leaves groups above t.
    spread
        ``spread(rules, k, options)`` tells how large its groups are, where it spreads them by construction.
    unit_range
        It compares quasi-identifiers on [0, 1].
    """

    name: str
    summary: str
    options: type[Options] = Options
    form: Callable[..., NDArray[np.int64]] | None = None
    spread: Callable[[Sequence[Closeness], int, Any], Spread] | None = None
    unit_range: bool = False


def attributes_of(rules: Sequence[Closeness]) -> list[Confidential]:
    """Return the attributes that rules are about."""
    return [rule.attribute for rule in rules]


def thresholds_of(rules: Sequence[Closeness]) -> list[Any]:
    """Return how far each rule lets groups be."""
    return [rule.t for rule in rules]
