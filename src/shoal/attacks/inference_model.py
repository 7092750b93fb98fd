"""Inference by a model: gradient-boosted trees learn the confidential attribute from the release."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.definition import Attack
from shoal.attacks.inference_class import RIGHT
from shoal.attacks.material import Material
from shoal.attacks.outcome import Baseline, Outcome
from shoal.attacks.secret import Secret, nothing_to_guess, secrets
from shoal.measures.column_pair import ColumnPair

PERSONS = 10_000
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


def _learn(secret: Secret, features: NDArray[np.float64], rows: NDArray[np.int64], seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    options: dict[str, Any] = {
        "max_iter": TREES,
        "max_leaf_nodes": LEAVES,
        "early_stopping": False,
        "random_state": seed,
    }
    values = secret.released[rows]
    if secret.is_number:
        return HistGradientBoostingRegressor(**options).fit(features[rows], values)
    found, counts = np.unique(values, return_counts=True)
    common = found[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]]
    kept = np.isin(values, common)
    if len(common) == 1:
        return _Constant(common[0])
    return HistGradientBoostingClassifier(**options).fit(features[rows[kept]], values[kept])


class _Constant:
    """The model of an attribute that has one value."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def predict(self, features: NDArray[np.float64]) -> NDArray[Any]:
        """Return the value, as often as asked."""
        return np.full(len(features), self.value)


def _run(material: Material) -> Iterator[Outcome]:
    import sklearn.ensemble  # noqa: F401  its threads are there to be limited once it is loaded
    from threadpoolctl import threadpool_limits

    # On a busy machine threads that wait for each other take a hundred times as long.
    with threadpool_limits(limits=1):
        yield from _guesses(material)


def _guesses(material: Material) -> Iterator[Outcome]:
    rows = material.drawn(PERSONS, "model")
    released, known = _features(material.columns, "released"), _features(material.columns, "original")
    part = material.generator("folds").permutation(len(rows)) % FOLDS
    all_secrets = list(secrets(material))
    for number, secret in enumerate(all_secrets):
        material.progress(number, len(all_secrets))
        model = _learn(secret, released, rows, material.seed)
        right = secret.right(model.predict(known[rows]), secret.truth[rows])
        if secret.control is not None:
            drawn = material.drawn_control(PERSONS, "model")
            # Trees cut where codes do: those of the control must be those of the release.
            asked = _recoded(material)[drawn]
            without = secret.right(model.predict(asked), secret.control[drawn])
            text, source = "the same model on persons who are not in the release", "control"
        else:
            without = np.empty(len(rows))
            for fold in range(FOLDS):
                material.progress(number * FOLDS + fold, len(all_secrets) * FOLDS)
                out = part == fold
                other = _learn(secret, released, rows[~out], material.seed)
                without[out] = secret.right(other.predict(known[rows[out]]), secret.truth[rows[out]])
            text, source = "models that learnt from the release without the person", "left out"
        baseline = Baseline(float(without.mean()), text, source, len(without))  # type: ignore[arg-type]
        yield Outcome(right, baseline, total=material.persons, attribute=secret.name)


def _recoded(material: Material) -> NDArray[np.float64]:
    """Return the control's columns by the code books of the release."""
    parts = []
    for own, other in zip(material.columns, material.control_columns, strict=True):
        values = np.asarray(other.original, dtype=np.float64)
        if own.is_continuous:
            values = values + (own.released[0] - other.released[0])
        elif not own.is_directional:
            codes = np.full(other.levels, np.nan)
            codes[other.released] = own.released
            values = codes[other.original]
        parts.append(values)
    return np.column_stack(parts)


def _why_not(material: Material) -> str | None:
    if importlib.util.find_spec("sklearn") is None:
        return "it needs scikit-learn: pip install 'shoal[learn]'"
    if material.persons < 2 * FOLDS:
        return f"it needs {2 * FOLDS} persons or more to learn from"
    return nothing_to_guess(material)


INFERENCE_MODEL = Attack(
    "inference_model",
    "inference by a model",
    "An intruder who knows the quasi-identifiers of a person guesses the confidential value by gradient-boosted trees "
    "that learnt from the release with that person's record; the baseline is the same model on the control, or without "
    "one models that learnt from the release without the person (cross-fitting): the difference is what the person's "
    f"own record gives away. {RIGHT.partition('. ')[0]}.",
    "Friedman 2001; Fredrikson et al. 2014",
    _run,
    why_not=_why_not,
)
