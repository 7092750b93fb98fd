"""Release, Partition, Guarantees, Manifest: frozen results, never bare tuples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType
from weakref import ref as weak_reference

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.frames import Table
from shoal.protect import Judgement
from shoal.run.giveaways.giveaway import Giveaway

if TYPE_CHECKING:
    from shoal.report.summary import Summary
    from shoal.run.model.model import Learnt, Model


def refer_to(frame: Any) -> ReferenceType[Any] | None:
    """Refer to a frame without keeping it; None where its kind cannot be referred to."""
    try:
        return weak_reference(frame)
    except TypeError:
        return None


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
    origin
        Refers to the table that came in for as long as somebody else has it; it does not keep it, and is not pickled.
    learnt
        What the model is made of besides; None of a release that another tool made.
    """

    data: Any
    labels: NDArray[np.int64]
    guarantees: Guarantees
    manifest: Manifest
    partition: Partition
    rows: NDArray[np.int64]
    origin: ReferenceType[Any] | None = field(default=None, repr=False)
    learnt: Learnt | None = None

    def summary(
        self, original: Any | None = None, *, edition: str = "internal", attacks: Sequence[str] | None = None
    ) -> Summary:
        """Return page one of the report: whether it is safe, how that is known, what it is good for, what to decide.

        Parameters
        ----------
        original
            The table that was anonymized; may be left out while it is still there.
        edition
            ``internal`` compares with the original and stays with it; ``external`` goes out with the release.
        attacks
            What to try against the release, by the names of `shoal.attack.ATTACKS`; the quick ones if None, ``["all"]``
            or ``["none"]``.

        Returns
        -------
        Summary
            With ``text`` (also as ``str``), ``markdown`` and ``html``; a notebook shows it by itself.

        Examples
        --------
        >>> import polars as pl, shoal
        >>> frame = pl.DataFrame({"age": [30, 34, 61, 67]})
        >>> plan = shoal.Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
        >>> shoal.anonymize(frame, plan).summary().who
        '4 records, each about another person.'
        """
        original = self.origin() if original is None and self.origin is not None else original
        if original is None:
            raise DataError(
                "a summary compares with the original table, which is gone: give it, as release.summary(frame)"
            )
        # Reports and plans stand above or beside this module; whoever asks for a summary has them at hand.
        plan = import_module("shoal.plan").Plan.from_mapping(self.manifest["plan"])
        found = import_module("shoal.report").collect(original, self, plan, edition=edition, attacks=attacks)
        summary: Summary = found.summary
        return summary

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "origin": None}

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
