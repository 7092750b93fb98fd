"""p-Sensitivity: distinct l-diversity by its older name."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from shoal.options import Options
from shoal.protect.confidential import Confidential
from shoal.protect.diversity import DistinctDiversity, DistinctLDiversity


class PSensitivity(DistinctDiversity):
    """p-Sensitivity: at least p (here ``l``) different values in a group; distinct l-diversity by its older name.

    Notes
    -----
    Truta and Vinay 2006.
    """

    @property
    def rule(self) -> str:
        """What it asks, in words for messages."""
        return f"p-sensitivity with p = {self.l}"


class PSensitiveOptions(Options):
    """The key of ``[diversity]`` that asks for it."""

    p_sensitive: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        None, description="p-sensitive k-anonymity: different values in a group, by its other name"
    )


class PSensitiveKAnonymity(DistinctLDiversity):
    """The same rule and words as distinct l-diversity, under its own name."""

    name = "p_sensitivity"
    options: ClassVar[type[Options]] = PSensitiveOptions
    key = "p_sensitive"
    summary = "every class has at least p different values of each protected attribute"

    def rule(self, attribute: Confidential, section: Any) -> PSensitivity:
        """Count different values."""
        return PSensitivity(attribute, section.p_sensitive)
