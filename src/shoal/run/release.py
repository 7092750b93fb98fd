"""Release, Partition, Guarantees, Manifest: frozen results, never bare tuples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.protect import Judgement
from shoal.run.giveaways.giveaway import Giveaway

if TYPE_CHECKING:
    from shoal.run.model.model import Learnt, Model


@dataclass(frozen=True)
class Guarantees(Mapping[str, Judgement]):
    """The guarantees of a release by name; ``holds`` says whether all of them do."""

    items_: tuple[Judgement, ...]

    def __getitem__(self, name: str) -> Judgement:
        for guarantee in self.items_:
            if guarantee.name == name:
                return guarantee
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (guarantee.name for guarantee in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    @property
    def holds(self) -> bool:
        """Whether everything that was asked holds."""
        return all(guarantee.holds for guarantee in self.items_)

    def adding(self, *more: Judgement) -> Guarantees:
        """Return these guarantees and more."""
        return Guarantees((*self.items_, *more))

    def to_list(self) -> list[dict[str, Any]]:
        """Return plain values for JSON."""
        return [guarantee.to_dict() for guarantee in self.items_]


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that were partitioned together, and the group of each record."""

    columns: tuple[str, ...]
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """How records were grouped: in one block of all quasi-identifiers, in several, or in none where values were mixed.

    ``labels`` is the group of each record; with several blocks, records share one when they do in every block; with
    none, when all their masked values are equal.
    """

    blocks: tuple[Block, ...]
    labels: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> Partition:
        """Return the partition of other rows, or of the same in another order."""
        return Partition(tuple(Block(block.columns, block.labels[rows]) for block in self.blocks), self.labels[rows])


@dataclass(frozen=True)
class Manifest(Mapping[str, Any]):
    """What was done, for the record: plan, versions, seed, sizes, hashes, counts, timings. No record values."""

    content: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)

    def adding(self, **more: Any) -> Manifest:
        """Return a manifest with more in it."""
        return Manifest({**self.content, **more})

    def to_json(self) -> str:
        """Return the manifest as indented JSON."""
        return json.dumps(dict(self.content), indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, eq=False)
class Release:
    """An anonymized table with its evidence.

    Parameters
    ----------
    data
        The released frame: identifiers gone, quasi-identifiers masked, rows in the order they came or shuffled.
    labels
        The group of each released row.
    guarantees
        What was asked and what holds, checked on ``data``.
    manifest
        Plan, versions, seed, sizes, hashes, counts and timings; no record values.
    partition
        The groups of each block of attributes.
    rows
        The original position of each released row, from 0. It undoes a shuffle: keep it with the original.
    learnt
        What the model is made of besides; None of a release that another tool made.
    """

    data: Any
    labels: NDArray[np.int64]
    guarantees: Guarantees
    manifest: Manifest
    partition: Partition
    rows: NDArray[np.int64]
    learnt: Learnt | None = None

    @property
    def model(self) -> Model:
        """The encoder and the groups, to mask new records by; no records."""
        from shoal.run.model.model import Model

        return Model.of(self)

    def in_original_order(self) -> Release:
        """Return the release with its rows as they came, to compare it with the original record by record."""
        if np.array_equal(self.rows, np.arange(len(self.rows))):
            return self
        back = np.argsort(self.rows)
        data, partition = Table.of(self.data).take(back).data, self.partition.take(back)
        return replace(self, data=data, labels=partition.labels, partition=partition, rows=self.rows[back])

    @property
    def giveaways(self) -> tuple[Giveaway, ...]:
        """What the manifest warns of, with the lines of the plan that would end it."""
        return tuple(Giveaway.from_dict(each) for each in self.manifest.get("giveaways", ()))

    def __repr__(self) -> str:
        lines = [f"Release of {len(self.labels)} records in {int(self.labels.max(initial=-1)) + 1} groups"]
        for guarantee in self.guarantees.values():
            verdict = "holds" if guarantee.holds else "does not hold"
            asked = "" if guarantee.asked is None else f", asked {guarantee.asked}"
            lines.append(f"  {guarantee.name} {verdict}: {guarantee.achieved}{asked}")
        if self.manifest.get("order", {}).get("shuffled"):
            lines.append("  rows shuffled: release.rows says where each of them stood")
        lines += [f"  warning: {warning}" for warning in self.manifest.get("warnings", ())]
        return "\n".join(lines)
