"""Outcome: what an attack found, before it is told beside its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.attempt import Source


@dataclass(frozen=True)
class Baseline:
    """A rate of success that is no fault of the release; `Attempt` says what the parts mean."""

    rate: float
    text: str
    source: Source = "chance"
    tried: int | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attack found.

    Parameters
    ----------
    chances
        Of each person tried, the chance that the attack succeeds: 1/c where it must guess between c.
    baseline
        What it is compared with.
    total
        How many persons could have been tried; as many as were if None.
    attribute
        The confidential attribute that was guessed.
    promised
        Whether the plan promises 1/k against it; what the attack says if None.
    choices
        How many variants were tried of which this is the best: the interval is widened for them.
    detail
        Other numbers.
    """

    chances: NDArray[np.float64]
    baseline: Baseline
    total: int | None = None
    attribute: str | None = None
    promised: bool | None = None
    choices: int = 1
    detail: Mapping[str, float] = field(default_factory=dict)
