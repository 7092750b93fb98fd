"""Intersection: what several releases of one table, or of one that grows, leave of a person together.

Each release hides a person among the records of a class. Who has two of them looks for the records that stand in the
person's class in both, and these are fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects
from shoal.frames import Table
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement
from shoal.republish.earlier_release import Earlier
from shoal.republish.previous_release import Previous, class_columns

NAME = "intersection"
"""What the judgement is called in releases, manifests and messages."""


Published: TypeAlias = Earlier | Previous
"""A release that is out, beside the table that is to be released: of the same table, or of one that has grown."""


@dataclass(frozen=True)
class Intersection:
    """How many records, or subjects (``counted`` says which), share their classes in every release."""

    counted: str
    total: int
    smallest: int  # the fewest that share their classes in all releases
    below_k: int
    singled_out: int
    parted: int  # differences and sums of classes that tell of fewer than k
    # By confidential attribute, of how many the value follows: from all releases, from the new one by itself.
    determined: Mapping[str, int]
    determined_alone: Mapping[str, int]

    def judge(self, k: int, releases: int) -> Judgement:
        """Return the verdict: at least k must be left together with so many earlier releases."""
        others = "an earlier one" if releases == 1 else f"{releases} earlier ones"
        return Judgement(
            name=NAME,
            asked=k,
            achieved=self.smallest,
            holds=self.smallest >= k,
            definition=(
                f"whoever knows the quasi-identifiers of a person, and matches the rows of this release with those of "
                f"{others}, is left with at least {k} {self.counted}"
            ),
            note=self._sentence(k),
            detail={
                "below_k": self.below_k,
                "singled_out": self.singled_out,
                **({"parted": self.parted} if self.parted else {}),
                **{f"determined {name}": count for name, count in self.determined.items()},
                **{f"determined {name} alone": count for name, count in self.determined_alone.items()},
            },
        )

    def _sentence(self, k: int) -> str:
        parts = [f"{self.below_k:,} of {self.total:,} {self.counted} are left with fewer than {k}"]
        if self.singled_out:
            parts.append(f"{self.singled_out:,} of them alone")
        if self.parted:
            which = "difference or sum of classes tells" if self.parted == 1 else "differences or sums of classes tell"
            parts.append(f"{self.parted:,} {which} of fewer than {k}")
        parts += [
            f"{name!r} follows for {count:,} ({self.determined_alone[name]:,} from this release by itself)"
            for name, count in self.determined.items()
            if count
        ]
        return f"{', '.join(parts)}."


@dataclass(frozen=True, eq=False)
class NewRelease:
    """A release that is about to leave, row by row the records of the original."""

    original: Table
    released: Table
    labels: NDArray[np.int64]  # the groups, which a permutation does not show
    plan: Plan
    subjects: Subjects | None = None  # None where every record is a subject of its own


def intersect(new: NewRelease, earlier: Sequence[Published]) -> Intersection:
    """Intersect the classes of a new release with those of earlier ones.

    Notes
    -----
    The intruder knows what any of the plans calls a quasi-identifier (or groups by), and can match the rows of one
    release with those of another: by their order, or by values that both have as they are. A column that one release
    masks and the other does not counts as it stands in each. This is the composition attack of Ganta et al. 2008 at its
    strongest: who cannot match rows learns no more than that.
    """
    original, released, plan, subjects = new.original, new.released, new.plan, new.subjects
    plans = (plan, *(one.plan for one in earlier))
    columns = dict.fromkeys(name for each in plans for name in class_columns(each))
    if plan.release is ReleaseMode.PERMUTE:
        alone = new.labels
    else:
        alone = equivalence_classes([released.class_codes(name) for name in columns if name in released.names])
    together = equivalence_classes([alone, *(each.classes(columns) for each in earlier)])
    numbers = None if subjects is None else subjects.numbers
    left = subjects_of_each(together, numbers)[together]
    parted = np.concatenate([each.parted(alone, plan.k) for each in earlier])
    confidential = dict.fromkeys(name for each in plans for name in each.names(Role.CONFIDENTIAL))
    values = {name: original.class_codes(name) for name in confidential}
    return Intersection(
        counted="records" if subjects is None else f"subjects ({subjects.name})",
        total=len(original) if subjects is None else subjects.count,
        smallest=int(min(left.min(), parted.min(initial=left.min()))),
        below_k=_count(left < plan.k, numbers),
        singled_out=_count(left == 1, numbers),
        parted=int((parted < plan.k).sum()),
        determined={name: _count(_one_value(together, codes), numbers) for name, codes in values.items()},
        determined_alone={name: _count(_one_value(alone, codes), numbers) for name, codes in values.items()},
    )


def _count(chosen: NDArray[np.bool_], subjects: NDArray[np.int32] | None) -> int:
    """Return how many records are chosen, or how many subjects by any of theirs."""
    return int(chosen.sum()) if subjects is None else len(np.unique(subjects[chosen]))


def _one_value(classes: NDArray[np.int64], codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which records stand in a class whose records all have one value."""
    first = np.empty(int(classes.max()) + 1, dtype=codes.dtype)
    first[classes] = codes
    several = np.zeros(len(first), dtype=np.bool_)
    several[classes[codes != first[classes]]] = True
    return ~several[classes]
