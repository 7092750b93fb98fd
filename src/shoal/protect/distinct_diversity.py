"""Distinct l-diversity: at least l different confidential values in every class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import Field

from shoal import _core
from shoal.errors import PlanError
from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.confidential_guarantee import ConfidentialGuarantee


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
    """The key of ``[diversity]`` that asks for it."""

    distinct: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        None, description="distinct l-diversity: different values in a group"
    )


class DistinctLDiversity(ConfidentialGuarantee):
    """So many different values of each protected attribute in every class."""

    name = "distinct_l_diversity"
    section = "diversity"
    options: ClassVar[type[Options]] = DistinctOptions
    key = "distinct"
    summary = "every class has at least l different values of each protected attribute"
    not_promised = "one of the values may be far more common than the others, or all of them may mean the same"

    def rule(self, attribute: Confidential, section: Any) -> DistinctDiversity:
        """Count different values."""
        return DistinctDiversity(attribute, section.distinct)

    def definition(self, rule: DistinctDiversity) -> tuple[float, str]:
        """Say how many values."""
        return rule.l, "every class of the released table has at least so many different confidential values"
