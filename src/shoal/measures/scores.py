"""Scores: what several measures say of one release."""

from __future__ import annotations

from shoal.card import Card
from shoal.measures.definition import Score


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
