"""Recursive (c, l)-diversity: no confidential value is too common in a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from shoal import _core
from shoal.errors import PlanError
from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.confidential_guarantee import ConfidentialGuarantee


@dataclass(frozen=True, eq=False)
class RecursiveDiversity:
    """Recursive (c, l)-diversity: the commonest value is not too common.

    With a group's counts in decreasing order r₁, r₂, …: r₁ < c·(r_l + r_{l+1} + …).

    Notes
    -----
    Machanavajjhala et al. 2007, Definition 4.2. ``c`` is read as the decimal it is written as.
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


class Recursive(Options):
    """Recursive (c, l)-diversity."""

    c: Annotated[float, Field(gt=0, lt=1e9)] = Field(
        description="the commonest value occurs less than c times the rest"
    )
    l: Annotated[int, Field(ge=1, strict=True)] = Field(  # noqa: E741  the name of the parameter in the literature
        description="the rest: all values but the l - 1 commonest"
    )


class RecursiveOptions(Options):
    """The key of ``[diversity]`` that asks for it."""

    recursive: Recursive | None = Field(
        None, description="recursive (c, l)-diversity: the commonest value is not too common"
    )


class RecursiveCLDiversity(ConfidentialGuarantee):
    """The commonest value of every class is rarer than c times all but the l − 1 commonest."""

    name = "recursive_c_l_diversity"
    section = "diversity"
    options = RecursiveOptions
    key = "recursive"
    summary = "the commonest value of each protected attribute is not too common in any class"
    not_promised = "how the values of a class differ from those of the whole table is not limited"
    largest_is_worst = True

    def rule(self, attribute: Confidential, section: Any) -> RecursiveDiversity:
        """Compare counts."""
        return RecursiveDiversity(attribute, section.recursive.c, section.recursive.l)

    def definition(self, rule: RecursiveDiversity) -> tuple[float, str]:
        """Say how common."""
        return rule.c, (
            f"in every class the commonest confidential value occurs less than c times as often as all but the "
            f"{rule.l - 1} commonest together"
        )
