"""Difference: a person of a class takes the own record out, and what is left tells more about the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.material import Material
from shoal.attacks.nearest import reported
from shoal.attacks.secret import nothing_to_guess, secrets
from shoal.labels import rows_of_each

CLASSES = 10_000
"""Classes that are enumerated; of more, so many are drawn."""
SMALL = 50
"""The most records of a class that is enumerated: in a larger one, one record less tells next to nothing."""


class InsiderChances(NamedTuple):
    """Chances to guess the value of each record of a class, by the commonest value of the others, ties at random."""

    inside: NDArray[np.float64]  # without the insider's own value, every insider equally likely
    outside: NDArray[np.float64]
    sure: int  # of how many records some insider is sure and no outsider is


def insider_chances(values: NDArray[np.int64]) -> InsiderChances:
    """Guess the value of each record of a class, by outsiders and by any of the others in it.

    >>> insiders, outsiders, sure = insider_chances(np.array([7, 7, 8]))
    >>> insiders.tolist(), outsiders.tolist(), sure
    ([0.75, 0.75, 0.5], [1.0, 1.0, 0.0], 2)
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    n = len(values)
    outside = (counts == counts.max()) / (counts == counts.max()).sum()
    inside = np.zeros(len(counts))
    for own in np.eye(len(counts), dtype=np.int64):
        others = counts - own
        guess = (others == others.max()) / (others == others.max()).sum()
        inside += guess * (counts @ own - own) / (n - 1)
    alone = len(counts) == 2 and counts.min() == 1  # who has the other value knows that the rest have one
    return InsiderChances(inside[codes], outside[codes], (2 if n == 2 else n - 1) if alone else 0)


def _run(material: Material) -> Iterator[Outcome]:
    classes = [rows for rows in rows_of_each(material.classes) if 2 <= len(rows) <= SMALL]
    if not classes:
        return
    drawn = [classes[number] for number in material.generator("difference").permutation(len(classes))[:CLASSES]]
    for secret in secrets(material):
        codes = np.unique(secret.released, return_inverse=True)[1].astype(np.int64)
        inside, outside, sure = np.full(len(material), np.nan), np.full(len(material), np.nan), 0
        for rows in reported(drawn, material.progress):
            chances = insider_chances(codes[rows])
            inside[rows], outside[rows] = chances.inside, chances.outside
            sure += chances.sure
        rate = float(material.per_person(outside).mean())
        yield Outcome(
            material.per_person(inside),
            Baseline(rate, "the same guess by somebody outside the class"),
            total=material.persons,
            attribute=secret.name,
            detail={"an insider is sure of": sure, "classes": len(drawn)},
        )


DIFFERENCE = Attack(
    "difference",
    "difference inside a class",
    "A person who recognises the own class takes the own confidential value out of it and guesses the commonest of "
    f"what is left of any other in it; tried in classes of 2 to {SMALL} records, over every insider. The baseline is "
    "who guesses from outside.",
    "Denning and Denning 1979",
    _run,
    why_not=nothing_to_guess,
    nothing=f"no class has between 2 and {SMALL} records to enumerate",
)
