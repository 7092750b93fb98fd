"""Random groups of random records, refined: no group below k or beyond a rule, nothing lost that was not lost before.

Numbers, ranks and codes, ties and equal records, subjects, large groups and small ones, closeness and diversity, every
effort. Under ``make sanitize`` a step beyond the memory of the kernels is found, too.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from fuzz.judging import Found, equal_distance, judged, ordered_distance
from reference import refine as slow
from reference.points import mixed_points
from shoal.constrain import repair
from shoal.partitioners import mdav, vmdav
from shoal.points import Points
from shoal.protect import Closeness, Confidential, DistinctDiversity, Rule
from shoal.refinement import EFFORTS, refine


def trouble(seed: int) -> Found:
    """Refine the groups of a case, and say what is wrong with them."""
    wrong: list[str] = []
    done = judged(seed, lambda: wrong.extend(_refined(seed)))
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}", taken=True) if wrong else done


def _refined(seed: int) -> Iterable[str]:
    dice, rng = random.Random(seed), np.random.default_rng(seed)
    k = dice.choice([2, 2, 3, 5])
    effort = dice.choice([*EFFORTS, "good"])
    n = dice.randint(2 * k, dice.choice([5, 12] if effort == "best" else [8, 20, 60]) * k)
    points = _points(dice, rng, n)
    if dice.random() < 0.25:
        points = points.about(rng.integers(0, max(n // 2, k), n))
    if points.subject_count < k:
        return
    start = _groups(dice, rng, points, k)
    pay, job = rng.integers(0, dice.choice([3, 40, 10 * n]), n).astype(float), rng.choice(list("aaabc"), n)
    limits = _limits(dice)
    rules = _rules(limits, pay, job)
    if rules:
        start = repair(points, start, rules)
    labels = refine(points, start, k, effort=effort, seed=seed, rules=rules)
    members = defaultdict(list)
    for row, label in enumerate(labels.tolist()):
        members[label].append(row)
    if sorted(members) != list(range(len(members))) or len(labels) != n:
        yield "the groups are not numbered from 0"
    subjects = points.subjects if points.subjects.size else np.arange(n)
    if min(len(set(subjects[rows].tolist())) for rows in members.values()) < k:
        yield f"a group of fewer than k = {k}"
    for rows in members.values():
        paid, jobs = [str(pay[row]) for row in rows], [job[row] for row in rows]
        if "t" in limits and ordered_distance(paid, [str(value) for value in pay]) > limits["t"] + 1e-9:
            yield "a group beyond t"
        if "equal" in limits and equal_distance(jobs, list(job)) > limits["equal"] + 1e-9:
            yield "a group beyond t of categories"
        if len(Counter(jobs)) < limits.get("distinct", 1):
            yield "a group of too few categories"
    before, after = sum(slow.losses(points, start)), sum(slow.losses(points, labels))
    if after > before * (1 + 1e-9):
        yield f"{after} is lost, and {before} was"


def _points(dice: random.Random, rng: np.random.Generator, n: int) -> Points:
    """Return points of several kinds, with equal ones among them at times."""
    if dice.random() < 0.4:
        kinds = (dice.randint(0, 3), dice.randint(0, 2), dice.randint(1, 2))
        return mixed_points(rng, n, *kinds, distinct=dice.choice([2, 6, 30]))
    values = rng.normal(size=(n, dice.choice([1, 2, 3, 6, 13])))
    if dice.random() < 0.3:
        values = np.round(values, dice.choice([0, 1]))
    if dice.random() < 0.3:
        values[: n // 2] = values[0]
    return Points.of(values)


def _groups(dice: random.Random, rng: np.random.Generator, points: Points, k: int) -> np.ndarray:
    """Return groups of any size from k on: those of methods, or what comes of joining some of them."""
    labels = (mdav if dice.random() < 0.7 else vmdav)(points, k)
    if dice.random() < 0.4:
        groups = int(labels.max()) + 1
        labels = rng.integers(0, dice.randint(1, groups), groups)[labels]
        labels = np.unique(labels, return_inverse=True)[1]
    return labels


def _limits(dice: random.Random) -> dict[str, float]:
    chosen: dict[str, float] = {}
    if dice.random() < 0.4:
        chosen["t"] = dice.choice([0.1, 0.2, 0.3, 0.45])
    if dice.random() < 0.2:
        chosen["equal"] = dice.choice([0.3, 0.5])
    if dice.random() < 0.25:
        chosen["distinct"] = 2
    return chosen


def _rules(limits: dict[str, float], pay: np.ndarray, job: np.ndarray) -> list[Rule]:
    rules: list[Rule] = []
    if "t" in limits:
        rules.append(Closeness(Confidential.ordered(pay, name="pay"), limits["t"]))
    if "equal" in limits:
        rules.append(Closeness(Confidential.nominal(job, name="job"), limits["equal"]))
    if "distinct" in limits:
        rules.append(DistinctDiversity(Confidential.nominal(job, name="job"), 2))
    return rules
