"""Remedies: the lines of a plan that would end a giveaway, checked against the plan that they go into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from shoal.encode import repeats
from shoal.errors import PlanError
from shoal.giveaways.survey import Survey
from shoal.kinds import Missing
from shoal.plan import Plan
from shoal.plan.attribute import Role, recoding_of
from shoal.plan.plan_keys import RECORD
from shoal.plan.toml import dump_toml, parse_toml


def remedied(plan: Plan, remedy: str) -> Plan:
    """Return the plan with the lines of a remedy in it: a column is declared anew, an option set.

    Examples
    --------
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}, "bed": {"role": "other"}})
    >>> remedied(plan, '[attributes]\\nbed = { role = "identifier" }').names(Role.IDENTIFIER)
    ('bed',)
    """
    return _with(plan, parse_toml(remedy))


def first_valid(plan: Plan, *candidates: Mapping[str, Any]) -> str:
    """Return the first of some changes that leaves a plan valid, as TOML; nothing where none does."""
    for changes in candidates:
        with suppress(PlanError):
            _with(plan, changes)
            return dump_toml(changes).strip()
    return ""


def masking(survey: Survey, names: Iterable[str]) -> str:
    """Return the lines that have columns masked; those left out of the release that no line can have masked."""
    role = Role.CONFIDENTIAL if survey.permutes else Role.QUASI_IDENTIFIER
    names = tuple(names)
    masked = {name: _declared(survey, name, role) for name in names if survey.original.dtype(name) != "duration"}
    if len(masked) == len(names) and (together := first_valid(survey.plan, {"attributes": masked})):
        return together
    maskable = {name for name, about in masked.items() if first_valid(survey.plan, {"attributes": {name: about}})}
    some = _dropped(survey, (name for name in names if name not in maskable))
    return first_valid(survey.plan, {**some, "attributes": masked | some["attributes"]}) or dropping(survey, names)


def dropping(survey: Survey, names: Iterable[str]) -> str:
    """Return the lines that leave columns out of the release."""
    return first_valid(survey.plan, _dropped(survey, names))


def _dropped(survey: Survey, names: Iterable[str]) -> dict[str, Any]:
    """Declare identifiers, and whom a record is about: a plan must say that where an identifier repeats."""
    names = tuple(names)
    counts = [repeats(survey.original, name) for name in names] if survey.plan.subject is None else []
    silent = any(count.different < count.records for count in counts)
    attributes = {name: {"role": Role.IDENTIFIER.value} for name in names}
    return {**({"subject": RECORD} if silent else {}), "attributes": attributes}


def _declared(survey: Survey, name: str, role: Role) -> dict[str, Any]:
    """Say what a column is, so that it can be masked: a kind, and what becomes of missing cells."""
    attribute = survey.plan.attributes[name]
    kind = attribute.kind or survey.guessed_kind(name)
    about: dict[str, Any] = {"role": role.value, "kind": kind.value}
    if attribute.order is not None:
        about["order"] = list(attribute.order)
    if attribute.format is not None:
        about["format"] = attribute.format
    dumped = attribute.model_dump(mode="json", exclude_none=True)
    about |= {key: dumped[key] for key in recoding_of(attribute)}
    stops = survey.plan.missing is Missing.ERROR or (survey.plan.missing is Missing.CATEGORY and kind.is_continuous)
    if role is Role.QUASI_IDENTIFIER and stops and survey.original.missing(name) is not None:
        about["missing"] = (Missing.IMPUTE if kind.is_continuous else Missing.CATEGORY).value
    return about


def _with(plan: Plan, changes: Mapping[str, Any]) -> Plan:
    values = plan.to_dict()
    for key, value in changes.items():
        values[key] = {**values.get(key, {}), **value} if isinstance(value, Mapping) else value
    return Plan.from_mapping(values)
