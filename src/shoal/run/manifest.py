"""The manifest: what was done, with which versions, on what, and how it ended. No record values; `jobs` writes it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.card import screenful
from shoal.classes import subjects_of_each
from shoal.encode import Subjects
from shoal.frames import Table
from shoal.plan import Plan


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
        **{package: _version(package) for package in ("shoal", "numpy", "narwhals", "polars")},
    }


_version = cache(version)  # a tenth of the run of a small table is reading the metadata of packages


SECTIONS = (
    "format",
    "plan",
    "seed",
    "versions",
    "input",
    "output",
    "order",
    "dropped_columns",
    "groups",
    "subjects",
    "gaps",
    "guarantees",
    "warnings",
    "giveaways",
    "spark",
    "seconds",
    "recoding",
    "totals",
    "suppressed",
    "refine",
    "after",
    "previous",
)
"""What a manifest tells, in its order."""


def make_manifest(original: Table, released: Table, plan: Plan, sections: Mapping[str, Any]) -> Manifest:
    """Collect the manifest of a run: its plan, what came in and what leaves, and what its stages have to say."""
    ends = {
        "input": {"rows": len(original), "columns": list(original.names), "sha256": original.sha256()},
        "output": {"rows": len(released), "columns": list(released.names), "sha256": released.sha256()},
    }
    return manifest_of(plan, {**ends, **sections})


def manifest_of(plan: Plan, sections: Mapping[str, Any]) -> Manifest:
    """Collect the manifest of a run wherever it was done, its sections in their order."""
    content = {
        "format": 1,
        "plan": plan.to_dict(),
        "seed": plan.seed,
        "versions": versions(),
        "dropped_columns": list(plan.dropped_names()),
        **sections,
    }
    return Manifest({**{name: content[name] for name in SECTIONS if name in content}, **content})


def group_sizes(labels: NDArray[np.int64]) -> dict[str, Any]:
    """Say how many groups there are, and how large."""
    sizes = np.bincount(labels)
    return {
        "count": len(sizes),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "mean": round(float(sizes.mean()), 4),
    }


def subject_counts(subjects: Subjects, labels: NDArray[np.int64], constant: Iterable[str] = ()) -> dict[str, Any]:
    """Say whom the records are about: the column, how many, how many a group has, and what is constant of each."""
    of_groups = subjects_of_each(labels, subjects.numbers)
    return {
        "column": subjects.name,
        "count": subjects.count,
        "fewest_in_a_group": int(of_groups.min()),
        "most_in_a_group": int(of_groups.max()),
        "constant": sorted(constant),
    }
