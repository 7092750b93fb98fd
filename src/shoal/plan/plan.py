"""Plan: every choice of a run, validated once.

The same names and defaults hold in Python, in the TOML file, on the command line and in the web form.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

from shoal.card import Card, screenful
from shoal.encode import Spec
from shoal.errors import PlanError, nearest
from shoal.kinds import Kind, Missing, Operator, Scale
from shoal.options import Options, explain, plain, refuse_huge_numbers, wrong_field
from shoal.partition import METHODS
from shoal.plan.about import About
from shoal.plan.attribute import Attribute, Role
from shoal.plan.attribute_blocks import Blocks, check_blocks, why_not_guaranteed
from shoal.plan.direction import check_places, with_longitudes
from shoal.plan.fields import flattened
from shoal.plan.gaps import MissingValues
from shoal.plan.masking import check_masking
from shoal.plan.overrides import overridden
from shoal.plan.recoding import check_references, recodings_of
from shoal.plan.refinement import REFINE_WORDS, SECONDS_WORDS, UNREFINED, Refine, Seconds, check_refinement
from shoal.plan.sections import keys_of_a_plan, method_options, refuse_unused_options, registered, sections_of
from shoal.plan.steer_tables import Dependence, Steer, check_compared, check_dependence, check_steer
from shoal.plan.stream import Stream, check_stream
from shoal.plan.subject import check_keep_subject, check_subject, pseudonym_column, subject_column
from shoal.plan.suppress import Share as SuppressedShare
from shoal.plan.suppress import check_suppress_key
from shoal.plan.toml import dump_toml, load_toml, parse_toml
from shoal.plan.totals import Total, check_totals
from shoal.plan.way_to_closeness import check_way, compares_on_unit_range, spread_of
from shoal.protect import Demand, asked
from shoal.protect.dominance import WITH_WEIGHTS, DominanceOptions, Share
from shoal.protect.k_anonymity import K, KAnonymity
from shoal.protect.t_closeness import TCloseness


class ReleaseMode(StrEnum):
    """What is released of a group."""

    AGGREGATE = "aggregate"
    PERMUTE = "permute"


class Plan(Card, Options):
    """Every choice of a run.

    Parameters
    ----------
    attributes
        Every column of the table, by name.
    k
        Smallest group.
    method, seed, ...
        See the field descriptions, or ``docs/plan.md``.

    Examples
    --------
    >>> plan = Plan(k=5, attributes={
    ...     "name": {"role": "identifier"},
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ... })
    >>> plan.method, plan.names(Role.QUASI_IDENTIFIER)
    ('mdav', ('age',))
    """

    # Keys of methods and guarantees come from their registries; an unknown one is refused there.
    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=False)

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

    if TYPE_CHECKING:  # what the registries bring is known to people who run a type checker by name alone

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, /, **values: Any) -> None:
        values = {name: plain(value) for name, value in values.items()}  # for what validators look at before their own
        refuse_huge_numbers(values)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise PlanError(explain(error, Plan.known_keys()), field=wrong_field(error)) from None

    @classmethod
    def known_keys(cls) -> dict[str, FieldInfo]:
        """Return every key that a plan may have, with its rules and words: its own, and those of the registries."""
        return keys_of_a_plan(cls.model_fields)

    @field_validator("compare", mode="before")
    @classmethod
    def _by_path(cls, grid: Any) -> Any:
        # In TOML, closeness.t = [...] is a table in a table.
        return flattened(grid) if isinstance(grid, Mapping) else grid

    @model_validator(mode="before")
    @classmethod
    def _from_registries(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        own = {name: value for name, value in values.items() if name in cls.model_fields}
        if "attributes" in own:
            own["attributes"] = with_longitudes(own["attributes"])
        others = registered(cls.model_fields)(**{name: value for name, value in values.items() if name not in own})
        # The weight of an artificial attribute is told against quasi-identifiers that span [0, 1].
        if own.get("steer") or compares_on_unit_range(others):
            own = {"scale": Scale.MINMAX, **own}
        return {**own, **{name: getattr(others, name) for name in type(others).model_fields}}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        METHODS.named(self.method)
        if not self.names(Role.QUASI_IDENTIFIER):
            raise ValueError(
                "attributes must declare at least one quasi_identifier: without one there is nothing to mask"
            )
        refuse_unused_options(self, METHODS, self.method, "method {}")
        check_places(self)
        check_blocks(self)
        check_subject(self)
        check_keep_subject(self)
        self._check_columns()
        demand = self.demand()
        for guarantee in asked(demand):
            guarantee.check_options(demand)
        check_way(self)
        if self.dependence is not None:
            check_dependence(self.dependence, self.attributes)
        if self.steer:
            if self.scale is not Scale.MINMAX:
                raise ValueError(
                    'steer compares quasi-identifiers on [0, 1], so scale must be "minmax": leave scale out'
                )
            check_steer(self.steer, self.attributes, self.by)
        check_compared(self.method, self.compared_names(), self.attributes)
        if self.stream is not None:
            check_stream(self.stream, self.attributes)
        check_references(self)
        check_totals(self)
        check_suppress_key(self)
        check_masking(self)
        check_refinement(self)
        return self

    def _check_columns(self) -> None:
        """Refuse ``by`` and ``weights`` that name a column which cannot serve."""
        for option in ("by", "weights"):
            column = getattr(self, option)
            if column is None:
                continue
            if column not in self.attributes:
                raise ValueError(
                    f"{option} names {column!r}, which attributes do not declare{nearest(column, self.attributes)}"
                )
            if self.attributes[column].role is Role.IDENTIFIER:
                raise ValueError(f"{option} names {column!r}, which is an identifier and never leaves")
        if self.by is not None and self.attributes[self.by].role is Role.CONFIDENTIAL:
            raise ValueError(f"by names {self.by!r}, which is confidential: groups of one value would disclose it")
        if self.weights is not None and self.attributes[self.weights].role is Role.QUASI_IDENTIFIER:
            raise ValueError(f"weights names {self.weights!r}, which is a quasi_identifier: give it another role")

    def demand(self) -> Demand:
        """Return what is asked of a table, in the terms of the guarantees; refuse what no registry knows any more."""
        values = self.model_dump(mode="json", exclude_defaults=True, include={*(self.model_extra or ())})
        return Demand(
            k=self.k,
            quasi_identifiers=self.names(Role.QUASI_IDENTIFIER),
            confidential={name: self.spec(name) for name in self.names(Role.CONFIDENTIAL)},
            sections=sections_of(values),
            by=self.by,
            subject=subject_column(self),
            pseudonym=pseudonym_column(self),
            averaged=self.averaged_names(),
            places=tuple((name, other.longitude) for name, other in self.attributes.items() if other.longitude),
            weights=self.weights,
            dominance=WITH_WEIGHTS if self.dominance is None and self.weights is not None else self.dominance,
            permuted=self.release is ReleaseMode.PERMUTE,
            masks_values=METHODS.named(self.method).masks_values,
            why_not_k=why_not_guaranteed(self),
            given_up=self.given_up(),
            spread=spread_of(self),
            intruder=self.intruder,
            seed=self.seed,
        )

    def given_up(self) -> str | None:
        """Return the guarantee that ``guarantee = false`` gives up: k where it cannot be promised, else a steered t."""
        if self.guarantee:
            return None
        return TCloseness.name if why_not_guaranteed(self) is None else KAnonymity.name

    def spec(self, name: str) -> Spec:
        """Return how a column is compared, filled and averaged: its own choices, else the plan's."""
        attribute = self.attributes[name]
        kind = attribute.compared
        if kind is None:
            raise PlanError(f"attributes.{name}.kind is required where its values are compared")
        return Spec(
            name=name,
            kind=kind,
            order=attribute.order,
            missing=self.missing_policy(name),
            scale=attribute.scale or self.scale,
            weight=1.0 if attribute.weight is None else attribute.weight,
            aggregate=attribute.aggregate,
            round=self.round if attribute.round is None else attribute.round,
            taxonomy=attribute.taxonomy,
            longitude=attribute.longitude,
            period=attribute.period or 0.0,
        )

    def recodings(self) -> dict[str, dict[str, Any]]:
        """Return what is asked of columns before records are compared, by the keys of the recodings."""
        return recodings_of(self)

    def subject_column(self) -> str | None:
        """Return the column of subjects, or None where every record counts as one."""
        return subject_column(self)

    def pseudonym_column(self) -> str | None:
        """Return the column that leaves with pseudonyms in place of subjects, where one does."""
        return pseudonym_column(self)

    def dropped_names(self) -> tuple[str, ...]:
        """Return the columns that never leave."""
        return tuple(name for name in self.names(Role.IDENTIFIER) if name != self.pseudonym_column())

    def method_options(self) -> dict[str, Any]:
        """Return the options of the partitioning method."""
        return method_options(self.method, self)

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the plan's order."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role is role)

    def masked_names(self) -> tuple[str, ...]:
        """Return the quasi-identifiers as they are compared and masked: a place by its latitude, for both columns."""
        return tuple(name for name in self.names(Role.QUASI_IDENTIFIER) if self.attributes[name].latitude is None)

    def method_attributes(self) -> str:
        """Return how the method treats the attributes of a block."""
        return METHODS[self.method].attributes

    def averaged_names(self) -> tuple[str, ...]:
        """Return the quasi-identifiers in which a mean stands for a group."""
        masked = ((name, self.attributes[name]) for name in self.names(Role.QUASI_IDENTIFIER))
        return tuple(name for name, attribute in masked if attribute.operator is Operator.MEAN)

    def steering_names(self) -> tuple[str, ...]:
        """Return the columns besides the quasi-identifiers that groups should be alike in."""
        return tuple(
            dict.fromkeys((*self.dependence_names(), *(name for table in self.steer for name in table.columns)))
        )

    def compared_names(self) -> tuple[str, ...]:
        """Return the columns besides the quasi-identifiers whose distances count."""
        columns = (name for table in self.steer if table.kind == "column" for name in table.columns)
        return tuple(dict.fromkeys((*self.dependence_names(), *columns)))

    def dependence_names(self) -> tuple[str, ...]:
        """Return the confidential attributes that the partition looks at."""
        if self.dependence is None or self.dependence.weight == 0:
            return ()
        return self.dependence.attributes or self.names(Role.CONFIDENTIAL)

    def missing_policy(self, name: str) -> Missing:
        """Return the missing-value policy of a column that distances are measured on."""
        attribute = self.attributes[name]
        if attribute.missing is not None:
            return attribute.missing
        if self.missing is Missing.CATEGORY and attribute.kind not in (Kind.NOMINAL, Kind.ORDINAL):
            return Missing.ERROR
        return self.missing

    def replace(self, **changes: Any) -> Plan:
        """Return a copy with some fields changed, validated again."""
        return Plan(**{**self.to_dict(), **changes})

    def with_(self, changes: Mapping[str, Any] | None = None, /, **options: Any) -> Plan:
        """Return a copy with some fields changed, by the names that they have on the command line, validated again.

        Parameters
        ----------
        changes
            New values by path, as ``--set`` takes them: ``{"attributes.age.weight": 2}``.
        options
            New values by the names of options, with underscores: ``k``, ``t``, ``closeness_method``. A section changes
            the keys that it is given, ``closeness={"t": 0.1}``; `replace` puts another in its place. None leaves a
            field out, and its section where nothing in it asks for anything any more.

        Raises
        ------
        PlanError
            There is no such field, or the plan makes no sense with it.

        Examples
        --------
        >>> plan = Plan(k=5, attributes={
        ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
        ...     "pay": {"role": "confidential", "kind": "numeric"},
        ... })
        >>> closer = plan.with_(k=10, t=0.2, closeness_method="merge")
        >>> closer.k, closer.closeness.t, closer.with_(t=None) == plan.with_(k=10)
        (10, 0.2, True)
        >>> plan.with_({"attributes.age.weight": 2}).attributes["age"].weight
        2.0
        """
        known = Plan.known_keys()
        changed = overridden(self.to_dict(), {} if changes is None else changes, known)
        return Plan(**overridden(changed, options, known))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, defaults left out except the version; the columns come last."""
        values = self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        attributes = values.pop("attributes")
        return {"version": self.version, **values, "attributes": attributes}

    def __repr__(self) -> str:
        return screenful(self.to_toml().splitlines())

    def __str__(self) -> str:
        return repr(self)

    def __reduce__(self) -> Any:
        # The tables of registries are classes made at run time, which pickle does not find by name.
        return Plan.from_mapping, (self.to_dict(),)

    def to_toml(self) -> str:
        """Return the plan as TOML; ``Plan.parse`` reads it back to an equal plan."""
        return dump_toml(self.to_dict())

    def save(self, path: str | Path) -> None:
        """Write the plan as a TOML file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    @classmethod
    def parse(cls, text: str) -> Plan:
        """Read a plan from TOML text."""
        return cls.from_mapping(parse_toml(text))

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file."""
        return cls.from_mapping(load_toml(path))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Plan:
        """Build a plan from nested plain values, such as parsed TOML."""
        if "attributes" not in values:
            raise PlanError("the plan has no [attributes]: declare every column of the table there")
        return cls(**values)
