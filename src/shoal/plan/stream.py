"""The section ``[stream]`` of a plan: how a stream is anonymized. Only streams read it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field, model_validator

from shoal.options import Key, Options
from shoal.plan.attribute import Attribute, Role
from shoal.recode.clip import Bound, as_number


class Stream(Options):
    """How a stream is anonymized (Domingo-Ferrer and Soria-Comas 2017, section V)."""

    max_delay: Annotated[int, Field(ge=1, strict=True)] = Field(
        100, description="δ: a tuple leaves, or is dropped, when this many have arrived after it"
    )
    position_weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        0.01, description="ω_p: what a step in the stream counts in the distance; large values keep the order"
    )
    sweeps: Annotated[int, Field(ge=0, strict=True)] = Field(
        2, description="rounds of swaps that improve a group; 0 takes the nearest records as they are"
    )
    on_unclose: Annotated[
        Literal["drop", "merge"],
        Key(example='closeness = { t = 0.2 }\nstream = { on_unclose = "merge" }'),
    ] = Field(
        "drop", description="a record whose group cannot be t-close is dropped, or joins a group that left before"
    )
    bounds: dict[str, tuple[Bound, Bound]] = Field(
        default_factory=dict,
        description="least and greatest value of continuous columns; columns left out use the ones seen so far",
    )

    @model_validator(mode="before")
    @classmethod
    def _moved(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "subject" in values:
            raise ValueError("stream.subject is now a key of the plan itself, for tables and streams: move it up")
        return values

    @model_validator(mode="after")
    def _ordered(self) -> Stream:
        for name, (low, high) in self.bounds.items():
            if isinstance(low, datetime) != isinstance(high, datetime) or as_number(low) > as_number(high):
                raise ValueError(f"bounds of {name!r} must be two values of one kind, the least first")
        return self


class StreamKeywords(TypedDict, total=False):
    """The section as keywords, for type checkers: what they mean, their rules and defaults stand in `Stream` alone."""

    max_delay: int
    position_weight: float
    sweeps: int
    on_unclose: Literal["drop", "merge"]
    bounds: Mapping[str, tuple[float | datetime, float | datetime]]


def check_stream(stream: Stream, attributes: Mapping[str, Attribute]) -> None:
    """Refuse a section that does not fit the columns."""
    for name in stream.bounds:
        attribute = attributes.get(name)
        kind = None if attribute is None or attribute.role is not Role.QUASI_IDENTIFIER else attribute.kind
        if attribute is None or kind is None or not kind.is_continuous:
            raise ValueError(f"stream.bounds names {name!r}, which is not a numeric or date quasi_identifier")
        dates = isinstance(stream.bounds[name][0], datetime)
        if dates != (attribute.compared == "date"):
            raise ValueError(f"stream.bounds of {name!r} must be {'dates' if not dates else 'numbers'}")
