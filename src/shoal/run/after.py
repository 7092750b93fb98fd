"""Earlier releases: what the classes of a new one leave of a person together with theirs.

Each release of a table hides a person among the records of a class. Who has two of them looks for the records that stand
in the person's class of both, and these are fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.errors import DataError, GuaranteeError
from shoal.frames import Table
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement
from shoal.run.release import Release

NAME = "intersection"
"""What the judgement is called in releases, manifests and messages."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """An earlier release of a table, its rows beside those of the original. Make one with `Earlier.of`.

    Parameters
    ----------
    name
        What to call it in messages.
    released
        The table that left.
    plan
        What was asked of it.
    places
        The released row of each original one, from 0.
    fingerprint
        Of the released table, for the manifest.
    """

    name: str
    released: Table
    plan: Plan
    places: NDArray[np.int64]
    fingerprint: str

    @classmethod
    def of(
        cls,
        original: Any,
        released: Any,
        manifest: Mapping[str, Any],
        *,
        rows: ArrayLike | None = None,
        name: str = "the earlier release",
    ) -> Earlier:
        """Match an earlier release with the table it was made of.

        Parameters
        ----------
        original, released
            The table, and what was released of it, as frames.
        manifest
            Of the release.
        rows
            The original row of each released one, from 0, where they were shuffled.
        name
            What to call it in messages.

        Raises
        ------
        DataError
            The manifest is of another table or of another release, or the rows cannot be matched.
        """
        table, left = Table.of(original), Table.of(released)
        require_same_original(manifest, name, table.sha256())
        require_same_release(manifest, name, left.sha256())
        return cls.matched(len(table), left, manifest, rows=rows, name=name)

    @classmethod
    def matched(
        cls, records: int, released: Table, manifest: Mapping[str, Any], *, rows: ArrayLike | None, name: str
    ) -> Earlier:
        """Put the rows of a release beside those of the original, whose fingerprints were compared before."""
        plan = Plan.from_mapping(manifest["plan"])
        if plan.release is ReleaseMode.PERMUTE:
            raise DataError(
                f"{name} was released by permutation, and a permuted table does not show its groups: what it leaves "
                "together with another release cannot be told"
            )
        places = _places(records, len(released), rows, name)
        return cls(name, released, plan, places, manifest["output"]["sha256"])

    def classes(self, known: Iterable[str]) -> NDArray[np.int64]:
        """Return a number per original row: the same where the release cannot be told apart by what is known."""
        columns = [name for name in known if name in self.released.names]
        if not columns:
            return np.zeros(len(self.places), dtype=np.int64)
        return equivalence_classes([self.released.class_codes(name)[self.places] for name in columns])


@dataclass(frozen=True)
class Intersection:
    """What is left of the records, or subjects, that share a class in every release.

    Parameters
    ----------
    counted
        ``records`` or ``subjects``.
    total
        How many of them the table has.
    smallest
        The fewest that share their classes of all releases.
    below_k, singled_out
        How many share them with fewer than k, and with nobody.
    determined
        By confidential attribute, of how many the value follows from the classes of all releases.
    determined_alone
        The same for the new release by itself.
    """

    counted: str
    total: int
    smallest: int
    below_k: int
    singled_out: int
    determined: Mapping[str, int]
    determined_alone: Mapping[str, int]


def intersect(
    original: Table,
    released: Table,
    labels: NDArray[np.int64],
    plan: Plan,
    earlier: Sequence[Earlier],
    subjects: NDArray[np.int32] | None = None,
) -> Intersection:
    """Intersect the classes of a new release with those of earlier ones.

    Parameters
    ----------
    original, released
        The table and its new release, row by row the same records.
    labels
        The groups of the new release: only for a permutation, which does not show them.
    plan
        What is asked of the new release.
    earlier
        The earlier ones.
    subjects
        Whom each record is about, where that is not itself.

    Notes
    -----
    The intruder knows what any of the plans calls a quasi-identifier (or groups by), and can match the rows of one
    release with those of another: by their order, or by values that all of them have as they are. A column that one
    release masks and another does not counts as it stands in each. This is the composition attack of Ganta et al. 2008
    at its strongest; who cannot match rows learns no more than that.
    """
    known = dict.fromkeys(name for each in (plan, *(one.plan for one in earlier)) for name in _known(each))
    if plan.release is ReleaseMode.PERMUTE:
        alone = labels
    else:
        alone = equivalence_classes([released.class_codes(name) for name in known if name in released.names])
    together = equivalence_classes([alone, *(each.classes(known) for each in earlier)])
    who = np.arange(len(original)) if subjects is None else subjects
    sizes = _different(together, who)
    confidential = dict.fromkeys(
        name for each in (plan, *(one.plan for one in earlier)) for name in each.names(Role.CONFIDENTIAL)
    )
    return Intersection(
        counted="records" if subjects is None else "subjects",
        total=len(np.unique(who)),
        smallest=int(sizes.min()),
        below_k=_count(who, sizes[together] < plan.k),
        singled_out=_count(who, sizes[together] == 1),
        determined={name: _determined(original, name, together, who) for name in confidential},
        determined_alone={name: _determined(original, name, alone, who) for name in confidential},
    )


def judge_intersection(found: Intersection, k: int, earlier: Sequence[Earlier]) -> Judgement:
    """Return the verdict on a release together with earlier ones: at least k where their classes meet."""
    releases = "an earlier one" if len(earlier) == 1 else f"{len(earlier)} earlier ones"
    return Judgement(
        name=NAME,
        asked=k,
        achieved=found.smallest,
        holds=found.smallest >= k,
        definition=(
            f"whoever knows the quasi-identifiers of a person and matches the rows of this release with those of "
            f"{releases} is left with at least {k} {found.counted}"
        ),
        note=_told(found, k),
        detail={
            "below_k": found.below_k,
            "singled_out": found.singled_out,
            **{f"determined {name}": count for name, count in found.determined.items()},
            **{f"determined {name} alone": count for name, count in found.determined_alone.items()},
        },
    )


def refuse_intersection(verdict: Judgement, earlier: Sequence[Earlier]) -> None:
    """Refuse a release that leaves fewer than k together with earlier ones."""
    if not verdict.holds:
        names = ", ".join(each.name for each in earlier)
        raise GuaranteeError(
            f"together with {names} fewer than k = {verdict.asked} are left where classes meet, {verdict.achieved} at "
            f"worst, so nothing is released. {verdict.note} Release by the earlier plan again, or accept it (after_anyway)",
            reached=verdict.achieved,
        )


def as_earlier(original: Table, given: Release | Earlier, number: int) -> Earlier:
    """Take an earlier release as it is, or match one of this process with its original."""
    if isinstance(given, Earlier):
        if len(given.places) != len(original):
            raise DataError(f"{given.name} was matched with another table than the one to anonymize")
        return given
    if not isinstance(given, Release):
        raise DataError(f"after takes releases and shoal.run.Earlier, not a {type(given).__name__}")
    return Earlier.of(original.frame, given.data, given.manifest, name=f"earlier release {number}")


def require_same_original(manifest: Mapping[str, Any], name: str, *fingerprints: str) -> None:
    """Refuse a release of another table: what it has in common with this one, its rows do not tell."""
    _require(manifest, "input", fingerprints, f"{name} was made of another table than the one to anonymize")


def require_same_release(manifest: Mapping[str, Any], name: str, *fingerprints: str) -> None:
    """Refuse a manifest that speaks of another release."""
    _require(manifest, "output", fingerprints, f"{name} is not the release that its manifest speaks of")


def _require(manifest: Mapping[str, Any], part: str, fingerprints: Sequence[str], otherwise: str) -> None:
    try:
        expected = {manifest[part].get(key) for key in ("sha256", "file_sha256")}
        Plan.from_mapping(manifest["plan"])
    except (KeyError, TypeError, AttributeError):
        raise DataError(f"what should be the manifest of an earlier release is none: it lacks {part!r}") from None
    if not expected & set(fingerprints):
        raise DataError(f"{otherwise}: their fingerprints differ, also where rows stand in another order")


def _places(records: int, released: int, rows: ArrayLike | None, name: str) -> NDArray[np.int64]:
    """Return the released row of each original one."""
    if released != records:
        raise DataError(f"{name} has {released:,} rows and the table {records:,}: they cannot be matched")
    if rows is None:
        return np.arange(records)
    of_original = np.asarray(rows)
    places = np.full(records, -1, dtype=np.int64)
    if of_original.shape == (records,) and of_original.dtype.kind in "iu":
        inside = (of_original >= 0) & (of_original < records)
        places[of_original[inside]] = np.flatnonzero(inside)
    if (places < 0).any():
        raise DataError(f"the row map of {name} must name each of the {records:,} original rows once")
    return places


def _known(plan: Plan) -> tuple[str, ...]:
    return (*plan.names(Role.QUASI_IDENTIFIER), *([plan.by] if plan.by else []))


def _different(classes: NDArray[np.int64], who: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many different ones each class has."""
    pairs = equivalence_classes([classes, who])
    _, first = np.unique(pairs, return_index=True)
    return np.bincount(classes[first], minlength=int(classes.max()) + 1)


def _count(who: NDArray[Any], chosen: NDArray[np.bool_]) -> int:
    return len(np.unique(who[chosen]))


def _determined(original: Table, name: str, classes: NDArray[np.int64], who: NDArray[Any]) -> int:
    """Return how many have a class in which everybody has the same value of a confidential attribute."""
    return _count(who, _different(classes, original.class_codes(name))[classes] == 1)


def _told(found: Intersection, k: int) -> str:
    """Say how many are left with fewer than k, and of how many a confidential value follows."""
    parts = [f"{found.below_k:,} of {found.total:,} {found.counted} are left with fewer than {k}"]
    if found.singled_out:
        parts.append(f"{found.singled_out:,} of them alone")
    parts += [
        f"{name!r} follows for {count:,} ({found.determined_alone[name]:,} from this release by itself)"
        for name, count in found.determined.items()
        if count
    ]
    return f"{', '.join(parts)}."
