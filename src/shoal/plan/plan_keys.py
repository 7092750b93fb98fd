"""The keys that every plan may have, with their rules and words; those of registries are in `registered_keys`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from shoal.kinds import Missing, Scale
from shoal.options import Key, Options
from shoal.plan.attribute import Attribute
from shoal.plan.attribute_blocks import Blocks
from shoal.plan.missing_values import MissingValues
from shoal.plan.overrides import flattened
from shoal.plan.steer_tables import Dependence, Steer
from shoal.plan.stream import Stream
from shoal.plan.totals import Total
from shoal.protect.dominance import DominanceOptions, Share
from shoal.protect.k_anonymity import K
from shoal.refinement.effort import EFFORTS, EffortName

MOST_CHARACTERS = 500
"""Of a text: page one of a report holds all of them."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that end a line, move a cursor, or turn the order of what stands around them."""


def _one_line(text: str) -> str:
    if not text.strip() or _CONTROLS.search(text):
        raise ValueError("must be a text of one line that is not blank, without control characters")
    return text.strip()


def _written(day: Any) -> Any:
    """Write what TOML reads as a day or a moment as it stood there: a moment is no day, and is refused as one."""
    return day.isoformat() if isinstance(day, date | time) else day


def _a_day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"must be a day such as 2026-03-31, not {text!r}") from None


Text = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_one_line)]
Day = Annotated[str, BeforeValidator(_written), AfterValidator(_a_day)]


class About(Options):
    """What a release is: the head of its report, in both editions, and in the manifest."""

    title: Text | None = Field(None, description="what the release is called")
    purpose: Text | None = Field(None, description="what it is released for")
    recipient: Text | None = Field(None, description="who gets it")
    contact: Text | None = Field(None, description="whom to ask about it")
    date: Annotated[Day | None, Key(example='about = { date = "2026-03-31" }')] = Field(
        None, description="the day of the release, such as 2026-03-31"
    )


UNREFINED: Literal["none"] = "none"

RECORD = "record"
"""What ``subject`` says where every record is a subject of its own; a column of this name goes first."""

Refine = Literal["none", EffortName]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_EFFORT_WORDS = {UNREFINED: "groups stay as they were formed"} | {name: each.summary for name, each in EFFORTS.items()}
_REFINE_WORDS = "move records between groups so that less is lost, every promise kept: " + "; ".join(
    f"{name}: {words}" for name, words in _EFFORT_WORDS.items()
)


class ReleaseMode(StrEnum):
    """What is released of a group."""

    AGGREGATE = "aggregate"
    PERMUTE = "permute"


class PlanKeys(Options):
    """The keys that every plan may have, whatever the registries hold."""

    version: Annotated[Literal[1], Key(in_streams="read")] = Field(1, description="version of the plan's format")
    k: Annotated[K, Key(in_streams="read")] = Field(description="smallest group of records that look alike")
    method: Annotated[str, Key(example='method = "vmdav"')] = Field("mdav", description="partitioning method")
    seed: Annotated[Annotated[int, Field(ge=0, strict=True)], Key(in_streams="read")] = Field(
        0, description="seed of everything random"
    )
    scale: Scale = Field(
        Scale.ZSCORE,
        description="how continuous columns are made comparable: zscore or minmax (zscore; with steer, minmax)",
    )
    missing: Annotated[Missing, Key(in_streams="read")] = Field(
        Missing.ERROR, description="missing quasi-identifiers: error, category (nominal, ordinal), impute or keep"
    )
    missing_values: Annotated[MissingValues, Key(in_streams="read")] = Field(
        (), description='cells that mean "no value", such as ["NA", -99]; in every column that lists none of its own'
    )
    refine: Annotated[Refine, Key(in_streams="passed over")] = Field(UNREFINED, description=_REFINE_WORDS)
    refine_seconds: Annotated[
        Seconds | None,
        Key(
            in_streams="passed over",
            not_on_spark="lets the clock of each worker decide what is released: choose an effort",
            example='refine = "good"\nrefine_seconds = 2.5',
        ),
    ] = Field(None, description="seconds that refining may take at most; the same plan may then give other groups")
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
    round: Annotated[bool, Key(in_streams="read")] = Field(
        default=False, description="round masked numeric columns to the column's own precision"
    )
    subject: Annotated[str | None, Key(in_streams="read", example='subject = "record"')] = Field(
        None,
        description="column that says whom a record is about: k counts distinct subjects; "
        'or "record" where every record is a subject of its own',
    )
    keep_subject: Annotated[
        Literal["pseudonym"] | None, Key(example='subject = "name"\nkeep_subject = "pseudonym"')
    ] = Field(
        None,
        description="pseudonym: the subject leaves as a random pseudonym, so that its rows can be followed; its "
        "quasi-identifiers must be the same in all of them",
    )
    by: Annotated[str | None, Key(example='by = "town"\n[attributes]\ntown = { role = "other" }')] = Field(
        None, description="partition separately inside each value of this column"
    )
    weights: Annotated[str | None, Key(example='weights = "weight"')] = Field(
        None, description="column of sampling weights for the mean of a group"
    )
    dominance: Share | None = Field(None, description=DominanceOptions.model_fields["dominance"].description)
    blocks: Blocks | None = Field(
        None, description="quasi-identifiers to mask together, block by block (all in one block if left out)"
    )
    suppress: Annotated[
        Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] | None,
        Key(not_on_spark="chooses the costliest of all records, which lie in fragments on Spark"),
    ] = Field(None, description="largest share of records that may be dropped, those that cost most")
    totals: tuple[Total, ...] = Field((), description="columns that are the sum of others, and stay it")
    guarantee: Annotated[bool, Key(example='method = "mic1d"\nguarantee = false')] = Field(
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
    compare: Annotated[dict[str, tuple[str | int | float | bool, ...]], Key(in_streams="passed over")] = Field(
        default_factory=dict, description="what `shoal compare` tries: lists of values by the path of a field"
    )
    about: Annotated[About | None, Key(in_streams="passed over")] = Field(
        None, description="what the release is, for the head of its report: title, purpose, recipient, contact, date"
    )
    stream: Annotated[Stream | None, Key(in_streams="read")] = Field(
        None, description="how a stream is anonymized; only streams read it"
    )
    attributes: Annotated[dict[str, Attribute], Key(in_streams="read")] = Field(description="every column of the table")

    @field_validator("compare", mode="before")
    @classmethod
    def _by_path(cls, grid: Any) -> Any:
        # In TOML, closeness.t = [...] is a table in a table.
        return flattened(grid) if isinstance(grid, Mapping) else grid
