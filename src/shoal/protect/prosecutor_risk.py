"""Prosecutor risk: somebody knows that a person is in the table, and looks for the record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.protect.identification_risk import IdentificationRisk, RiskOptions, Threshold


class ProsecutorOptions(RiskOptions):
    """The key of ``[risk]`` that asks for it."""

    prosecutor: Threshold | None = Field(
        None, description="largest risk for whoever knows that a person is in the table: a number, public or restricted"
    )


class ProsecutorRisk(IdentificationRisk):
    """The greatest chance to find a person who is known to be in the table, as El Emam and Dankar name it."""

    name = "prosecutor_risk"
    options = ProsecutorOptions
    key = "prosecutor"
    of_population = False
    summary = "whoever knows that a person is in the table finds the record by guessing with at most this chance"
    not_promised = "confidential values that all of a class share are known of each of them, without guessing"

    def reached(self, risks: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
        """Return the greatest."""
        return float(risks.max())

    def definition(self, threshold: float) -> str:
        """Say how many share a class."""
        return (
            f"the chance to find the record of a person who is known to be in the table, 1 / subjects of its class, is "
            f"at most {threshold:.4g} for everybody"
        )
