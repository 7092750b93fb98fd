"""What the confidential values of a group must satisfy: t-closeness, l-diversity, p-sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.constrain.confidential import Confidential
from shoal.constrain.threshold import exact
from shoal.errors import GuaranteeError, PlanError


class Constraint(Protocol):
    """A rule that a group's values of one confidential attribute must keep."""

    @property
    def attribute(self) -> Confidential:
        """The attribute it speaks of."""

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""

    @property
    def kernel(self) -> _core.Constraint:
        """Its compiled side, the one judge of all algorithms."""

    def reached(self, shortfall: float) -> float:
        """Value that a group with this shortfall has of what the rule limits."""


@dataclass(frozen=True, eq=False)
class Closeness:
    """t-closeness: the group's distribution is within t of the table's.

    Parameters
    ----------
    attribute
        The confidential attribute.
    t
        Largest earth mover's distance, read as the decimal it is written as and compared exactly.

    Notes
    -----
    P1 Definition 2.

    Examples
    --------
    >>> rule = Closeness(Confidential.ordered([1.0, 2.0, 3.0, 4.0]), 0.1)
    >>> met([rule], np.array([0, 0, 1, 1]), 2), met([rule], np.array([0, 1, 1, 0]), 2)
    (array([False, False]), array([False, False]))
    """

    attribute: Confidential
    t: float | Fraction

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"t-closeness with t = {float(self.t):g}"

    def reached(self, shortfall: float) -> float:
        """Distance of a group with this shortfall."""
        return shortfall * float(exact(self.t))

    @cached_property
    def kernel(self) -> _core.Closeness:
        """Distances are ratios of integers, and so is t: they are compared as such."""
        t = exact(self.t)
        return _core.Closeness(self.attribute.kernel, t.numerator, t.denominator)


@dataclass(frozen=True, eq=False)
class DistinctDiversity:
    """Distinct l-diversity: at least ``l`` different values in a group.

    Notes
    -----
    A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, *l-Diversity: privacy beyond k-anonymity*, 2007.
    """

    attribute: Confidential
    l: int  # noqa: E741  the name of the parameter in the literature

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"distinct l-diversity with l = {self.l}"

    def reached(self, shortfall: float) -> float:
        """Different values in a group with this shortfall."""
        return round(self.l / shortfall)

    @cached_property
    def kernel(self) -> _core.Distinct:
        """Counts different codes."""
        if self.l < 1 or self.l != int(self.l):
            raise PlanError(f"the number of distinct values must be a whole number from 1, not {self.l!r}")
        return _core.Distinct(self.attribute.kernel, int(self.l))


class PSensitivity(DistinctDiversity):
    """p-Sensitivity: at least p (here ``l``) different values in a group; distinct l-diversity by its older name.

    Notes
    -----
    T. M. Truta and B. Vinay, *Privacy protection: p-sensitive k-anonymity property*, 2006.
    """

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"p-sensitivity with p = {self.l}"


@dataclass(frozen=True, eq=False)
class EntropyDiversity:
    """Entropy l-diversity: the entropy of a group's values is at least log ``l``, to a part in 10¹².

    Notes
    -----
    Machanavajjhala and others, 2007, Definition 4.1.
    """

    attribute: Confidential
    l: float  # noqa: E741  the name of the parameter in the literature

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"entropy l-diversity with l = {self.l:g}"

    def reached(self, shortfall: float) -> float:
        """Exponential of the entropy of a group with this shortfall."""
        return self.l / shortfall

    @cached_property
    def kernel(self) -> _core.Entropy:
        """Natural logarithms."""
        if not self.l >= 1:
            raise PlanError(f"l of entropy diversity must be at least 1, not {self.l!r}")
        return _core.Entropy(self.attribute.kernel, float(self.l))


@dataclass(frozen=True, eq=False)
class RecursiveDiversity:
    """Recursive (c, l)-diversity: the commonest value is not too common.

    With a group's counts in decreasing order r₁, r₂, …: r₁ < c·(r_l + r_{l+1} + …).

    Notes
    -----
    Machanavajjhala and others, 2007, Definition 4.2. ``c`` is read as the decimal it is written as.
    """

    attribute: Confidential
    c: float
    l: int  # noqa: E741  the name of the parameter in the literature

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"recursive (c, l)-diversity with c = {self.c:g} and l = {self.l}"

    def reached(self, shortfall: float) -> float:
        """The c that a group with this shortfall just misses."""
        return shortfall * self.c

    @cached_property
    def kernel(self) -> _core.Recursive:
        """Compares integers."""
        if self.l < 1 or self.l != int(self.l):
            raise PlanError(f"l of recursive diversity must be a whole number from 1, not {self.l!r}")
        if not 0 < self.c < 10**9:
            raise PlanError(f"c of recursive diversity must be positive and below 10⁹, not {self.c!r}")
        c = Fraction(repr(float(self.c))).limit_denominator(10**9)
        return _core.Recursive(self.attribute.kernel, c.numerator, c.denominator, int(self.l))


def met(constraints: Sequence[Constraint], labels: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Say for each of ``count`` groups whether it keeps all constraints."""
    verdict = np.ones(count, dtype=np.bool_)
    for constraint in constraints:
        verdict &= constraint.kernel.judge(labels, count)[1].view(np.bool_)
    return verdict


def require_possible(constraints: Sequence[Constraint], labels: NDArray[np.int64] | None = None) -> None:
    """Refuse constraints that even the coarsest groups do not keep: those of ``labels``, or the whole table as one."""
    for constraint in constraints:
        attribute = constraint.attribute
        coarsest = np.zeros(len(attribute), dtype=np.int64) if labels is None else labels
        sizes = np.bincount(coarsest)
        shortfall, kept = constraint.kernel.judge(coarsest, len(sizes))
        if not kept.all():
            worst = int(np.argmax(np.where(kept, -np.inf, shortfall)))
            reached = constraint.reached(float(shortfall[worst]))
            raise GuaranteeError(
                f"{attribute.name} cannot have {constraint.rule}: even all {sizes[worst]} records in one group reach "
                f"only {reached:.4g}, so ask for less",
                reached=reached,
            )
