"""The keys that every plan may have, with their rules and words; those of methods and guarantees are in `sections`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from shoal.kinds import Missing, Scale
from shoal.options import Options
from shoal.plan.about import About
from shoal.plan.attribute import Attribute
from shoal.plan.attribute_blocks import Blocks
from shoal.plan.fields import flattened
from shoal.plan.gaps import MissingValues
from shoal.plan.refinement import REFINE_WORDS, SECONDS_WORDS, UNREFINED, Refine, Seconds
from shoal.plan.steer_tables import Dependence, Steer
from shoal.plan.stream import Stream
from shoal.plan.suppress import Share as SuppressedShare
from shoal.plan.totals import Total
from shoal.protect.dominance import DominanceOptions, Share
from shoal.protect.k_anonymity import K


class ReleaseMode(StrEnum):
    """What is released of a group."""

    AGGREGATE = "aggregate"
    PERMUTE = "permute"


class PlanKeys(Options):
    """The keys that every plan may have, whatever the registries hold."""

    version: Literal[1] = Field(1, description="version of the plan's format")
    k: K = Field(description="smallest group of records that look alike")
    method: str = Field("mdav", description="partitioning method")
    seed: Annotated[int, Field(ge=0, strict=True)] = Field(0, description="seed of everything random")
    scale: Scale = Field(
        Scale.ZSCORE,
        description="how continuous columns are made comparable: zscore or minmax (zscore; with steer, minmax)",
    )
    missing: Missing = Field(
        Missing.ERROR, description="missing quasi-identifiers: error, category (nominal, ordinal), impute or keep"
    )
    missing_values: MissingValues = Field(
        (), description='cells that mean "no value", such as ["NA", -99]; in every column that lists none of its own'
    )
    refine: Refine = Field(UNREFINED, description=REFINE_WORDS)
    refine_seconds: Seconds | None = Field(None, description=SECONDS_WORDS)
    release: ReleaseMode = Field(
        ReleaseMode.AGGREGATE,
        description="aggregate: quasi-identifiers become their group's; permute: confidential values are shuffled "
        "inside each group and quasi-identifiers stay",
    )
    order: Literal["auto", "keep", "shuffle"] = Field(
        "auto",
        description="order of the released rows: auto shuffles them where they follow a masked or dropped column, keep "
        "never does, shuffle always",
    )
    preserve_variance: bool = Field(
        default=False, description="rescale masked continuous columns to the original mean and variance"
    )
    round: bool = Field(default=False, description="round masked numeric columns to the column's own precision")
    subject: str | None = Field(
        None,
        description="column that says whom a record is about: k counts distinct subjects; "
        'or "record" where every record is a subject of its own',
    )
    keep_subject: Literal["pseudonym"] | None = Field(
        None,
        description="pseudonym: the subject leaves as a random pseudonym, so that its rows can be followed; its "
        "quasi-identifiers must be the same in all of them",
    )
    by: str | None = Field(None, description="partition separately inside each value of this column")
    weights: str | None = Field(None, description="column of sampling weights for the mean of a group")
    dominance: Share | None = Field(None, description=DominanceOptions.model_fields["dominance"].description)
    blocks: Blocks | None = Field(
        None, description="quasi-identifiers to mask together, block by block (all in one block if left out)"
    )
    suppress: SuppressedShare | None = Field(
        None, description="largest share of records that may be dropped, those that cost most"
    )
    totals: tuple[Total, ...] = Field((), description="columns that are the sum of others, and stay it")
    guarantee: bool = Field(
        default=True,
        description="false: release by a method that cannot guarantee k, or leave steered groups above t, and measure "
        "what is reached",
    )
    intruder: tuple[tuple[str, ...], ...] | None = Field(
        None,
        description="without guarantee: sets of quasi-identifiers that an intruder may know, to measure k' on "
        "(a sample of sets of 1, 2 and 3 if left out)",
    )
    dependence: Dependence | None = Field(
        None, description="how much groups should also be alike in the confidential attributes"
    )
    steer: tuple[Steer, ...] = Field((), description="artificial attributes that groups should also be alike in")
    compare: dict[str, tuple[str | int | float | bool, ...]] = Field(
        default_factory=dict, description="what `shoal compare` tries: lists of values by the path of a field"
    )
    about: About | None = Field(
        None, description="what the release is, for the head of its report: title, purpose, recipient, contact, date"
    )
    stream: Stream | None = Field(None, description="how a stream is anonymized; only streams read it")
    attributes: dict[str, Attribute] = Field(description="every column of the table")

    @field_validator("compare", mode="before")
    @classmethod
    def _by_path(cls, grid: Any) -> Any:
        # In TOML, closeness.t = [...] is a table in a table.
        return flattened(grid) if isinstance(grid, Mapping) else grid
