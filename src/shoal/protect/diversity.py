"""l-Diversity: distinct, entropy and recursive."""

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

Count = Annotated[int, Field(ge=1, strict=True)]


@dataclass(frozen=True, eq=False)
class DistinctDiversity:
    """Distinct l-diversity: at least ``l`` different values in a group.

    Notes
    -----
    Machanavajjhala et al. 2007, section 3.
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


class DistinctOptions(Options):
    """The keys of ``[diversity]`` that ask for it: two names, of which the greater number counts."""

    distinct: Count | None = Field(None, description="distinct l-diversity: different values in a group")
    p_sensitive: Count | None = Field(
        None, description="p-sensitive k-anonymity: different values in a group, by its other name"
    )


class DistinctLDiversity(ConfidentialGuarantee):
    """So many different values of each protected attribute in every class (Truta and Vinay 2006: p-sensitivity)."""

    name = "distinct_l_diversity"
    section = "diversity"
    options = DistinctOptions
    key = "distinct"
    limit = "l"
    other_keys = ("p_sensitive",)
    example = "diversity = { distinct = 2 }"
    summary = "every class has at least l different values of each protected attribute"
    not_promised = "one of the values may be far more common than the others, or all of them may mean the same"
    meaning = "every class of the released table has at least so many different confidential values"

    def rule(self, attribute: Confidential, section: Any) -> DistinctDiversity:
        """Count different values."""
        return DistinctDiversity(attribute, max(section.distinct or 0, section.p_sensitive or 0))


@dataclass(frozen=True, eq=False)
class EntropyDiversity:
    """Entropy l-diversity: the entropy of a group's values is at least log ``l``, to a part in 10¹².

    Notes
    -----
    Machanavajjhala et al. 2007, Definition 4.1.
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


class EntropyOptions(Options):
    """The key of ``[diversity]`` that asks for it."""

    entropy: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = Field(
        None, description="entropy l-diversity: the entropy of a group is at least log l"
    )


class EntropyLDiversity(ConfidentialGuarantee):
    """Values as uncertain in every class as l equally likely ones."""

    name = "entropy_l_diversity"
    section = "diversity"
    options = EntropyOptions
    key = "entropy"
    limit = "l"
    example = "diversity = { entropy = 1.5 }"
    summary = "the values of each protected attribute are as uncertain in every class as l equally likely ones"
    not_promised = "how the values of a class differ from those of the whole table is not limited"
    meaning = "the entropy of the confidential values of every class is at least the logarithm of this"

    def rule(self, attribute: Confidential, section: Any) -> EntropyDiversity:
        """Bound the entropy from below."""
        return EntropyDiversity(attribute, section.entropy)


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
    l: Count = Field(  # noqa: E741  the name of the parameter in the literature
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
    limit = "c"
    example = "diversity = { recursive = { c = 3.0, l = 2 } }"
    summary = "the commonest value of each protected attribute is not too common in any class"
    not_promised = "how the values of a class differ from those of the whole table is not limited"
    largest_is_worst = True

    def rule(self, attribute: Confidential, section: Any) -> RecursiveDiversity:
        """Compare counts."""
        return RecursiveDiversity(attribute, section.recursive.c, section.recursive.l)

    def definition(self, rule: RecursiveDiversity) -> str:
        """Say how common."""
        return (
            f"in every class the commonest confidential value occurs less than c times as often as all but the "
            f"{rule.l - 1} commonest together"
        )
