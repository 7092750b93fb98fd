"""Intersection: what several releases of one table leave of a person together.

Each release hides a person among the records of a class. Who has two of them looks for the records that stand in the
person's class in both, and these are fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects
from shoal.errors import GuaranteeError, sentence
from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement

NAME = "intersection"
"""What the judgement is called in releases, manifests and messages."""


class Published(Protocol):
    """A release that is out, beside the table that is to be released: of the same table, or of one that has grown."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    @property
    def plan(self) -> Plan:
        """What was asked of it."""

    @property
    def releases(self) -> int:
        """How many releases it tells of."""

    @property
    def remedy(self) -> str:
        """What helps where too few are left, in a clause."""

    def classes(self, known: Iterable[str]) -> NDArray[np.int64]:
        """Return a number per record: the same where who knows these columns cannot tell records apart."""

    def parted(self, classes: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        """Return how many a difference from these new classes parts from others, where they may be fewer than k."""


@dataclass(frozen=True)
class Intersection:
    """How many records, or subjects, share their classes in every release.

    Parameters
    ----------
    counted
        ``records`` or ``subjects``.
    total
        How many of them the table has.
    smallest
        The fewest that share their classes in all releases.
    below_k, singled_out
        How many share them with fewer than k, and with nobody.
    parted
        How many differences and sums of classes tell of fewer than k.
    determined
        By confidential attribute, of how many the value follows from the classes of all releases.
    determined_alone
        The same from the new release by itself.
    """

    counted: str
    total: int
    smallest: int
    below_k: int
    singled_out: int
    parted: int
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
    """A release that is about to leave.

    Parameters
    ----------
    original, released
        The table and its release, row by row the same records.
    labels
        The groups of a permutation, which does not show them.
    plan
        What is asked.
    subjects
        Whom each record is about; None where every record is a subject of its own.
    """

    original: Table
    released: Table
    labels: NDArray[np.int64]
    plan: Plan
    subjects: Subjects | None = None


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
    known = dict.fromkeys(name for each in plans for name in _known(each))
    if plan.release is ReleaseMode.PERMUTE:
        alone = new.labels
    else:
        alone = equivalence_classes([released.class_codes(name) for name in known if name in released.names])
    together = equivalence_classes([alone, *(each.classes(known) for each in earlier)])
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


def judge_together(new: NewRelease, earlier: Sequence[Published], *, anyway: bool = False) -> Judgement:
    """Return the verdict on a release together with earlier ones; refuse what leaves fewer than k, unless ``anyway``.

    Raises
    ------
    GuaranteeError
        Fewer than k are left somewhere.
    """
    verdict = intersect(new, earlier).judge(new.plan.k, sum(each.releases for each in earlier))
    if not verdict.holds and not anyway:
        remedy = earlier[-1].remedy
        raise GuaranteeError(
            f"{_too_few(verdict, earlier)}, so nothing is released. {verdict.note} {sentence(remedy)}, or "
            "accept it (after_anyway)",
            reached=verdict.achieved,
        )
    return verdict


def warn_of_intersection(guarantees: Mapping[str, Judgement], earlier: Sequence[Published]) -> tuple[Giveaway, ...]:
    """Return the warning of a release that is made though it leaves fewer than k together with earlier ones."""
    verdict = guarantees.get(NAME)
    if verdict is None or verdict.holds:
        return ()
    sentence = f"{_too_few(verdict, earlier)}, and that was accepted (after_anyway)"
    return (Giveaway(NAME, sentence, (), int(verdict.detail["below_k"])),)


def _too_few(verdict: Judgement, earlier: Sequence[Published]) -> str:
    return (
        f"together with {', '.join(each.name for each in earlier)} this release leaves fewer than k = {verdict.asked} "
        f"where their classes meet, {verdict.achieved} at worst"
    )


def _known(plan: Plan) -> tuple[str, ...]:
    return (*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else []))


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
