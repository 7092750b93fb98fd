"""What a stream of arrays is anonymized by, validated once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from shoal import _core
from shoal.errors import PlanError
from shoal.exact import exact

LARGEST = 1e300
"""Continuous values beyond this are refused: their differences and sums must not overflow."""


@dataclass(frozen=True, kw_only=True)
class ContinuousSetting:
    """A continuous attribute.

    Parameters
    ----------
    weight
        Multiplies squared differences.
    bounds
        The least and greatest value, which become 0 and 1 in the distance; None takes the least and the greatest
        seen so far. A value outside given bounds counts as the bound in distances, and as itself in averages.
    operator
        ``mean`` or ``median``.
    """

    weight: float = 1.0
    bounds: tuple[float, float] | None = None
    operator: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        _check_weight(self.weight)
        if self.bounds is None:
            return
        low, high = self.bounds
        if not (-LARGEST <= low <= high <= LARGEST):
            raise PlanError(f"bounds must be two finite numbers, the least first, not {low!r} and {high!r}")


@dataclass(frozen=True, kw_only=True)
class OrdinalSetting:
    """An ordinal attribute: ranks from 0 to ``levels - 1``, which lie 1/levels apart (P0 §III.C.2)."""

    levels: int
    weight: float = 1.0
    operator: Literal["median", "convex_median", "mode"] = "median"

    def __post_init__(self) -> None:
        _check_weight(self.weight)
        if self.levels < 1:
            raise PlanError(f"an ordinal attribute has at least one level, not {self.levels}")


@dataclass(frozen=True, kw_only=True)
class NominalSetting:
    """A nominal attribute: whole-numbered codes, equal or different."""

    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_weight(self.weight)


@dataclass(frozen=True, kw_only=True)
class ClosenessSetting:
    """A confidential attribute: groups must be within t of the stream so far, by the ordered or the equal distance."""

    t: float
    nominal: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.t <= 1:
            raise PlanError(f"t must be from 0 to 1, not {self.t!r}")


@dataclass(frozen=True, kw_only=True)
class StreamSettings:
    """Every choice of a stream of arrays.

    Parameters
    ----------
    k
        Distinct subjects in a released group.
    max_delay
        δ: a tuple leaves, or is dropped, when this many have arrived after it.
    position_weight
        ω_p: what a step in the stream counts in the distance.
    sweeps
        Rounds of greedy swaps that improve a group; 0 leaves the nearest tuples as they are.
    subjects
        Tuples name their subjects; otherwise each tuple is a subject of its own.
    coords, ranks, codes
        The quasi-identifiers: continuous, ordinal, nominal.
    impute
        Cells may be missing.
    confidential
        The confidential attributes that groups must be t-close on, if any.
    on_unclose
        What happens to a tuple whose group cannot be made t-close: ``"drop"``, or ``"merge"`` it into the class of a
        group that left before.

    Examples
    --------
    >>> StreamSettings(k=3, max_delay=10, coords=(ContinuousSetting(), ContinuousSetting(weight=2.0))).width
    2
    """

    k: int
    max_delay: int = 100
    position_weight: float = 0.01
    sweeps: int = 2
    subjects: bool = False
    coords: tuple[ContinuousSetting, ...] = ()
    ranks: tuple[OrdinalSetting, ...] = ()
    codes: tuple[NominalSetting, ...] = ()
    impute: bool = False
    confidential: tuple[ClosenessSetting, ...] = ()
    on_unclose: Literal["drop", "merge"] = "drop"

    def __post_init__(self) -> None:
        if self.k < 2:
            raise PlanError(f"k must be at least 2, not {self.k}: a group of one record hides nobody")
        if self.max_delay < self.k - 1:
            raise PlanError(
                f"max_delay is {self.max_delay} but k is {self.k}: a group of k needs a delay of at least k - 1 tuples"
            )
        if not (math.isfinite(self.position_weight) and self.position_weight >= 0):
            raise PlanError(f"position_weight must be a number from 0 up, not {self.position_weight!r}")
        if self.sweeps < 0:
            raise PlanError(f"sweeps must be at least 0, not {self.sweeps}")
        if self.width == 0:
            raise PlanError("a stream needs at least one quasi-identifier: without one there is nothing to mask")
        if self.on_unclose == "merge" and not self.confidential:
            raise PlanError('on_unclose = "merge" changes nothing without a confidential attribute to be close on')

    @property
    def width(self) -> int:
        """How many quasi-identifiers there are."""
        return len(self.coords) + len(self.ranks) + len(self.codes)

    @property
    def no_reordering(self) -> float:
        """The position weight beyond which every group is a run of consecutive tuples (P4, Proposition 2)."""
        parts: tuple[tuple[ContinuousSetting | OrdinalSetting | NominalSetting, ...], ...] = (
            self.coords,
            self.ranks,
            self.codes,
        )
        most = sum(attribute.weight for part in parts for attribute in part)
        return (self.k - 1) * math.sqrt(most / (2 * self.k - 1))

    def for_kernel(self) -> dict[str, Any]:
        """Return the settings as the kernel takes them."""
        nan = math.nan
        return {
            "k": self.k,
            "max_delay": self.max_delay,
            "position_weight": self.position_weight,
            "sweeps": self.sweeps,
            "subjects": self.subjects,
            "coord_weights": [math.sqrt(axis.weight) for axis in self.coords],
            "lows": [nan if axis.bounds is None else axis.bounds[0] for axis in self.coords],
            "highs": [nan if axis.bounds is None else axis.bounds[1] for axis in self.coords],
            "coord_operators": [_core.Operator[axis.operator] for axis in self.coords],
            "rank_steps": [math.sqrt(axis.weight) / axis.levels for axis in self.ranks],
            "rank_unit_steps": [1 / axis.levels for axis in self.ranks],
            "rank_levels": [axis.levels for axis in self.ranks],
            "rank_operators": [_core.Operator[axis.operator] for axis in self.ranks],
            "code_weights": [axis.weight for axis in self.codes],
            "impute": self.impute,
            "t": [exact(hidden.t).as_integer_ratio() for hidden in self.confidential],
            "confidential_nominal": [hidden.nominal for hidden in self.confidential],
            "merge": self.on_unclose == "merge",
        }


def _check_weight(weight: float) -> None:
    if not (math.isfinite(weight) and weight > 0):
        raise PlanError(f"weight must be a number above 0, not {weight!r}")
