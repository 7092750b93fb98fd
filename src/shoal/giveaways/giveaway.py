"""Giveaway: one thing that a release would tell beside what its guarantees speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import GuaranteeError


@dataclass(frozen=True)
class Giveaway:
    """What a person should know before a table leaves, and how to end it. No value of a record."""

    name: str  # which of the giveaways it is, such as ``row_order``: for programs
    sentence: str  # what it is, for people
    columns: tuple[str, ...]  # the columns that give something away; empty where it is no column that does
    records: int  # how many records it concerns
    # the lines of the plan that would end it, as TOML; empty where no line of a plan can. `remedied` puts them in
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**vars(self), "columns": list(self.columns)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Giveaway:
        """Read back what `to_dict` gives."""
        return cls(**{**values, "columns": tuple(values["columns"])})


def as_manifest(giveaways: Iterable[Giveaway]) -> dict[str, Any]:
    """Return what a manifest says of giveaways: sentences for people, and all of them for programs."""
    listed = tuple(giveaways)
    return {
        "warnings": [giveaway.sentence for giveaway in listed],
        "giveaways": [giveaway.to_dict() for giveaway in listed],
    }


class GiveawayError(GuaranteeError):
    """A release would give something away, and the run is strict; nothing is released.

    ``giveaways`` holds what was found.
    """

    def __init__(self, giveaways: Sequence[Giveaway]) -> None:
        self.giveaways = tuple(giveaways)
        count = len(self.giveaways)
        sentences = "; and ".join(giveaway.sentence for giveaway in self.giveaways)
        super().__init__(f"strict, and {count} warning{'s' if count > 1 else ''}, so nothing is released: {sentences}")


def refuse_giveaways(giveaways: Sequence[Giveaway]) -> None:
    """Raise GiveawayError where something was found."""
    if giveaways:
        raise GiveawayError(giveaways)
