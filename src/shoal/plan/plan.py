"""Plan: every choice of a run, validated once.

The same names and defaults hold in Python, in the TOML file, on the command line and in the web form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from pydantic import ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

from shoal.card import Card, screenful
from shoal.errors import PlanError
from shoal.kinds import Missing, Operator, Scale
from shoal.kinds.column import Spec
from shoal.options import explain, plain, refuse_huge_numbers, wrong_field
from shoal.partitioners import METHODS
from shoal.plan import registered_keys
from shoal.plan.attribute import Role, recoding_of, with_longitudes
from shoal.plan.attribute_blocks import why_not_guaranteed
from shoal.plan.consistency import check_consistency
from shoal.plan.overrides import overridden
from shoal.plan.plan_keys import RECORD, PlanKeys, ReleaseMode
from shoal.plan.toml import dump_toml, load_toml, parse_toml
from shoal.plan.totals import in_order
from shoal.protect import Demand
from shoal.protect.dominance import WITH_WEIGHTS
from shoal.protect.k_anonymity import KAnonymity
from shoal.protect.t_closeness import TCloseness

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _once(question: Callable[Concatenate[Plan, Asked], Answer]) -> Callable[Concatenate[Plan, Asked], Answer]:
    """Let a plan answer a question once: it is frozen, so that what was found once stays so."""

    @wraps(question)
    def answer(plan: Plan, /, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        about = (question, asked, *named.values())
        if about not in plan._answers:
            plan._answers[about] = question(plan, *asked, **named)
        answered: Answer = plan._answers[about]
        return answered

    return answer


class Plan(Card, PlanKeys):
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
    model_config = ConfigDict(extra="allow")

    if TYPE_CHECKING:  # what the registries bring is known to people who run a type checker by name alone

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, /, **values: Any) -> None:
        values = {name: plain(value) for name, value in values.items()}  # for what validators look at before their own
        refuse_huge_numbers(values)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise PlanError(explain(error, Plan.known_keys()), field=wrong_field(error)) from None

    @cached_property
    def _answers(self) -> dict[Any, Any]:
        return {}

    # A copy answers for itself: pydantic changes fields of one (model_copy) without making a new plan.
    def __copy__(self) -> Self:
        return super().__copy__()._without_answers()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return super().__deepcopy__(memo)._without_answers()

    def _without_answers(self) -> Self:
        vars(self).pop("_answers", None)
        return self

    @classmethod
    def known_keys(cls) -> dict[str, FieldInfo]:
        """Return every key that a plan may have, with its rules and words: its own, and those of the registries."""
        return {**cls.model_fields, **registered_keys.registered().model_fields}

    @model_validator(mode="before")
    @classmethod
    def _from_registries(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        own = {name: value for name, value in values.items() if name in cls.model_fields}
        if "attributes" in own:
            own["attributes"] = with_longitudes(own["attributes"])
        foreign = {name: value for name, value in values.items() if name not in own}
        others = registered_keys.registered(cls.model_fields)(**foreign)
        # The weight of an artificial attribute is told against quasi-identifiers that span [0, 1].
        if own.get("steer") or registered_keys.compares_on_unit_range(others):
            own = {"scale": Scale.MINMAX, **own}
        return {**own, **dict(others)}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_consistency(self)
        return self

    def demand(self) -> Demand:
        """Return what is asked of a table, in the terms of the guarantees; refuse what no registry knows any more."""
        return self._demand(registered_keys.registries())

    @_once
    def _demand(self, registries: registered_keys.Registries) -> Demand:
        values = self.model_dump(mode="json", exclude_defaults=True, include={*(self.model_extra or ())})
        return Demand(
            k=self.k,
            quasi_identifiers=self.names(Role.QUASI_IDENTIFIER),
            confidential={name: self.spec(name) for name in self.names(Role.CONFIDENTIAL)},
            sections=registered_keys.sections_of(values),
            by=self.by,
            subject=self.subject_column(),
            pseudonym=self.pseudonym_column(),
            averaged=self.averaged_names(),
            places=tuple((name, other.longitude) for name, other in self.attributes.items() if other.longitude),
            weights=self.weights,
            dominance=WITH_WEIGHTS if self.dominance is None and self.weights is not None else self.dominance,
            permuted=self.release is ReleaseMode.PERMUTE,
            masks_values=METHODS.named(self.method).masks_values,
            why_not_k=why_not_guaranteed(self),
            given_up=self.given_up(),
            spread=registered_keys.spread_of(self),
            intruder=self.intruder,
            seed=self.seed,
        )

    def given_up(self) -> str | None:
        """Return the guarantee that ``guarantee = false`` gives up: k where it cannot be promised, else a steered t."""
        if self.guarantee:
            return None
        return TCloseness.name if why_not_guaranteed(self) is None else KAnonymity.name

    @_once
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
        """Return what is asked of columns before records are compared, by the keys of the recodings in their order."""
        asked = {name: recoding_of(attribute) for name, attribute in self.attributes.items()}
        return {name: keys for name, keys in asked.items() if keys}

    @_once
    def subject_column(self) -> str | None:
        """Return the column of subjects, or None where every record counts as one."""
        return None if self.subject == RECORD and RECORD not in self.attributes else self.subject

    def pseudonym_column(self) -> str | None:
        """Return the column that leaves with pseudonyms in place of subjects, where one does."""
        return None if self.keep_subject is None else self.subject_column()

    @_once
    def dropped_names(self) -> tuple[str, ...]:
        """Return the columns that never leave."""
        return tuple(name for name in self.names(Role.IDENTIFIER) if name != self.pseudonym_column())

    def method_options(self) -> dict[str, Any]:
        """Return the options of the partitioning method."""
        return dict(registered_keys.options_of(METHODS[self.method], self))

    @_once
    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the plan's order."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    @_once
    def masked_names(self) -> tuple[str, ...]:
        """Return the quasi-identifiers as they are compared and masked: a place by its latitude, for both columns."""
        return tuple(name for name in self.names(Role.QUASI_IDENTIFIER) if self.attributes[name].latitude is None)

    def changed_names(self) -> tuple[str, ...]:
        """Return the columns whose released values are not the original ones, row by row."""
        return self.names(Role.CONFIDENTIAL if self.release is ReleaseMode.PERMUTE else Role.QUASI_IDENTIFIER)

    def recoded_names(self) -> tuple[str, ...]:
        """Return the columns whose values are not those that came in, whatever their role; totals of such too."""
        names = dict.fromkeys(self.recodings())
        for total in in_order(self.totals):
            if not names.keys().isdisjoint(total.parts):
                names[total.total] = None
        return tuple(names)

    @_once
    def judged_names(self) -> tuple[str, ...]:
        """Return the columns that leave as they are and must hold what the plan says: no name where a number stands.

        They are the confidential ones, and others of which it says that they are numbers, dates or which levels.
        """
        others = ((name, self.attributes[name]) for name in self.names(Role.OTHER))
        declared = [
            n for n, a in others if (a.compared is not None and a.compared.is_continuous) or a.order is not None
        ]
        return (*self.names(Role.CONFIDENTIAL), *declared)

    def method_attributes(self) -> str:
        """Return how the method treats the attributes of a block."""
        return METHODS[self.method].attributes

    @_once
    def averaged_names(self) -> tuple[str, ...]:
        """Return the quasi-identifiers in which a mean stands for a group."""
        masked = ((name, self.attributes[name]) for name in self.names(Role.QUASI_IDENTIFIER))
        return tuple(name for name, attribute in masked if attribute.operator is Operator.MEAN)

    def steering_names(self) -> tuple[str, ...]:
        """Return the columns besides the quasi-identifiers that groups should be alike in."""
        columns = (name for table in self.steer for name in table.columns)
        return tuple(dict.fromkeys((*self.dependence_names(), *columns)))

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
        categories = attribute.kind is not None and attribute.kind.is_categorical
        fits = self.missing is not Missing.CATEGORY or categories
        return attribute.missing or (self.missing if fits else Missing.ERROR)

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
        fields = Plan.known_keys()
        changed = overridden(self.to_dict(), {} if changes is None else changes, fields)
        return Plan(**overridden(changed, options, fields))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, defaults left out except the version; the columns come last."""
        values = self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        attributes = values.pop("attributes")
        return {"version": self.version, **values, "attributes": attributes}

    def __repr__(self) -> str:
        return screenful(self.to_toml().splitlines())

    __str__ = __repr__

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


def require_plan(plan: Any) -> None:
    """Refuse what is no plan."""
    if not isinstance(plan, Plan):
        raise PlanError(
            f"plan must be a shoal.Plan, not a {type(plan).__name__}: Plan.load(path) reads one from a file"
        )
