"""Formulas of regressions, and the design matrix they ask for, block by block of records."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.analysis.variable import Floats, Variable
from shoal.errors import PlanError
from shoal.moments import row_slices

_PART = re.compile(r"`[^`]*`|[^`]")


@dataclass(frozen=True)
class Formula:
    """A response and the terms that explain it.

    >>> Formula.parse("charge ~ age + sex:age").terms
    (('age',), ('sex', 'age'))
    >>> Formula.parse("`pay + bonus` ~ age").response
    'pay + bonus'
    """

    text: str  # as it was written
    response: str
    terms: tuple[tuple[str, ...], ...]  # the columns of an interaction together

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read a formula: ``+`` between terms, ``:`` in an interaction, backquotes around names that hold either."""
        sides = [side.strip() for side in _split(text, "~")]
        if len(sides) != 2 or not all(sides):
            raise PlanError(f'a model is written "response ~ column + column", and {text!r} is not')
        if len(_split(sides[0], "+")) > 1:
            raise PlanError(f"the model {text!r} has several responses: name one column left of ~")
        terms = tuple(tuple(_name(part, text) for part in _split(term, ":")) for term in _split(sides[1], "+"))
        if len({frozenset(term) for term in terms}) < len(terms):
            raise PlanError(f"the model {text!r} names a term twice: name each once")
        response = _name(sides[0], text)
        if any(response in term for term in terms):
            raise PlanError(f"the model {text!r} explains {response!r} by itself: leave it out right of ~")
        return cls(text, response, terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it names, the response first."""
        return tuple(dict.fromkeys((self.response, *(name for term in self.terms for name in term))))


def _split(text: str, mark: str) -> list[str]:
    """Cut a text at a mark that stands outside backquotes."""
    parts = [""]
    for piece in _PART.findall(text):
        if piece == mark:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _name(text: str, formula: str) -> str:
    name = text.strip()
    if len(name) > 2 and name.startswith("`") and name.endswith("`"):
        name = name[1:-1]
    if not name or "`" in name:
        raise PlanError(f"the model {formula!r} has an empty term or an open backquote: name a column in every term")
    return name


INTERCEPT = "intercept"


@dataclass(frozen=True)
class Factor:
    """What one column contributes to a term: its numbers, or whether it has one category."""

    variable: Variable
    category: int | None = None  # its place; None for numbers

    @property
    def name(self) -> str:
        """What a coefficient is called by."""
        if self.category is None:
            return self.variable.name
        return f"{self.variable.name}={self.variable.labels[self.category]}"

    def values(self, side: str, rows: slice) -> Floats:
        """Return what it is in some records; NaN where the cell is missing."""
        cells = getattr(self.variable, side)[rows]
        if self.category is None:
            return np.asarray(cells, dtype=np.float64)
        return np.where(cells < 0, np.nan, (cells == self.category).astype(np.float64))


@dataclass(frozen=True)
class Design:
    """The columns of a design matrix; the first is the intercept, an empty product."""

    columns: tuple[tuple[Factor, ...], ...]  # what is multiplied in each

    @classmethod
    def of(cls, terms: Sequence[Sequence[Variable]]) -> Design:
        """Expand terms: numbers as they are, categories against the first that the original has."""
        products = (itertools.product(*map(factors_of, term)) for term in terms)
        return cls(((), *itertools.chain.from_iterable(products)))

    @property
    def names(self) -> tuple[str, ...]:
        """What coefficients are called."""
        return tuple(":".join(factor.name for factor in column) or INTERCEPT for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def blocks(self, side: str, records: int) -> Iterator[tuple[slice, Floats]]:
        """Yield the design matrix block by block; NaN where a cell is missing."""
        for rows in row_slices(records):
            matrix = np.ones((rows.stop - rows.start, len(self)))
            for place, column in enumerate(self.columns):
                for factor in column:
                    matrix[:, place] *= factor.values(side, rows)
            yield rows, matrix


def factors_of(variable: Variable) -> tuple[Factor, ...]:
    """Return what a column contributes: one factor of numbers, or one for each category but the first."""
    if variable.is_number:
        return (Factor(variable),)
    before = np.unique(variable.before[variable.before >= 0])
    used = np.union1d(before, variable.after[variable.after >= 0])
    reference = before[0] if len(before) else 0
    return tuple(Factor(variable, place) for place in used.tolist() if place != reference)
