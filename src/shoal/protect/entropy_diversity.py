"""Entropy l-diversity: confidential values that are spread evenly in every class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from shoal import _core
from shoal.errors import PlanError
from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.confidential_guarantee import ConfidentialGuarantee


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
    summary = "the values of each protected attribute are as uncertain in every class as l equally likely ones"
    not_promised = "how the values of a class differ from those of the whole table is not limited"

    def rule(self, attribute: Confidential, section: Any) -> EntropyDiversity:
        """Bound the entropy from below."""
        return EntropyDiversity(attribute, section.entropy)

    def definition(self, rule: EntropyDiversity) -> tuple[float, str]:
        """Say which entropy."""
        return rule.l, "the entropy of the confidential values of every class is at least the logarithm of this"
