"""Minimality: who knows that classes were merged only where they had to be rules out what needed no merging."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.linkage import not_of_a_permutation
from shoal.attacks.material import Material
from shoal.labels import rows_of_each
from shoal.masking.inputs import read_inputs
from shoal.masking.recoding import recoded
from shoal.plan import Plan
from shoal.protect.rules import Rule, met
from shoal.run.pipeline import anonymize

ARRANGEMENTS = 1000
"""The most ways to part the values of a class into its two groups that are enumerated."""
CLASSES = 50
"""The most classes that are enumerated."""


def posterior(
    values: NDArray[np.int64], size: int, violates: Callable[[NDArray[np.bool_]], bool]
) -> NDArray[np.float64] | None:
    """Return the chance of each value for a person of the first group of a merged class, and of the second.

    Over all ways to part the values of the class (codes from 0) between a first group of so many records and the second
    that needed merging (``violates``, from who is in the first), each as likely as its number of arrangements. None
    where no way needed it, which contradicts the assumption.

    Two groups of two were merged because a group of one value alone is not allowed:

    >>> values = np.array([0, 0, 1, 2])
    >>> chances = posterior(values, 2, lambda first: len(set(values[first])) == 1 or len(set(values[~first])) == 1)
    >>> chances.round(3).tolist()
    [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]
    """
    counts = np.bincount(values)
    place = np.array([int((values[:row] == value).sum()) for row, value in enumerate(values)])  # among equal values
    total, chances = 0.0, np.zeros((2, len(counts)))
    for taken in itertools.product(*(range(many + 1) for many in counts.tolist())):
        if sum(taken) != size:
            continue
        first = place < np.asarray(taken)[values]
        if violates(first):
            ways = float(math.prod(math.comb(int(c), h) for c, h in zip(counts, taken, strict=True)))
            total += ways
            chances[0] += ways * np.asarray(taken) / size
            chances[1] += ways * (counts - np.asarray(taken)) / (len(values) - size)
    return chances / total if total else None


def _guess(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance that each value is guessed: the likeliest, ties at random."""
    best = chances >= chances.max() * (1 - 1e-12)
    return np.asarray(best / best.sum())


def _run(material: Material) -> Iterator[Outcome]:
    plan, table = material.plan, recoded(material.original, material.plan).table
    # What asks nothing of confidential values has the groups before merging.
    bare = {key: value for key, value in plan.to_dict().items() if key not in ("closeness", "diversity")}
    groups = anonymize(material.original.data, Plan.from_mapping(bare)).in_original_order().labels
    merged = _merged_pairs(material.classes, groups)
    rules = [rule for own in read_inputs(table, plan).rules.values() for rule in own]
    for name in dict.fromkeys(rule.attribute.name for rule in rules):
        yield from _guess_attribute(material, name, [r for r in rules if r.attribute.name == name], groups, merged)


def _guess_attribute(
    material: Material, name: str, rules: list[Rule], groups: NDArray[np.int64], merged: list[NDArray[np.int64]]
) -> Iterator[Outcome]:
    codes = np.asarray(rules[0].attribute.codes)
    count = int(groups.max()) + 1
    chances: list[NDArray[np.float64]] = []
    outside = []
    for done, rows in enumerate(merged):
        material.progress(done, len(merged))
        _, values = np.unique(codes[rows], return_inverse=True)
        first, second = np.unique(groups[rows])
        size = int((groups[rows] == first).sum())
        if math.prod(np.bincount(values) + 1) > ARRANGEMENTS or len(chances) == CLASSES:
            continue

        def violates(
            inside: NDArray[np.bool_], rows: NDArray[np.int64] = rows, pair: tuple[int, int] = (first, second)
        ) -> bool:
            labels = groups.copy()
            labels[rows] = np.where(inside, *pair)
            return not met(rules, labels, count)[list(pair)].all()

        likely = posterior(values, size, violates)
        if likely is None:
            continue
        whose = np.where(groups[rows] == first, 0, 1)
        chances.append(np.array([_guess(side) for side in likely])[whose, values])
        outside.append(_guess(np.bincount(values).astype(np.float64))[values])
    if chances:
        baseline = Baseline(
            float(np.concatenate(outside).mean()), "the commonest value of the class, by who does not know the method"
        )
        yield Outcome(
            np.concatenate(chances), baseline, total=len(material), attribute=name, detail={"classes": len(chances)}
        )


def _merged_pairs(classes: NDArray[np.int64], groups: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the records of each class that is the union of two whole groups."""
    sizes = np.bincount(groups)
    return [
        rows
        for rows in rows_of_each(classes)
        if len(parts := np.unique(groups[rows])) == 2 and sizes[parts].sum() == len(rows)
    ]


def _why_not(material: Material) -> str | None:
    if not (material.plan.closeness or material.plan.diversity):
        return "the plan asks nothing of confidential values, so nothing was merged for them"
    if material.subjects is not None and material.subjects.count < len(material):
        return "persons with several records cannot be enumerated"
    # Dropped records at the end of the table leave no gap: whether some may have been is for the plan to say.
    if material.plan.suppress is not None or not np.array_equal(material.origins, np.arange(len(material.origins))):
        return "records may have been dropped, and how groups were formed before that cannot be told"
    return not_of_a_permutation(material)


MINIMALITY = Attack(
    "minimality",
    "minimality",
    "An intruder who knows the quasi-identifiers of everybody, the plan and the method forms the groups of k again. Of "
    "a class that was merged from two of them, every way to deal its confidential values to the two is enumerated; "
    "those in which both kept the rules, so that nothing needed merging, are ruled out, and the likeliest value of a "
    f"person is guessed; tried where there are at most {ARRANGEMENTS:,} ways, in at most {CLASSES} classes. The "
    "baseline is the commonest value of the class.",
    "Wong et al. 2007",
    _run,
    why_not=_why_not,
    nothing="no class was merged from two groups and is small enough to enumerate",
)
