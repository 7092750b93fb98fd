"""Names of kinds, and of the choices that go with them: how values are compared, scaled, filled and averaged.

The one vocabulary for tables, streams, clusters and measures; it needs nothing but the standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Any


class Scale(StrEnum):
    """How continuous columns are made comparable."""

    ZSCORE = "zscore"
    MINMAX = "minmax"
    NONE = "none"


class Missing(StrEnum):
    """What happens to missing quasi-identifiers."""

    ERROR = "error"
    CATEGORY = "category"
    IMPUTE = "impute"
    KEEP = "keep"

    @property
    def admits(self) -> bool:
        """Whether a missing cell may come, and stands at the mean, median or mode in distances."""
        return self in (Missing.IMPUTE, Missing.KEEP)


class Operator(StrEnum):
    """What stands for a group of values."""

    MEAN = "mean"
    MEDIAN = "median"
    CONVEX_MEDIAN = "convex_median"
    MODE = "mode"
    DRAW = "draw"
    MEDOID = "medoid"
    ANCESTOR = "ancestor"

    @property
    def needs_tree(self) -> bool:
        """Whether it is for nominal columns that have a hierarchy."""
        return self in (Operator.MEDOID, Operator.ANCESTOR)


class Form(Enum):
    """What values become where they are compared."""

    LINE = "a coordinate"
    VECTOR = "the coordinates of a unit vector"
    RANK = "a rank"
    CODE = "codes that are equal or not"


class Cells(Enum):
    """What a cell of a table holds."""

    NUMBERS = "numbers"
    DATES = "dates"
    CATEGORIES = "categories"


class Kind(StrEnum):
    """How two values of a column are compared."""

    # A line for each kind: its name in plans, what its values become, what its cells hold, and its operators, the
    # default first. The file of that name beside this one has the rest. The docstring is part of the JSON Schema.

    form: Form
    cells: Cells
    operators: tuple[Operator, ...]
    base: Kind  # the kind of this list that it is treated as wherever it is not read, compared, averaged or written
    fixed: Mapping[str, Any]  # what every column of the kind says of itself, by the fields of `Spec`

    def __new__(
        cls, name: str, form: Form = Form.LINE, cells: Cells = Cells.NUMBERS, operators: tuple[Operator, ...] = ()
    ) -> Kind:
        """Make a member of its line, which says all four: the defaults are for type checkers, to which
        ``Kind("date")`` is a call of this.
        """
        member = str.__new__(cls, name)
        member._value_ = name
        member.form = form
        member.cells = cells
        member.operators = operators
        member.base = member
        member.fixed = {}
        return member

    NUMERIC = "numeric", Form.LINE, Cells.NUMBERS, (Operator.MEAN, Operator.MEDIAN)
    ORDINAL = (
        *("ordinal", Form.RANK, Cells.CATEGORIES),
        (Operator.MEDIAN, Operator.CONVEX_MEDIAN, Operator.MODE, Operator.DRAW),
    )
    NOMINAL = (
        *("nominal", Form.CODE, Cells.CATEGORIES),
        (Operator.MODE, Operator.DRAW, Operator.MEDOID, Operator.ANCESTOR),
    )
    DATE = "date", Form.LINE, Cells.DATES, (Operator.MEAN, Operator.MEDIAN)
    PLACE = "place", Form.VECTOR, Cells.NUMBERS, (Operator.MEAN,)
    CYCLIC = "cyclic", Form.VECTOR, Cells.NUMBERS, (Operator.MEAN,)

    @classmethod
    def like(cls, name: str, base: Kind, **fixed: Any) -> Kind:
        """Return the name of a kind outside this list, for `AttributeKind.name`; once registered, a plan can say it.

        It has the form, cells and operators of ``base``, without its keys: what ``order`` or ``period`` say is fixed.
        """
        if base is Kind.PLACE:
            raise ValueError("a kind cannot be like a place, which has a second column in the plan")
        kind = str.__new__(cls, name)
        kind._name_, kind._value_ = name.upper(), name
        kind.form, kind.cells, kind.base, kind.fixed = base.form, base.cells, base, fixed
        kind.operators = tuple(operator for operator in base.operators if not operator.needs_tree)
        return kind

    @classmethod
    def _missing_(cls, value: object) -> Kind | None:
        """Return a kind outside this list. Whoever registered it has loaded the registry, which plans need not do."""
        registry = sys.modules.get("shoal.kinds.registry")
        entry = registry.KINDS.get(value) if registry is not None and isinstance(value, str) else None
        return entry.name if entry is not None and isinstance(entry.name, Kind) else None

    @classmethod
    def of_dtype(cls, dtype: str) -> Kind:
        """Return the kind that a column seems to be of by what it holds, as `shoal.frames.Table.dtype` calls it."""
        if dtype in ("integer", "float", "decimal"):
            return cls.NUMERIC
        return cls.DATE if dtype in ("date", "datetime") else cls.NOMINAL

    @property
    def in_files(self) -> Kind:
        """What its cells are read and shown as: degrees, hours and days of a year are numbers."""
        return Kind.NUMERIC if self.is_directional else self.base

    @property
    def is_continuous(self) -> bool:
        """Whether values lie on a line: numbers and dates."""
        return self.form is Form.LINE

    @property
    def is_directional(self) -> bool:
        """Whether values are directions: unit vectors are compared, and a mean direction stands for a group."""
        return self.form is Form.VECTOR

    @property
    def is_ordinal(self) -> bool:
        """Whether values are categories with an order."""
        return self.form is Form.RANK

    @property
    def is_nominal(self) -> bool:
        """Whether values are equal or not, with nothing between but what a tree says."""
        return self.form is Form.CODE

    @property
    def is_ordered(self) -> bool:
        """Whether values have an order."""
        return self.form in (Form.LINE, Form.RANK)

    @property
    def is_number(self) -> bool:
        """Whether cells hold numbers."""
        return self.cells is Cells.NUMBERS

    @property
    def is_date(self) -> bool:
        """Whether cells hold dates or times."""
        return self.cells is Cells.DATES

    @property
    def is_categorical(self) -> bool:
        """Whether cells hold categories."""
        return self.cells is Cells.CATEGORIES


CONTINUOUS = tuple(kind for kind in Kind if kind.is_continuous)
"""The kinds whose values lie on a line."""
