"""Summary: what page one says, as plain frozen values with the words beside them. Renderers only arrange it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NoReturn

from shoal.card import Card, screenful
from shoal.errors import PlanError, nearest


class Edition(StrEnum):
    """Who a report is for.

    The internal edition stays where the original table stays, and compares with it. The external edition goes out with
    the release. It is made of the released table, the plan and the guarantees, and of nothing else, so that it tells
    nothing that they do not (`external_edition`).
    """

    INTERNAL = "internal"
    EXTERNAL = "external"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise PlanError(f"edition must be internal or external, not {value!r}{nearest(str(value), list(cls))}")


class Verdict(StrEnum):
    """What came of an attack, or of a promise; each has a sign and words, so that no colour is needed."""

    GUESSING = "no better than guessing"
    WITHIN = "better than guessing, within the promise"
    LEARNS = "better than guessing"
    BEYOND = "beyond the promise"
    HOLDS = "holds"
    BROKEN = "does not hold"

    @property
    def sign(self) -> str:
        """Its shape: told apart without colour."""
        return _SIGNS[self]


_SIGNS = dict(zip(Verdict, "✓◐▲✗✓✗", strict=True))


@dataclass(frozen=True)
class Promise:
    """A guarantee in a sentence, what was asked and what was reached, measured on the released table."""

    name: str
    sentence: str
    verdict: Verdict
    asked: float | int | None
    reached: float | int
    note: str = ""


@dataclass(frozen=True)
class Tried:
    """An attack: how often it worked beside what guessing gives and what the promise allows, as shares."""

    key: str
    attack: str
    attribute: str | None
    sentence: str
    verdict: Verdict
    rate: float
    guessing: float
    allowed: float | None  # None where nothing is promised
    interval: tuple[float, float]  # of the difference between rate and guessing
    people: str  # who was attacked, and how many of how many
    tried: int
    of: int

    @property
    def name(self) -> str:
        """The attack, and the attribute that it guessed where there is one."""
        return self.attack if self.attribute is None else f"{self.attack}: {self.attribute}"


@dataclass(frozen=True)
class Kept:
    """What analysts keep or lose: a number with words. ``value`` is None where it is not told; ``much`` runs to 3."""

    name: str
    value: float | None
    unit: str
    at_most: bool
    words: str
    much: int
    sentence: str

    @property
    def sign(self) -> str:
        """How much it is, as a shape."""
        return "■" * self.much + "□" * (3 - self.much) if self.much else "–"


@dataclass(frozen=True, repr=False, kw_only=True)
class Summary(Card):
    """Page one: what a release is, whether it is safe, how that is known, what it is good for, what is left to decide.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = shoal.Plan(k=2, about={"title": "Pay by age"}, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> summary = shoal.anonymize(frame, plan).summary(frame)
    >>> summary.title, summary.who
    ('Pay by age', '4 records, each about another person.')
    >>> print(summary)  # doctest: +ELLIPSIS
    Pay by age
    ==========
    ...
    """

    edition: Edition  # who it is for
    # title, about: what it is called, and what the plan says about it (purpose, recipient, contact, date), by name
    title: str
    about: tuple[tuple[str, str], ...]
    # answer, safe: is it safe, in a sentence; and whether everything that was promised holds and no attack went
    # beyond it
    answer: str
    safe: bool
    # what, who: what kind of table it is, and who is in it
    what: str
    who: str
    promises: tuple[Promise, ...]  # what is promised
    # tried, untried: what was tried against it, and where nothing could be, why
    tried: tuple[Tried, ...] = ()
    untried: str
    kept: tuple[Kept, ...] = ()  # what analysts keep and lose
    decide: tuple[str, ...]  # what remains to be decided before signing

    @property
    def text(self) -> str:
        """Page one for a terminal, in lines of about 100 characters."""
        from shoal.report.summary.renderers import as_text

        return as_text(self)

    @property
    def markdown(self) -> str:
        """Page one as Markdown, for a wiki, a ticket or a pull request."""
        from shoal.report.summary.renderers import as_markdown

        return as_markdown(self)

    @property
    def html(self) -> str:
        """Page one as an element of HTML, as it stands in the report."""
        from shoal.report.summary.renderers import as_html

        return as_html(self)

    def to_dict(self) -> Mapping[str, Any]:
        """Return plain nested values, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return screenful(self.text.splitlines())

    def _repr_markdown_(self) -> str:
        return self.markdown
