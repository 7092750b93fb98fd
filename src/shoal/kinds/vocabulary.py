"""Names of kinds, and of the choices that go with them: how values are compared, scaled, filled and averaged.

The one vocabulary for tables, streams, clusters and measures; it needs nothing but the standard library.
"""

from __future__ import annotations

from enum import Enum, StrEnum


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
    def of_dtype(cls, dtype: str) -> Kind:
        """Return the kind that a column seems to be of by what it holds, as `shoal.frames.Table.dtype` calls it."""
        if dtype in ("integer", "float", "decimal"):
            return cls.NUMERIC
        return cls.DATE if dtype in ("date", "datetime") else cls.NOMINAL

    @property
    def in_files(self) -> Kind:
        """What its cells are read and shown as: degrees, hours and days of a year are numbers."""
        return Kind.NUMERIC if self.is_directional else self

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
