"""The three adversaries of El Emam and Dankar: prosecutor, journalist and marketer."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.protect.guarantee import Demand
from shoal.protect.identification_risk import LEAST_FRACTION, IdentificationRisk, RiskOptions, Threshold


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
    example = "risk = { prosecutor = 0.1 }"
    summary = "whoever knows that a person is in the table finds the record by guessing with at most this chance"
    not_promised = "confidential values that all of a class share are known of each of them, without guessing"
    meaning = (
        "the chance to find the record of a person who is known to be in the table, 1 / subjects of its class, is at "
        "most {:.4g} for everybody"
    )


class JournalistOptions(RiskOptions):
    """The keys of ``[risk]`` that ask for it, and say how large the population is."""

    journalist: Threshold | None = Field(
        None, description="largest risk for whoever knows a person of the population: a number, public or restricted"
    )
    fraction: Annotated[float, Field(ge=LEAST_FRACTION, le=1, allow_inf_nan=False)] | None = Field(
        None, description="share of the population that is in the table (the plan's weights say it if left out)"
    )


class JournalistRisk(IdentificationRisk):
    """The greatest chance to find a person of the population, as El Emam and Dankar name it, by the expected risk."""

    name = "journalist_risk"
    options = JournalistOptions
    key = "journalist"
    of_population = True
    example = "risk = { journalist = 0.09, fraction = 0.5 }"
    summary = "whoever knows a person of the population finds the record by guessing with at most this expected chance"
    not_promised = (
        "it is an estimate by the sampling, and whoever knows that a person is in the table is the prosecutor"
    )
    meaning = (
        "the expected chance to find a person of the population, 1 / people who share its class there, is at most "
        "{:.4g} for everybody"
    )

    def check_options(self, demand: Demand) -> None:
        """Refuse a plan that does not say how large the population is."""
        super().check_options(demand)
        section: Any = demand.sections[self.section]
        if section.fraction is None and demand.weights is None:
            raise ValueError(
                "risk.journalist needs to know the population: give risk.fraction, the share of it that is in the "
                "table, or weights; or ask for prosecutor"
            )


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
    example = 'risk = { marketer = "public", fraction = 0.9 }'
    summary = "of all persons of the table, at most this share is expected to be found by guessing"
    not_promised = "it is a mean: single persons may be found with a greater chance"
    meaning = "at most a share of {:.4g} of all persons is expected to be found by guessing in their classes"

    def reached(self, risks: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
        """Return the mean over persons."""
        return float((risks @ sizes) / sizes.sum())
