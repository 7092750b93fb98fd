"""What a stream of arrays is anonymized by, validated once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal import _core
from shoal.errors import PlanError
from shoal.exact import exact
from shoal.kinds import Kind, Operator
from shoal.kinds.stream_column import LARGEST
from shoal.options import checked
from shoal.plan.stream import Stream

_DEFAULTS = checked(Stream)
_ALIKE = ("k", "max_delay", "position_weight", "sweeps", "subjects", "impute", "seed")  # in the kernel
SHARED = ("max_delay", "position_weight", "sweeps", "on_unclose")  # with the section of a plan


@dataclass(frozen=True, kw_only=True)
class AxisSetting:
    """A quasi-identifier, or one axis of it: what its squared differences are multiplied by, and what stands for it."""

    kind: ClassVar[Kind]
    operator: Operator
    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_weight(self.weight)
        if self.operator not in self.kind.operators:
            raise PlanError(f"operator must be {' or '.join(self.kind.operators)} here, not {self.operator!r}")


@dataclass(frozen=True, kw_only=True)
class ContinuousSetting(AxisSetting):
    """A continuous attribute: its mean or median, and the bounds that become 0 and 1 in the distance.

    Without bounds these are the least and the greatest value seen so far. A value outside given ones counts as the
    bound in distances, and as itself in averages.
    """

    kind = Kind.NUMERIC
    bounds: tuple[float, float] | None = None
    operator: Operator = Operator.MEAN

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bounds is None:
            return
        low, high = self.bounds
        if not (-LARGEST <= low <= high <= LARGEST):
            raise PlanError(f"bounds must be two finite numbers, the least first, not {low!r} and {high!r}")


@dataclass(frozen=True, kw_only=True)
class OrdinalSetting(AxisSetting):
    """An ordinal attribute: ranks from 0, 1/levels apart (Domingo-Ferrer and Torra 2005, section III.C.2)."""

    kind = Kind.ORDINAL
    levels: int
    operator: Operator = Operator.MEDIAN

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels < 1:
            raise PlanError(f"an ordinal attribute has at least one level, not {self.levels}")


@dataclass(frozen=True, kw_only=True)
class NominalSetting(AxisSetting):
    """A nominal attribute, or one level of its tree: whole-numbered codes, equal or different; mode or draw."""

    kind = Kind.NOMINAL
    share: float = 1.0  # what a difference is of one in the whole attribute, by which errors are counted
    operator: Operator = Operator.MODE

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_weight(self.share)


@dataclass(frozen=True, kw_only=True)
class ClosenessSetting:
    """A confidential attribute: groups must be within t of the stream so far, by the ordered or the equal distance.

    Soria-Comas et al. 2015, Definition 2. t is read as the decimal it is written as and compared exactly, as in tables.
    """

    t: float
    nominal: bool = False

    def __post_init__(self) -> None:
        exact(self.t)  # refuses what is no threshold


@dataclass(frozen=True, kw_only=True)
class StreamSettings:
    """Every choice of a stream of arrays; those of the section ``[stream]`` of a plan with its rules and defaults.

    >>> StreamSettings(k=3, max_delay=10, coords=(ContinuousSetting(), ContinuousSetting(weight=2.0))).width
    2
    """

    k: int  # distinct subjects in a released group
    max_delay: int = _DEFAULTS.max_delay
    position_weight: float = _DEFAULTS.position_weight
    sweeps: int = _DEFAULTS.sweeps
    subjects: bool = False  # tuples name their subjects; otherwise each tuple is a subject of its own
    coords: tuple[ContinuousSetting, ...] = ()  # the quasi-identifiers: continuous,
    ranks: tuple[OrdinalSetting, ...] = ()  # ordinal,
    codes: tuple[NominalSetting, ...] = ()  # nominal
    impute: bool = False  # cells may be missing
    confidential: tuple[ClosenessSetting, ...] = ()  # that groups must be t-close on
    on_unclose: Literal["drop", "merge"] = _DEFAULTS.on_unclose
    seed: int = 0  # of the order in which the tuples of a group leave; what came before decides it, too

    def __post_init__(self) -> None:
        if self.k < 2:
            raise PlanError(f"k must be at least 2, not {self.k}: a group of one record hides nobody")
        if self.max_delay < self.k - 1:
            raise PlanError(
                f"max_delay is {self.max_delay} but k is {self.k}: a group of k needs a delay of at least k - 1 tuples"
            )
        checked(Stream, **{name: getattr(self, name) for name in SHARED})
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
        """The position weight beyond which groups are runs of tuples (Domingo-Ferrer and Soria-Comas 2017, Prop. 2)."""
        axes: tuple[AxisSetting, ...] = (*self.coords, *self.ranks, *self.codes)
        most = sum(axis.weight for axis in axes)
        return (self.k - 1) * math.sqrt(most / (2 * self.k - 1))

    def for_kernel(self) -> dict[str, Any]:
        """Return the settings as the kernel takes them."""
        nan = math.nan
        return {
            **{name: getattr(self, name) for name in _ALIKE},
            "coord_weights": [math.sqrt(axis.weight) for axis in self.coords],
            "lows": [nan if axis.bounds is None else axis.bounds[0] for axis in self.coords],
            "highs": [nan if axis.bounds is None else axis.bounds[1] for axis in self.coords],
            "coord_operators": [_core.Operator[axis.operator] for axis in self.coords],
            "rank_steps": [math.sqrt(axis.weight) / axis.levels for axis in self.ranks],
            "rank_unit_steps": [1 / axis.levels for axis in self.ranks],
            "rank_levels": [axis.levels for axis in self.ranks],
            "rank_operators": [_core.Operator[axis.operator] for axis in self.ranks],
            "code_weights": [axis.weight for axis in self.codes],
            "code_units": [axis.share for axis in self.codes],
            "code_operators": [_core.Operator[axis.operator] for axis in self.codes],
            "t": [exact(hidden.t).as_integer_ratio() for hidden in self.confidential],
            "confidential_nominal": [hidden.nominal for hidden in self.confidential],
            "merge": self.on_unclose == "merge",
        }


def _check_weight(weight: float) -> None:
    if not (math.isfinite(weight) and weight > 0):
        raise PlanError(f"weight must be a number above 0, not {weight!r}")
