"""Marketer risk: somebody tries to find as many persons as possible, and does not mind mistakes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.protect.identification_risk import IdentificationRisk, RiskOptions, Threshold


class MarketerOptions(RiskOptions):
    """The key of ``[risk]`` that asks for it."""

    marketer: Threshold | None = Field(
        None, description="largest share of persons that may be found on average: a number, public or restricted"
    )


class MarketerRisk(IdentificationRisk):
    """The share of persons that are expected to be found, as Dankar and El Emam name it."""

    name = "marketer_risk"
    options = MarketerOptions
    key = "marketer"
    of_population = True
    summary = "of all persons of the table, at most this share is expected to be found by guessing"
    not_promised = "it is a mean: single persons may be found with a greater chance"

    def reached(self, risks: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
        """Return the mean over persons."""
        return float((risks @ sizes) / sizes.sum())

    def definition(self, threshold: float) -> str:
        """Say what share is found."""
        return f"at most a share of {threshold:.4g} of all persons is expected to be found by guessing in their classes"
