"""Inference from the class: what most released records like a person's have is guessed of that person."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack
from shoal.attacks.material import Material
from shoal.attacks.nearest import known_points, nearest_rows, released_points
from shoal.attacks.outcome import Baseline, Outcome
from shoal.attacks.secret import NEAR, Secret, nothing_to_guess, secrets
from shoal.measures.linkage import distinct_points

PERSONS = 10_000
"""Persons of whom a value is guessed, inside the release and in the control; of more, so many are drawn."""

RIGHT = (
    f"A category is right or wrong, a number is right within {NEAR:g} standard deviations. The baseline is the same on "
    "the control, or without one the best single guess for everybody: what is more than that may also be what a study "
    "would tell of anybody."
)


def against(secret: Secret, chances: NDArray[np.float64], control: NDArray[np.float64] | None, total: int) -> Outcome:
    """Put guesses beside those at the control, or beside the best single guess."""
    baseline = secret.commonest()
    if control is not None:
        baseline = Baseline(
            float(control.mean()), "the same guesses at persons who are not in the release", "control", len(control)
        )
    return Outcome(chances, baseline, total=total, attribute=secret.name)


def _run(material: Material) -> Iterator[Outcome]:
    group, released = distinct_points(released_points(material.columns))
    rows = material.drawn(PERSONS, "class")
    place = nearest_rows(known_points(material.columns), released, rows, 1, progress=material.progress)[:, 0]
    others = None
    if material.control is not None:
        # The columns of the control have code books of their own: classes are told by a released record of each.
        released_with_control = released_points(material.control_columns)
        drawn = material.drawn_control(PERSONS, "class")
        found = nearest_rows(
            known_points(material.control_columns), released_with_control, drawn, 1, progress=material.progress
        )[:, 0]
        others = drawn, group[found]
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    for secret in secrets(material):
        guesses = np.array(
            [secret.summary(secret.released[order[starts[c] : starts[c + 1]]]) for c in range(len(released))]
        )
        chances = secret.right(guesses[place], secret.truth[rows])
        control = None
        if others is not None and secret.control is not None:
            control = secret.right(guesses[others[1]], secret.control[others[0]])
        yield against(secret, chances, control, material.persons)


INFERENCE_CLASS = Attack(
    "inference_class",
    "inference from the class",
    "An intruder who knows the quasi-identifiers of a person looks for the nearest class of equal released records and "
    f"guesses its commonest confidential value, of a number the median. {RIGHT}",
    "Machanavajjhala et al. 2007",
    _run,
    why_not=nothing_to_guess,
)
