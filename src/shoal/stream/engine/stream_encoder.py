"""A plan as a stream sees it: which columns are what, and the settings of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.kinds import Kind, Missing
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.stream import Stream, bound_as_number
from shoal.protect.confidential_guarantee import protected_names
from shoal.run.inputs import check_columns
from shoal.stream.engine.categorical import NominalColumn, OrdinalColumn, column_codes, text_code
from shoal.stream.engine.continuous import ContinuousColumn, DateColumn, NumericColumn, StreamColumn
from shoal.stream.engine.settings import (
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    StreamSettings,
)


@dataclass(frozen=True)
class Encoding:
    """The columns of a stream, in the order of the engine's axes, and its settings."""

    plan: Plan
    stream: Stream
    continuous: tuple[ContinuousColumn, ...]
    ordinal: tuple[OrdinalColumn, ...]
    nominal: tuple[NominalColumn, ...]
    confidential: tuple[StreamColumn, ...]
    settings: StreamSettings
    released: frozenset[str]  # columns that leave

    @cached_property
    def columns(self) -> tuple[StreamColumn, ...]:
        """The quasi-identifiers, in the order of the engine's axes."""
        return (*self.continuous, *self.ordinal, *self.nominal)

    @cached_property
    def dates(self) -> tuple[DateColumn, ...]:
        """The columns of dates among them."""
        return tuple(column for column in self.continuous if isinstance(column, DateColumn))

    @cached_property
    def names(self) -> frozenset[str]:
        """All columns that a record must have."""
        return frozenset(self.plan.attributes)

    def encode_record(self, record: Mapping[str, Any]) -> tuple[list[float], int, list[float]]:
        """Return the cells, the subject and the confidential values of one record."""
        if record.keys() != self.names:
            self._refuse_keys(record)
        cells = [column.cell(record[column.name]) for column in self.columns]
        confidential = [column.cell(record[column.name]) for column in self.confidential]
        who = self.stream.subject
        if who is None:
            return cells, 0, confidential
        subject = record[who]
        if subject is None or subject != subject or subject == "":
            raise DataError(f"column {who!r} has a missing value: every tuple of the stream needs its subject")
        return cells, text_code(subject, who), confidential

    def _refuse_keys(self, record: Mapping[str, Any]) -> None:
        """Say which keys are missing, and how many are too many: those may be anything, even values."""
        missing = [name for name in self.plan.attributes if name not in record]
        if missing:
            raise DataError(f"the record does not have {', '.join(map(repr, missing))}, which the plan declares")
        raise DataError(
            f"keys that the plan does not declare: {len(record) - len(self.names)}; every column needs a role, because "
            "an undeclared one could give people away"
        )

    def encode_table(self, table: Table) -> tuple[NDArray[np.float64], NDArray[np.int64] | None, NDArray[np.float64]]:
        """Return the cells, the subjects and the confidential values of a table."""
        check_columns(table.names, self.plan)
        shape = (len(table), len(self.columns))
        cells = np.empty(shape, order="F")
        for j, column in enumerate(self.columns):
            cells[:, j] = column.cells(table)
        confidential = np.empty((len(table), len(self.confidential)), order="F")
        for j, column in enumerate(self.confidential):
            confidential[:, j] = column.cells(table)
        who = self.stream.subject
        if who is None:
            return cells, None, confidential
        subjects = column_codes(table, who)
        if (subjects < 0).any():
            raise DataError(f"column {who!r} has a missing value: every tuple of the stream needs its subject")
        return cells, subjects, confidential


def read_plan(plan: Plan, *, text: bool = False) -> Encoding:
    """Read a plan for a stream; refuse choices that a stream cannot honour."""
    _refuse_choices_for_tables(plan)
    stream = plan.stream or Stream.model_validate({})
    continuous: list[ContinuousColumn] = []
    ordinal: list[OrdinalColumn] = []
    nominal: list[NominalColumn] = []
    for name in plan.names(Role.QUASI_IDENTIFIER):
        column = _column(plan, name, plan.missing_policy(name), text=text)
        if isinstance(column, ContinuousColumn):
            continuous.append(column)
        elif isinstance(column, OrdinalColumn):
            ordinal.append(column)
        elif isinstance(column, NominalColumn):
            nominal.append(column)
    hidden = _closeness(plan, text=text)
    if not hidden and stream.on_unclose == "merge":
        raise PlanError('stream.on_unclose = "merge" changes nothing without closeness.t')
    columns: list[StreamColumn] = [*continuous, *ordinal, *nominal]
    settings = StreamSettings(
        k=plan.k,
        max_delay=stream.max_delay,
        position_weight=stream.position_weight,
        sweeps=stream.sweeps,
        subjects=stream.subject is not None,
        coords=tuple(_coordinate(column, stream) for column in continuous),
        ranks=tuple(
            OrdinalSetting(levels=column.levels, weight=_weight(column), operator=column.attribute.operator.value)  # type: ignore[arg-type]
            for column in ordinal
        ),
        codes=tuple(NominalSetting(weight=_weight(column)) for column in nominal),
        impute=any(column.policy is Missing.IMPUTE for column in columns),
        confidential=tuple(ClosenessSetting(t=t, nominal=isinstance(column, NominalColumn)) for column, t in hidden),
        on_unclose=stream.on_unclose,
    )
    return Encoding(
        plan=plan,
        stream=stream,
        continuous=tuple(continuous),
        ordinal=tuple(ordinal),
        nominal=tuple(nominal),
        confidential=tuple(column for column, _ in hidden),
        settings=settings,
        released=frozenset(name for name, a in plan.attributes.items() if a.role is not Role.IDENTIFIER),
    )


_USED = {
    "version",
    "k",
    "seed",
    "scale",
    "missing",
    "release",
    "round",
    "intruder",
    "closeness",
    "compare",
    "stream",
    "attributes",
}


def _refuse_choices_for_tables(plan: Plan) -> None:
    for name, field in Plan.known_keys().items():
        if name not in _USED and getattr(plan, name) != field.get_default(call_default_factory=True):
            raise PlanError(f"{name} is a choice for tables, and a stream does not use it: leave it out of the plan")
    if plan.release is not ReleaseMode.AGGREGATE:
        raise PlanError('a stream releases averages, so release must be "aggregate"')
    for name, attribute in plan.attributes.items():
        if attribute.scale is not None:
            raise PlanError(
                f"attributes.{name}.scale is not used by a stream, which compares values by their bounds: "
                "give stream.bounds, or leave it out"
            )


def _column(plan: Plan, name: str, policy: Missing, *, text: bool) -> StreamColumn:
    attribute = plan.attributes[name]
    match attribute.kind:
        case Kind.NUMERIC:
            rounds = plan.round if attribute.round is None else attribute.round
            return NumericColumn(name, attribute, policy, text=text, rounds=rounds)
        case Kind.DATE:
            return DateColumn(name, attribute, policy, text=text)
        case Kind.ORDINAL:
            if attribute.order is None:
                raise PlanError(
                    f"attributes.{name}.order is required in a stream: the categories are not known before they come"
                )
            return OrdinalColumn(name, attribute, policy, text=text)
        case _:
            return NominalColumn(name, attribute, policy, text=text)


def _closeness(plan: Plan, *, text: bool) -> list[tuple[StreamColumn, float]]:
    """Return the confidential columns that groups must be close on, each with its t."""
    section = plan.closeness
    if section is None:
        return []
    for option in ("method", "missing", "hierarchy", "marginality"):
        if getattr(section, option) != type(section).model_fields[option].get_default(call_default_factory=True):
            raise PlanError(
                f"closeness.{option} is a choice for tables: in a stream a group grows until it is close to the stream "
                "so far, so leave it out of the plan"
            )
    names = protected_names(section, plan.names(Role.CONFIDENTIAL))
    return [(_column(plan, name, Missing.ERROR, text=text), section.t_of(name)) for name in names]


def _coordinate(column: ContinuousColumn, stream: Stream) -> ContinuousSetting:
    given = stream.bounds.get(column.name)
    return ContinuousSetting(
        weight=_weight(column),
        bounds=None if given is None else (bound_as_number(given[0]), bound_as_number(given[1])),
        operator=column.attribute.operator.value,  # type: ignore[arg-type]
    )


def _weight(column: StreamColumn) -> float:
    return 1.0 if column.attribute.weight is None else column.attribute.weight
