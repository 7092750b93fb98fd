"""A plan as a stream sees it: which columns are what, and the settings of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.frames import MissingValue, Table
from shoal.kinds import Missing, Operator
from shoal.kinds.column import Spec
from shoal.kinds.date import DateColumn
from shoal.kinds.nominal import NominalColumn
from shoal.kinds.ordinal import OrdinalColumn
from shoal.kinds.registry import kind_of
from shoal.kinds.stream_column import ContinuousColumn, StreamColumn
from shoal.masking.inputs import check_columns
from shoal.options import checked
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_values import missing_values
from shoal.plan.stream import Stream
from shoal.protect.confidential_guarantee import protected_names
from shoal.recode.clip import as_number
from shoal.stream.engine.rows import Record
from shoal.stream.engine.settings import (
    SHARED,
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    StreamSettings,
)
from shoal.stream.engine.stream_keys import refuse_unused_choices
from shoal.stream.engine.subjects import StreamSubjects


class RecordGaps:
    """Takes away what means "no value" from records, as `shoal.plan.missing_values.open_table` does from frames."""

    def __init__(self, values: Mapping[str, Sequence[MissingValue]]) -> None:
        self._texts = {name: {str(value) for value in meanings} for name, meanings in values.items()}
        self._numbers = {name: set(map(_number, meanings)) - {None} for name, meanings in values.items()}

    def __call__(self, record: Record) -> Record:
        """Return a record without the values that mean none; the record itself where it has none of them."""
        empty = [name for name in self._texts if name in record and self._means_none(name, record[name])]
        return {**record, **dict.fromkeys(empty)} if empty else record

    def _means_none(self, name: str, value: Any) -> bool:
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, int | float):
            return value in self._numbers[name]
        return str(value) in self._texts[name]


def _number(value: MissingValue) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


class EncodedRecord(NamedTuple):
    """A record as the engine takes it: its cells, the number of its subject, its confidential values."""

    cells: list[float]
    subject: int
    confidential: list[float]


class EncodedTable(NamedTuple):
    """Records as the engine takes them; without subjects, each is its own."""

    cells: NDArray[np.float64]
    subjects: NDArray[np.int64] | None
    confidential: NDArray[np.float64]


class StreamEncoder:
    """A plan as a stream reads it; refuses choices that a stream cannot honour.

    It takes the place of `shoal.encode.Encoder`; the package's docstring says why there are two. ``text`` says that
    the values of records are text.
    """

    def __init__(self, plan: Plan, *, text: bool = False) -> None:
        refuse_unused_choices(plan)
        self.plan = plan
        self.options = options = plan.stream or checked(Stream)
        columns = [_column(plan, plan.spec(name), text=text) for name in plan.masked_names()]
        self.continuous = tuple(column for column in columns if isinstance(column, ContinuousColumn))
        self.ordinal = tuple(column for column in columns if isinstance(column, OrdinalColumn))
        self.nominal = tuple(column for column in columns if isinstance(column, NominalColumn))
        # The quasi-identifiers, in the order of the engine's axes.
        self.columns: tuple[StreamColumn, ...] = (*self.continuous, *self.ordinal, *self.nominal)
        self.dates = tuple(column for column in self.continuous if isinstance(column, DateColumn))
        self._is_narrow = all(column.width == 1 for column in columns)  # as most streams are
        self._names = frozenset(plan.attributes)  # all columns that a record must have
        names = () if plan.closeness is None else protected_names(plan.closeness, plan.names(Role.CONFIDENTIAL))
        # The columns that groups must be close on.
        self.confidential = tuple(
            _column(plan, replace(plan.spec(name), missing=Missing.ERROR), text=text, confidential=True)
            for name in names
        )
        # The columns that nothing is computed from, and of which the plan says what they hold: nothing else may leave.
        specs = [plan.spec(name) for name in plan.judged_names() if name not in names and _is_judged(plan, name)]
        self.judged = tuple(
            _column(plan, replace(spec, missing=Missing.IMPUTE, round=False), text=text) for spec in specs
        )
        if not self.confidential and options.on_unclose == "merge":
            raise PlanError('stream.on_unclose = "merge" changes nothing without closeness.t')
        self.settings = StreamSettings(
            k=plan.k,
            **{name: getattr(options, name) for name in SHARED},
            subjects=plan.subject_column() is not None,
            coords=tuple(setting for column in self.continuous for setting in _continuous_settings(column, options)),
            ranks=tuple(
                OrdinalSetting(levels=column.levels, weight=column.spec.weight, operator=column.spec.operator)
                for column in self.ordinal
            ),
            codes=tuple(setting for column in self.nominal for setting in _nominal_settings(column)),
            impute=any(column.spec.missing is Missing.IMPUTE for column in columns),
            confidential=tuple(
                ClosenessSetting(t=plan.closeness.t_of(column.name), nominal=column.spec.kind.is_nominal)
                for column in self.confidential
            ),
            seed=plan.seed,
        )
        self.subjects = StreamSubjects(plan, options.max_delay)
        self.released = leaving_columns(plan)
        self.gaps = RecordGaps(missing_values(plan, plan.attributes))

    def encode_record(self, record: Record) -> EncodedRecord:
        """Return the cells, the subject and the confidential values of one record."""
        if record.keys() != self._names:
            self._refuse_keys(record)
        if self._is_narrow:
            cells = [column.cell(record[column.name]) for column in self.columns]
        else:
            cells = [cell for column in self.columns for cell in column.axes(record)]
        confidential = [column.cell(record[column.name]) for column in self.confidential]
        for column in self.judged:
            column.axes(record)
        return EncodedRecord(cells, self.subjects.of_record(record), confidential)

    def _refuse_keys(self, record: Record) -> None:
        """Say which keys are missing, and how many are too many: those may be anything, even values."""
        missing = [name for name in self.plan.attributes if name not in record]
        if missing:
            raise DataError(f"the record does not have {', '.join(map(repr, missing))}, which the plan declares")
        raise DataError(
            f"keys that the plan does not declare: {len(record) - len(self._names)}; every column needs a role, "
            "because an undeclared one could give people away"
        )

    def encode_table(self, table: Table) -> EncodedTable:
        """Return the cells, the subjects and the confidential values of a table."""
        check_columns(table.names, self.plan)
        cells = np.empty((len(table), self.settings.width), order="F")
        parts = (part for column in self.columns for part in column.axes_of(table))
        for j, part in enumerate(parts):
            cells[:, j] = part
        confidential = np.empty((len(table), len(self.confidential)), order="F")
        for j, column in enumerate(self.confidential):
            confidential[:, j] = column.cells(table)
        for column in self.judged:
            column.axes_of(table)
        return EncodedTable(cells, self.subjects.of_table(table), confidential)


def leaving_columns(plan: Plan) -> tuple[str, ...]:
    """Return the columns that leave, in the order of the plan: that of a producer could tell producers apart."""
    return tuple(name for name, attribute in plan.attributes.items() if attribute.role is not Role.IDENTIFIER)


def _is_judged(plan: Plan, name: str) -> bool:
    """Whether a plan says what the values of a column are: not of levels that it leaves open."""
    attribute = plan.attributes[name]
    return attribute.compared is not None and (not attribute.compared.is_ordinal or attribute.order is not None)


def _column(plan: Plan, spec: Spec, *, text: bool, confidential: bool = False) -> StreamColumn:
    form = plan.attributes[spec.name].format
    return kind_of(spec).stream_column(spec, text=text, confidential=confidential, format=form)


def _continuous_settings(column: ContinuousColumn, options: Stream) -> list[ContinuousSetting]:
    """Return the axes of a continuous column: one, or those of the unit vectors of a direction."""
    spec, bounds = column.spec, column.bounds
    if spec.name in options.bounds:
        low, high = options.bounds[spec.name]
        bounds = float(as_number(low)), float(as_number(high))
    return [ContinuousSetting(weight=spec.weight, bounds=bounds, operator=spec.operator)] * column.width


def _nominal_settings(column: NominalColumn) -> list[NominalSetting]:
    """Return the axes of a nominal column: one, or one for each level of its tree."""
    spec = column.spec
    # What stands for a group in a tree is found among those who leave: the engine takes the mode in its place.
    operator = Operator.MODE if spec.operator.needs_tree else spec.operator
    return [NominalSetting(weight=spec.weight * share, share=share, operator=operator) for share in column.shares]
