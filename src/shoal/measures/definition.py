"""Definition and Score: what a measure is, and a value of it together with what it means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.card import Card
from shoal.errors import DataError
from shoal.kinds import CONTINUOUS, Kind
from shoal.measures.column_pair import ColumnPair
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.pair import Pair

ORDERED = (*CONTINUOUS, *(kind for kind in Kind if kind.is_ordinal))
ANY = (*ORDERED, *(kind for kind in Kind if kind not in ORDERED))


External = Literal["release", "subjects", "withheld"]
"""What an external reader may see of a measure; `Definition` says what each word means."""

_NEEDED = {
    "quasi_identifier": "quasi-identifier",
    "confidential": "confidential attribute",
    "subject": "subject with a name",
    "weights": "record with a sampling weight",
}
"""What a pair must have at least one of, by the role that a measure covers."""


@dataclass(frozen=True)
class Definition:
    """What a measure is: what stands beside every value of it.

    Parameters
    ----------
    key
        The name of the measure in Python, on the command line and in JSON.
    text
        The definition in one sentence.
    aspect
        What it speaks of: the ``risk`` to the people in the table, the ``utility`` lost, or the ``balance`` of both.
    better
        Which way is better.
    low, high
        The range of values; infinite where there is no bound.
    kinds
        The kinds of columns it covers.
    role
        Whether it covers quasi-identifiers or confidential attributes, compares the quasi-identifiers of records of one
        subject, where records have subjects, or speaks of the population, where records have sampling weights.
    unit
        What the value counts, such as ``%`` or ``records``; empty for a plain number.
    external
        What a reader may see who has the released table but not the original one:

        - ``release``: everything. The measure is computed from the released table alone, so that whoever has it can
          compute the value.
        - ``subjects``: the same where each record is of another person, or the release shows which are of one; nothing
          where only the original knows.
        - ``withheld``: nothing. It compares with the original, or nobody has thought about it yet: a measure whose
          definition does not say is withheld.
    title
        What people call it, in a few words; the key if left out.
    """

    key: str
    text: str
    aspect: Literal["risk", "utility", "balance"]
    better: Literal["lower", "higher"]
    low: float = 0.0
    high: float = math.inf
    kinds: tuple[Kind, ...] = ANY
    role: Literal["quasi_identifier", "confidential", "subject", "weights"] = "quasi_identifier"
    unit: str = ""
    external: External = "withheld"
    title: str = ""

    @property
    def called(self) -> str:
        """What people call it."""
        return self.title or self.key.replace("_", " ")

    def applies(self, pair: Pair) -> bool:
        """Tell whether a pair has any column that the measure covers, and what else it needs."""
        return bool(self._covered(pair))

    def covered(self, pair: Pair) -> tuple[Any, ...]:
        """Return the columns that the measure covers; refuse a pair that has none, or no subjects or weights."""
        columns = self._covered(pair)
        if not columns:
            kinds = "" if self.kinds == ANY else f" of kind {' or '.join(self.kinds)}"
            what = f"{_NEEDED[self.role]}{kinds}"
            raise DataError(f"{self.key} needs at least one {what}, and the table has none: leave {self.key} out")
        return columns

    def _covered(self, pair: Pair) -> tuple[ColumnPair | ConfidentialColumn, ...]:
        if (self.role == "subject" and pair.subjects is None) or (self.role == "weights" and pair.weights is None):
            return ()
        columns: Sequence[ColumnPair | ConfidentialColumn] = (
            pair.confidential if self.role == "confidential" else pair.columns
        )
        return tuple(column for column in columns if column.kind.base in self.kinds)

    def score(
        self,
        value: float,
        columns: Sequence[ColumnPair | ConfidentialColumn],
        *,
        attributes: Mapping[str, float] | None = None,
        groups: Mapping[str, NDArray[Any]] | None = None,
        parts: Mapping[str, float] | None = None,
        interval: tuple[float, float] | None = None,
    ) -> Score:
        """Return a value of this measure as a Score."""
        return Score(
            self,
            float(value),
            tuple(column.name for column in columns),
            attributes={name: float(number) for name, number in (attributes or {}).items()},
            groups=dict(groups or {}),
            parts={name: float(number) for name, number in (parts or {}).items()},
            interval=interval,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """The value of a measure, its detail and its definition.

    Examples
    --------
    >>> from shoal.measures import Pair, il_percent
    >>> score = il_percent(Pair.of([[0.0], [2.0], [10.0], [12.0]], [[1.0], [1.0], [11.0], [11.0]]))
    >>> score.key, round(score.value, 4), score.better
    ('il_percent', 3.8462, 'lower')
    """

    definition: Definition  # what the measure is
    value: float  # its value
    columns: tuple[str, ...]  # the columns it covers
    # the value of each column by itself, where there is one
    attributes: Mapping[str, float] = field(default_factory=dict)
    # arrays with one entry per equivalence class of the release, numbered by first appearance
    groups: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)  # other numbers that the value is made of
    interval: tuple[float, float] | None = None  # 95 % confidence interval, where the value was estimated from a sample

    @property
    def key(self) -> str:
        """The name of the measure."""
        return self.definition.key

    @property
    def better(self) -> str:
        """Which way is better: ``lower`` or ``higher``."""
        return self.definition.better

    def __repr__(self) -> str:
        unit = f" {self.definition.unit}" if self.definition.unit else ""
        between = "" if self.interval is None else f", {self.interval[0]:.4g} to {self.interval[1]:.4g} (95 %)"
        return f"<{self.key} = {self.value:.4g}{unit}{between}; {self.better} is better>"

    def to_dict(self, *, groups: bool = True) -> dict[str, Any]:
        """Return plain numbers, strings and lists, ready for JSON; an infinite bound or value is None.

        Without ``groups`` the arrays with one entry per equivalence class are left out.
        """
        what = self.definition
        detail = {"interval": self.interval, "attributes": self.attributes, "parts": self.parts, "groups": self.groups}
        return {
            "value": _plain(self.value),
            "definition": what.text,
            "aspect": what.aspect,
            "better": what.better,
            "range": _plain([what.low, what.high]),
            "columns": list(self.columns),
            **{name: _plain(each) for name, each in detail.items() if each and (groups or name != "groups")},
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _number(each) for name, each in value.items()}
    return _number(value)


def _number(number: Any) -> Any:
    if isinstance(number, (list, tuple, np.ndarray)):
        return [_number(each) for each in number]
    if isinstance(number, (int, np.integer)):
        return int(number)
    return float(number) if np.isfinite(number) else None


class Scores(Card, dict[str, Score]):
    """Scores by the keys of their measures; a dict that people can read.

    Examples
    --------
    >>> from shoal.measures import Pair, compute
    >>> compute(Pair.of([1.0, 2.0, 3.0, 4.0], [1.5, 1.5, 3.5, 3.5]), ["k_min", "il_percent"])
    2 scores
      k_min = 2 subjects; higher is better
      il_percent = 20 %; lower is better
    """

    def __repr__(self) -> str:
        lines = [f"{len(self)} score{'' if len(self) == 1 else 's'}"]
        return "\n".join([*lines, *(f"  {repr(score).strip('<>')}" for score in self.values())])
