"""Formulas of regressions, such as ``charge ~ age + severity``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.errors import PlanError

_PART = re.compile(r"`[^`]*`|[^`]")


@dataclass(frozen=True)
class Formula:
    """A response and the terms that explain it.

    Parameters
    ----------
    text
        As it was written.
    response
        The column that is explained.
    terms
        Columns that explain it; those of an interaction together.

    Examples
    --------
    >>> Formula.parse("charge ~ age + sex:age").terms
    (('age',), ('sex', 'age'))
    >>> Formula.parse("`pay + bonus` ~ age").response
    'pay + bonus'
    """

    text: str
    response: str
    terms: tuple[tuple[str, ...], ...]

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
