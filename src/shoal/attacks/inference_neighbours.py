"""Inference from neighbours: what the released records nearest to a person have is guessed of that person."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.attacks.definition import Attack
from shoal.attacks.inference_class import PERSONS, RIGHT, against
from shoal.attacks.material import Material
from shoal.attacks.nearest import known_points, nearest_rows, released_points
from shoal.attacks.outcome import Outcome
from shoal.attacks.secret import nothing_to_guess, secrets

NEIGHBOURS = 10
"""Released records that are asked."""


def _run(material: Material) -> Iterator[Outcome]:
    count = min(NEIGHBOURS, len(material))
    rows = material.drawn(PERSONS, "neighbours")
    columns = material.columns
    near = nearest_rows(known_points(columns), released_points(columns), rows, count, progress=material.progress)
    others = None
    if material.control is not None:
        drawn, columns = material.drawn_control(PERSONS, "neighbours"), material.control_columns
        found = nearest_rows(known_points(columns), released_points(columns), drawn, count, progress=material.progress)
        others = drawn, found
    for secret in secrets(material):
        guesses = np.array([secret.summary(secret.released[each]) for each in near])
        control = None
        if others is not None and secret.control is not None:
            asked = np.array([secret.summary(secret.released[each]) for each in others[1]])
            control = secret.right(asked, secret.control[others[0]])
        yield against(secret, secret.right(guesses, secret.truth[rows]), control, material.persons)


INFERENCE_NEIGHBOURS = Attack(
    "inference_neighbours",
    "inference from neighbours",
    f"An intruder who knows the quasi-identifiers of a person looks for the {NEIGHBOURS} nearest released records and "
    f"guesses their commonest confidential value, of numbers the median. {RIGHT}",
    "Cover and Hart 1967; Fredrikson et al. 2014",
    _run,
    why_not=nothing_to_guess,
)
