"""Guarantees: what was asked of a release, and what holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.card import Card, screenful
from shoal.errors import counted
from shoal.protect import Judgement


@dataclass(frozen=True, repr=False)
class Guarantees(Card, Mapping[str, Judgement]):
    """The guarantees of a release by name; ``holds`` says whether all of them do."""

    judgements: tuple[Judgement, ...]

    def __getitem__(self, name: str) -> Judgement:
        return {guarantee.name: guarantee for guarantee in self.judgements}[name]

    def __iter__(self) -> Iterator[str]:
        return (guarantee.name for guarantee in self.judgements)

    def __len__(self) -> int:
        return len(self.judgements)

    @property
    def holds(self) -> bool:
        """Whether everything that was asked holds."""
        return all(guarantee.holds for guarantee in self.judgements)

    def __repr__(self) -> str:
        verdict = "everything that was asked holds" if self.holds else "not everything that was asked holds"
        return screenful([f"{counted(len(self), 'guarantee')}, {verdict}", *map(guarantee_line, self.judgements)])

    def adding(self, *more: Judgement) -> Guarantees:
        """Return these guarantees and more."""
        return Guarantees((*self.judgements, *more))

    def to_list(self) -> list[dict[str, Any]]:
        """Return plain values for JSON."""
        return [guarantee.to_dict() for guarantee in self.judgements]


def guarantee_line(guarantee: Judgement) -> str:
    """Say in a line what a guarantee came to."""
    verdict = "holds" if guarantee.holds else "does not hold"
    asked = "" if guarantee.asked is None else f", asked {guarantee.asked}"
    return f"  {guarantee.name} {verdict}: {guarantee.achieved}{asked}"
