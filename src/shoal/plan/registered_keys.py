"""The keys of a plan that its registries bring: options of methods, tables of guarantees and of ways to closeness.

What a partitioner, a guarantee or a way declares in its own file stands here as keys of the plan, with the same rules
and words. Nothing is listed twice: a new entry of a registry is a new key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model, model_validator

from shoal.constrain import WAYS, Way
from shoal.errors import PlanError
from shoal.kinds import Scale
from shoal.options import Key, Options, checked
from shoal.partitioners import METHODS, Method
from shoal.protect import GUARANTEES, Closeness, ConfidentialGuarantee, Guarantee, Spread, asked
from shoal.protect.confidential_guarantee import ProtectedAttributes

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


CLOSENESS = "closeness"
"""The table whose ``method`` names a way."""

Registries = tuple[tuple[Method, ...], tuple[Guarantee, ...], tuple[Way, ...]]


class _Protections(ProtectedAttributes):
    """A table of guarantees on confidential attributes: it must ask for one of them."""

    @model_validator(mode="after")
    def _asks_something(self) -> _Protections:
        keys = [
            key
            for guarantee in GUARANTEES.values()
            if isinstance(guarantee, ConfidentialGuarantee) and guarantee.section == type(self).__name__
            for key in guarantee.keys
        ]
        if all(getattr(self, key) is None for key in keys):
            others = f"{', '.join(keys[:-1])} or " if len(keys) > 1 else ""
            raise ValueError(f"asks for nothing: give {others}{keys[-1]}")
        return self


def registered(own: Collection[str] = ()) -> type[Options]:
    """Return the model of all keys that registries bring to a plan; each is optional, and none is the plan's own."""
    model = _registered(registries())
    _refuse_shared("the plan", own, model.model_fields)
    return model


def registries() -> Registries:
    """Return what is registered now: what a plan asks for means something in these alone."""
    return tuple(METHODS.values()), tuple(GUARANTEES.values()), tuple(WAYS.values())


@lru_cache(maxsize=8)
def _registered(registries: Registries) -> type[Options]:
    methods, guarantees, ways = registries
    fields: dict[str, Any] = _owned({method.name: method.options for method in methods})
    sections = tuple(dict.fromkeys(guarantee.section for guarantee in guarantees if guarantee.section))
    _refuse_shared("the plan", fields, sections)
    for section in sections:
        own = [guarantee for guarantee in guarantees if guarantee.section == section]
        model = _section(section, own, ways if section == CLOSENESS else ())
        about = "; ".join(guarantee.summary for guarantee in own)
        key = Key(in_streams="read" if any(guarantee.in_streams for guarantee in own) else "refused")
        fields[section] = (Annotated[model | None, key], Field(None, description=about))
    return create_model("Registered", __base__=Options, **fields)


def _section(name: str, guarantees: Sequence[Guarantee], ways: Sequence[Way]) -> type[Options]:
    """Return the model of one table: the keys of its guarantees, and of the ways to them."""
    own = tuple(dict.fromkeys(guarantee.options for guarantee in guarantees))
    protects = any(isinstance(guarantee, ConfidentialGuarantee) for guarantee in guarantees)
    base = _Protections if protects else Options
    fields: dict[str, Any] = {}
    if ways:
        words = "; ".join(f"{way.name}: {way.summary}" for way in ways)
        names = Literal[tuple(way.name for way in ways)]  # type: ignore[valid-type]
        fields["method"] = (names, Field(ways[0].name, description=words))
        fields |= _owned({way.name: way.options for way in ways})
    _refuse_shared(f"[{name}]", *(model.model_fields for model in (base, *own)), fields)
    # Keys stand in the order of the registry: pydantic lists those of the last base first.
    bases = (*((base,) if protects else ()), *reversed(own))
    return create_model(name, __base__=bases, __doc__=f"The table [{name}] of a plan.", **fields)


def _refuse_shared(where: str, *parts: Collection[str]) -> None:
    """Refuse one key that stands for two things: the later would take the place of the other in silence."""
    keys = [key for part in parts for key in part]
    for key in keys:
        if keys.count(key) > 1:
            raise PlanError(f"two registered things have the key {key!r} in {where}: one of them needs another name")


def _owned(owners: Mapping[str, type[Options]]) -> dict[str, Any]:
    """Return the options of several owners as optional keys that say whose they are."""
    fields: dict[str, Any] = {}
    for owner, options in owners.items():
        for name, field in options.model_fields.items():
            default = "" if field.default is None else f" (default {field.default})"
            rules: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
            if name in fields and fields[name][0] != rules | None:
                raise PlanError(f"the option {name!r} of {owner!r} has other rules than another of that name")
            fields[name] = (rules | None, Field(None, description=f"{owner}: {field.description}{default}"))
    return fields


def protecting_sections() -> tuple[str, ...]:
    """Return the names of the tables in which guarantees have their options."""
    return tuple(dict.fromkeys(guarantee.section for guarantee in GUARANTEES.values() if guarantee.section))


def sections_of(values: Mapping[str, Any]) -> dict[str, Options]:
    """Return the tables of guarantees that a plan has, as the registries of today read them.

    A key of something that was unregistered since is refused: what it asked for must not be left out in silence.
    """
    read = checked(registered(), **{name: value for name, value in values.items() if value is not None})
    return {name: section for name, section in read if isinstance(section, Options)}


def options_of(entry: Method | Way, keys: Any) -> Options:
    """Return the options of a method or a way, those that the plan leaves out by their defaults."""
    given = {name: getattr(keys, name) for name in entry.options.model_fields}
    return checked(entry.options, **{name: value for name, value in given.items() if value is not None})


def refuse_unused_options(keys: Any, owners: Mapping[str, Method | Way], chosen: str, word: str) -> None:
    """Refuse options of other owners than the chosen one; ``word`` says in a message how an owner is named."""
    models = {name: owner.options for name, owner in owners.items()}
    for option in sorted({name for options in models.values() for name in options.model_fields}):
        if getattr(keys, option) is not None and option not in models[chosen].model_fields:
            users = ", ".join(name for name, options in models.items() if option in options.model_fields)
            raise ValueError(f"{option} is only used by {word.format(users)}, and the method here is {chosen}")


def way_of(plan: Plan) -> Way | None:
    """Return the way to closeness that a plan names, if it asks for closeness."""
    section = getattr(plan, CLOSENESS)
    return None if section is None else WAYS[section.method]


def compares_on_unit_range(keys: Any) -> bool:
    """Whether the way that a plan's keys name compares quasi-identifiers on [0, 1]."""
    section = getattr(keys, CLOSENESS)
    return section is not None and WAYS[section.method].unit_range


def spread_of(plan: Plan) -> Callable[[Sequence[Closeness]], Spread] | None:
    """Return how the way that a plan names spreads its groups, if it does so by construction."""
    way, section = way_of(plan), getattr(plan, CLOSENESS)
    if way is None or way.spread is None:
        return None
    spread, k, options = way.spread, plan.k, options_of(way, section)
    return lambda rules: spread(rules, k, options)


def check_way(plan: Plan) -> None:
    """Refuse a partitioning method or a scale that the way to closeness would not use."""
    way = way_of(plan)
    if way is None:
        return
    section = getattr(plan, CLOSENESS)
    try:
        refuse_unused_options(section, WAYS, way.name, 'method = "{}"')
        for guarantee in asked(plan.demand()):
            if guarantee.merges_by_itself and way.form is not None:
                raise ValueError(f'{guarantee.key} is only used by method = "merge", and the method here is {way.name}')
    except ValueError as error:
        raise ValueError(f"closeness: {error}") from None
    if way.form is not None and plan.method != "mdav":
        raise ValueError(
            f"closeness.method = {way.name!r} forms its own groups, after mdav, and method {plan.method!r} would do "
            'nothing: leave it out, or set closeness.method = "merge"'
        )
    if way.unit_range and plan.scale is not Scale.MINMAX:
        raise ValueError(
            f'closeness.method = "{way.name}" compares quasi-identifiers on [0, 1], so scale must be "minmax": '
            "leave it out"
        )
