"""The manifest: what was done, with which versions, on what, and how it ended. No record values."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from shoal.card import screenful
from shoal.classes import subjects_of_each
from shoal.encode import Subjects
from shoal.frames import Table
from shoal.giveaways.giveaway import Giveaway, as_manifest
from shoal.masking.partition import Partition
from shoal.masking.row_order import RowOrder
from shoal.masking.stopwatch import Stopwatch
from shoal.plan import Plan
from shoal.run.guarantees import Guarantees


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        parts = [f"  {key}: {type(value).__name__}" for key, value in self.content.items()]
        return screenful([f"Manifest with {len(self)} entries; to_json() writes all of it", *parts])

    def to_json(self) -> str:
        """Return the manifest as indented JSON."""
        return json.dumps(dict(self.content), indent=2, ensure_ascii=False) + "\n"


def versions() -> dict[str, str]:
    """Return the versions of everything that can change a release."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in ("shoal", "numpy", "narwhals", "polars")},
    }


def make_manifest(
    original: Table,
    released: Table,
    partition: Partition,
    guarantees: Guarantees,
    giveaways: Sequence[Giveaway],
    plan: Plan,
    watch: Stopwatch,
    *,
    subjects: Subjects | None = None,
    constant: Iterable[str] = (),
    order: RowOrder | None = None,
    unchanged: int | None = None,
    gaps: Mapping[str, Mapping[str, int]] | None = None,
) -> Manifest:
    """Collect the manifest of a run; nobody knows in which order another tool left the rows.

    The partition and the subjects stand in the order of the original. ``unchanged`` counts the groups that a
    permutation left as they were, ``gaps`` by column the cells that were missing, filled and suppressed.
    """
    sizes = np.bincount(partition.labels)
    return Manifest(
        {
            "format": 1,
            "plan": plan.to_dict(),
            "seed": plan.seed,
            "versions": versions(),
            "input": {"rows": len(original), "columns": list(original.names), "sha256": original.sha256()},
            "output": {"rows": len(released), "columns": list(released.names), "sha256": released.sha256()},
            **({} if order is None else {"order": order.to_dict()}),
            "dropped_columns": list(plan.dropped_names()),
            "groups": {
                "count": len(sizes),
                "smallest": int(sizes.min()),
                "largest": int(sizes.max()),
                "mean": round(float(sizes.mean()), 4),
                **({} if unchanged is None else {"unchanged": unchanged}),
            },
            **({} if subjects is None else {"subjects": _count_subjects(subjects, partition, constant)}),
            **({} if not gaps else {"gaps": {name: dict(counts) for name, counts in gaps.items()}}),
            "guarantees": guarantees.to_list(),
            **as_manifest(giveaways),
            "seconds": dict[str, Any](watch.seconds),
        }
    )


def _count_subjects(subjects: Subjects, partition: Partition, constant: Iterable[str]) -> dict[str, Any]:
    """Say whom the records are about: the column, how many, how many a group has, and what is constant of each."""
    of_groups = subjects_of_each(partition.labels, subjects.numbers)
    return {
        "column": subjects.name,
        "count": subjects.count,
        "fewest_in_a_group": int(of_groups.min()),
        "most_in_a_group": int(of_groups.max()),
        "constant": sorted(constant),
    }
