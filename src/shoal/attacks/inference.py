"""Inference: a confidential value is guessed from the class, the neighbours or a model of the release."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Baseline, Outcome, without_learner
from shoal.attacks.material import Material
from shoal.attacks.nearest import known_points, nearest_rows, released_points
from shoal.attacks.secret import NEAR, Secret, control_values, nothing_to_guess, secrets
from shoal.labels import rows_of_each
from shoal.measures.column_pair import ColumnPair
from shoal.measures.linkage import distinct_points

PERSONS = 10_000
"""Persons of whom a value is guessed, inside the release and in the control; of more, so many are drawn."""

RIGHT = (
    f"A category is right or wrong, a number is right within {NEAR:g} standard deviations. The baseline is the same on "
    "the control, or without one the best single guess for everybody: what is more than that may also be what a study "
    "would tell of anybody."
)


Guess = Callable[[Secret, NDArray[np.int32]], NDArray[Any]]
"""From an attribute and the released records nearest to each person to a guess at each."""


def _infer(material: Material, purpose: str, count: int, guess: Guess) -> Iterator[Outcome]:
    """Guess by the nearest released records, and put it beside guesses at the control, or the best single guess."""
    sides = [(material.drawn(PERSONS, purpose), material.columns)]
    if material.control is not None:
        sides.append((material.drawn_control(PERSONS, purpose), material.control_columns))
    near = [
        nearest_rows(known_points(columns), released_points(columns), rows, count, progress=material.progress)
        for rows, columns in sides
    ]
    for secret in secrets(material):
        baseline = secret.commonest()
        if secret.control is not None:
            control = secret.right(guess(secret, near[1]), secret.control[sides[1][0]])
            text = "the same guesses at persons who are not in the release"
            baseline = Baseline(float(control.mean()), text, "control", len(control))
        chances = secret.right(guess(secret, near[0]), secret.truth[sides[0][0]])
        yield Outcome(chances, baseline, total=material.persons, attribute=secret.name)


def _infer_from_class(material: Material) -> Iterator[Outcome]:
    classes = distinct_points(released_points(material.columns)).places
    members = rows_of_each(classes)

    def guess(secret: Secret, near: NDArray[np.int32]) -> NDArray[Any]:
        summaries = np.array([secret.summary(secret.released[rows]) for rows in members])
        return np.asarray(summaries[classes[near[:, 0]]])

    return _infer(material, "class", 1, guess)


INFERENCE_CLASS = Attack(
    "inference_class",
    "inference from the class",
    "An intruder who knows the quasi-identifiers of a person looks for the nearest class of equal released records and "
    f"guesses its commonest confidential value, of a number the median. {RIGHT}",
    "Machanavajjhala et al. 2007",
    _infer_from_class,
    why_not=nothing_to_guess,
)


NEIGHBOURS = 10
"""Released records that are asked."""


def _infer_from_neighbours(material: Material) -> Iterator[Outcome]:
    def guess(secret: Secret, near: NDArray[np.int32]) -> NDArray[Any]:
        return np.array([secret.summary(secret.released[rows]) for rows in near])

    return _infer(material, "neighbours", min(NEIGHBOURS, len(material)), guess)


INFERENCE_NEIGHBOURS = Attack(
    "inference_neighbours",
    "inference from neighbours",
    f"An intruder who knows the quasi-identifiers of a person looks for the {NEIGHBOURS} nearest released records and "
    f"guesses their commonest confidential value, of numbers the median. {RIGHT}",
    "Cover and Hart 1967; Fredrikson et al. 2014",
    _infer_from_neighbours,
    why_not=nothing_to_guess,
)


LEARNT_PERSONS = 10_000
"""Persons that the models learn from and guess at; of more, so many are drawn."""
FOLDS = 3
"""Parts that are left out in turn, where there is no control."""
TREES, LEAVES = 30, 15
"""Of each model."""
MOST_CATEGORIES = 20
"""Categories that are guessed: the commonest. A rarer one is never guessed."""


def _features(columns: tuple[ColumnPair, ...], side: str) -> NDArray[np.float64]:
    """Return columns as trees take them: numbers, ranks and codes, places and cycles by their vectors."""
    return np.column_stack([np.asarray(getattr(column, side), dtype=np.float64) for column in columns])


def _guesses(
    secret: Secret, features: NDArray[np.float64], rows: NDArray[np.int64], seed: int, *asked: NDArray[np.float64]
) -> list[NDArray[Any]]:
    """Return what trees that learnt from some released records guess at persons of whom these features are known."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    options: dict[str, Any] = {
        "max_iter": TREES,
        "max_leaf_nodes": LEAVES,
        "early_stopping": False,
        "random_state": seed,
    }
    if secret.is_number:
        model: Any = HistGradientBoostingRegressor(**options)
    else:
        categories, counts = np.unique(secret.released[rows], return_counts=True)
        common = categories[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]]
        if len(common) == 1:
            return [np.full(len(each), common[0]) for each in asked]
        rows = rows[np.isin(secret.released[rows], common)]
        model = HistGradientBoostingClassifier(**options)
    # On a busy machine threads that wait for each other take a hundred times as long.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")  # of few records, most may differ
        model.fit(features[rows], secret.released[rows])
        return [model.predict(each) for each in asked]


def _infer_by_model(material: Material) -> Iterator[Outcome]:
    rows = material.drawn(LEARNT_PERSONS, "model")
    released, known = _features(material.columns, "released"), _features(material.columns, "original")
    part = material.generator("folds").permutation(len(rows)) % FOLDS
    all_secrets = list(secrets(material))
    for number, secret in enumerate(all_secrets):
        material.progress(number, len(all_secrets))
        if secret.control is not None:
            drawn = material.drawn_control(LEARNT_PERSONS, "model")
            # Trees cut where codes do: those of the control must be those of the release.
            columns = zip(material.columns, material.control_columns, strict=True)
            asked = np.column_stack([control_values(own, other) for own, other in columns])[drawn]
            inside, outside = _guesses(secret, released, rows, material.seed, known[rows], asked)
            without = secret.right(outside, secret.control[drawn])
            text, source = "the same model on persons who are not in the release", "control"
        else:
            (inside,) = _guesses(secret, released, rows, material.seed, known[rows])
            without = np.empty(len(rows))
            for fold in range(FOLDS):
                material.progress(number * FOLDS + fold, len(all_secrets) * FOLDS)
                out = part == fold
                (others,) = _guesses(secret, released, rows[~out], material.seed, known[rows[out]])
                without[out] = secret.right(others, secret.truth[rows[out]])
            text, source = "models that learnt from the release without the person", "left out"
        baseline = Baseline(float(without.mean()), text, source, len(without))  # type: ignore[arg-type]
        right = secret.right(inside, secret.truth[rows])
        yield Outcome(right, baseline, total=material.persons, attribute=secret.name)


def _why_no_model(material: Material) -> str | None:
    if material.persons < 2 * FOLDS:
        return f"it needs {2 * FOLDS} persons or more to learn from"
    return without_learner(material) or nothing_to_guess(material)


INFERENCE_MODEL = Attack(
    "inference_model",
    "inference by a model",
    "An intruder who knows the quasi-identifiers of a person guesses the confidential value by gradient-boosted trees "
    "that learnt from the release with that person's record; the baseline is the same model on the control, or without "
    "one models that learnt from the release without the person (cross-fitting): the difference is what the person's "
    f"own record gives away. {RIGHT.partition('. ')[0]}.",
    "Friedman 2001; Fredrikson et al. 2014",
    _infer_by_model,
    why_not=_why_no_model,
)
