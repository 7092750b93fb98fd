"""How many subjects share their released quasi-identifiers, and what several records of one give away together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.measures.declaration import CHANCE, QuasiIdentifiers, Value, declare_measure, over_subsets
from shoal.measures.definition import Score
from shoal.measures.pair import Pair
from shoal.subsets import Known, Subsets

_CLASS_SIZE: dict[str, Any] = {"aspect": "risk", "better": "higher", "low": 1.0, "unit": "subjects"}


@declare_measure(
    "k_min",
    "Size of the smallest equivalence class: subjects (records, where each is its own) whose released "
    "quasi-identifiers all agree (over several subsets of them, the smallest of all).",
    title="smallest class",
    external="subjects",
    **_CLASS_SIZE,
)
def k_min(
    pair: Pair, columns: QuasiIdentifiers, *, subsets: Known | None = None, sample: int | None = None, seed: int = 0
) -> Value:
    """Return the size of the smallest equivalence class.

    Notes
    -----
    Over subsets it is the smallest, and ``parts`` holds that of each. ``groups`` holds the size of every class on all
    quasi-identifiers. The smallest class over a sample of subsets is no estimate of the smallest over all, so there is
    no interval; the subset with all columns decides it anyway.

    Examples
    --------
    >>> k_min(Pair.of([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 1.5, 4.0, 4.0, 4.0])).value
    2.0
    """
    known = Subsets.of(pair.names, subsets, sample=sample, seed=seed)
    smallest = [int(_class_sizes(pair, names).min()) for names in known.drawn]
    parts = {} if subsets is None else dict(zip(map(" + ".join, known.drawn), smallest, strict=True))
    return Value(min(smallest), groups={"size": pair.subject_sizes}, parts=parts)


@declare_measure(
    "k_prime",
    "Real anonymity: the mean size of an equivalence class in subjects, which is records / distinct released records "
    "where each is its own (over several subsets of the quasi-identifiers, the mean).",
    title="average class",
    external="subjects",
    **_CLASS_SIZE,
)
def k_prime(
    pair: Pair, columns: QuasiIdentifiers, *, subsets: Known | None = None, sample: int | None = None, seed: int = 0
) -> Value:
    """Return the average size of the equivalence classes.

    Notes
    -----
    Nin 2014, section 2.3. Blocked microaggregation and Mic1D-k protect parts of a record by themselves: k' shows what
    is left of k when the parts are seen together. Over subsets it is the mean, with an interval where they are a
    sample, and ``parts`` holds that of each.

    Examples
    --------
    >>> k_prime(Pair.of([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 1.5, 4.0, 4.0, 4.0])).value
    2.5
    """
    return over_subsets(pair, lambda names: float(_class_sizes(pair, names).mean()), subsets, sample=sample, seed=seed)


def _class_sizes(pair: Pair, names: tuple[str, ...]) -> NDArray[np.int64]:
    if names == pair.names:
        return pair.subject_sizes
    cells = [column.cells for column in pair.columns if column.name in names]
    return pair.once(("sizes", names), lambda: subjects_of_each(equivalence_classes(cells), pair.subjects))


_AT_ONCE = 1 << 22
"""Candidates that are looked up in one step, so that memory stays bounded."""


def _linked_subjects(score: Score) -> Iterator[str]:
    """Say what someone finds who can link the records of one subject."""
    parts = score.parts
    if parts["subjects in several classes"]:
        yield (
            f"Whoever can link the records of one subject finds it among {parts['mean']:.1f} on average and "
            f"{score.value:.0f} at the least: {parts['subjects left alone']:,.0f} of {parts['subjects']:,.0f} subjects "
            "would be alone."
        )


@declare_measure(
    "k_linked",
    "Subjects left, at the least, when someone who can link the records of one subject intersects all their "
    "equivalence classes.",
    title="fewest left where rows of one subject are linked",
    role="subject",
    caution=_linked_subjects,
    **_CLASS_SIZE,
)
def k_linked(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return how many subjects remain when all classes of one subject are intersected.

    Notes
    -----
    A release does not say which records are of one subject; who knows from elsewhere (a second visit on a known day)
    may link them. ``parts`` holds the mean over subjects, how many have records in several classes, and how many of all
    are left alone.

    Examples
    --------
    >>> pair = Pair.of([1, 2, 3, 4, 5, 6], [1, 1, 1, 2, 2, 2], subjects=["a", "b", "c", "a", "b", "d"])
    >>> score = k_linked(pair)
    >>> score.value, score.parts["subjects left alone"]
    (2.0, 0.0)
    """
    memberships = Memberships.of(pair.classes, pair.subjects)
    left = subjects_left(memberships)
    return Value(
        left.min(),
        parts={
            "mean": left.mean(),
            "subjects": len(left),
            "subjects in several classes": int((np.bincount(memberships.subjects) > 1).sum()),
            "subjects left alone": int((left == 1).sum()),
        },
    )


@declare_measure(
    "subject_risk",
    "Chance to find a subject (a person, a household) by guessing in each of its equivalence classes, where any record "
    "found finds all: 1 − ∏ (1 − 1 / subjects of the class), averaged over subjects.",
    title="chance to find a subject by any of its rows",
    role="subject",
    **CHANCE,
)
def subject_risk(pair: Pair, columns: QuasiIdentifiers) -> Value:
    """Return the chance that some record of a subject is found, by guessing inside its classes.

    Notes
    -----
    The household risk of survey practice, with 1 / (subjects of the class) as the risk of a record. ``parts`` holds the
    largest over subjects.

    Examples
    --------
    >>> pair = Pair.of([1, 2, 3, 4], [1, 1, 2, 2], subjects=["a", "b", "a", "b"])
    >>> subject_risk(pair).value
    75.0
    """
    classes, subjects = Memberships.of(pair.classes, pair.subjects)
    escapes = np.log1p(-1.0 / np.maximum(pair.subject_sizes[classes], 1 + 1e-12))
    risk = np.round(100.0 * -np.expm1(np.bincount(subjects, escapes)), 9)
    return Value(float(risk.mean()), parts={"largest": float(risk.max())})


class Memberships(NamedTuple):
    """Every class with each of its subjects, once, sorted by class and subject."""

    classes: NDArray[np.int64]
    subjects: NDArray[np.int64]

    @classmethod
    def of(cls, classes: NDArray[np.int64], subjects: NDArray[np.int32] | None) -> Memberships:
        """Tell who is in which class."""
        assert subjects is not None, "what asks for them covers records with subjects alone"
        count = int(subjects.max()) + 1
        codes = np.unique(classes * count + subjects)
        return cls(codes // count, codes % count)


def subjects_left(memberships: Memberships, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return for each subject, or each chosen one, how many have a record in every class that it has one in.

    >>> memberships = Memberships.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2], dtype=np.int32))
    >>> subjects_left(memberships).tolist()
    [1, 2, 2]
    >>> subjects_left(memberships, np.array([False, True, False])).tolist()
    [2]
    """
    classes, subjects = memberships
    sizes = np.bincount(classes)
    count = int(subjects.max()) + 1
    asked = np.ones(count, dtype=np.bool_) if chosen is None else chosen
    number = np.cumsum(asked) - 1  # of a chosen subject among them
    codes = classes * count + subjects
    starts = np.cumsum(sizes) - sizes
    own_rows = np.flatnonzero(asked[subjects])
    order = own_rows[np.lexsort((sizes[classes[own_rows]], subjects[own_rows]))]
    first = np.unique(subjects[order], return_index=True)[1]
    smallest = classes[order[first]]  # of each subject
    others = np.delete(order, first)
    candidates = sizes[smallest]
    place = np.cumsum(candidates) - candidates  # where a subject's candidates stand
    hits = np.zeros(int(candidates.sum()), dtype=np.int32)
    work = np.cumsum(candidates[number[subjects[others]]])
    for part in np.split(others, np.searchsorted(work, np.arange(_AT_ONCE, work[-1:].sum(), _AT_ONCE))):
        own = number[subjects[part]]
        many = candidates[own]
        step = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        who = subjects[np.repeat(starts[smallest[own]], many) + step]
        wanted = np.repeat(classes[part], many) * count + who
        is_member = codes[np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)] == wanted
        np.add.at(hits, (np.repeat(place[own], many) + step)[is_member], 1)
    needed = np.repeat((np.bincount(subjects) - 1)[asked], candidates)
    return np.add.reduceat((hits == needed).astype(np.int64), place)
