"""Train on the release, test on original records that the model has not seen, against training on the original."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.analysis.result import PredictionUtility
from shoal.analysis.variable import Codes, Floats, Variable, drawn_rows
from shoal.errors import DataError, PlanError, missing_library, nearest
from shoal.frames import Table
from shoal.measures.control_records import require_other_people
from shoal.plan import Plan
from shoal.plan.attribute import Role


def require_holdout(held: Table, original: Table, plan: Plan) -> None:
    """Refuse held-out records that lack columns or are of people in the original."""
    absent = [
        name
        for name, attribute in plan.attributes.items()
        if attribute.role is not Role.IDENTIFIER and name != plan.weights
        if name in original.names and name not in held.names
    ]
    if absent:
        raise DataError(
            f"the holdout does not have {', '.join(map(repr, absent))}, which the original has"
            f"{nearest(absent[0], held.names)}"
        )
    require_other_people(original, held, plan, called="holdout")


FOLDS = 5
TREES, LEAVES = 50, 15


def require_learner() -> None:
    """Refuse to compare analyses where the libraries that learn are not installed."""
    if library := missing_library("sklearn", "scipy"):
        raise PlanError(f'comparing analyses needs {library}, which is not installed: pip install "shoal[learn]"')


def predict(
    target: Variable, variables: Sequence[Variable], subjects: Codes, rows: Codes, *, seed: int
) -> PredictionUtility | None:
    """Compare what models learn about one column from the original and from the release; None where that is nothing.

    Confidential attributes other than the target explain nothing, since they leave as they are. Nobody (``subjects``,
    by original record) is learnt from and tested on; ``rows`` is the original record of each released one.

    Notes
    -----
    "Train on synthetic, test on real" of Esteban, Hyland and Rätsch 2017, by gradient-boosted trees, which take
    numbers, categories and gaps as they come. Without held-out records in five folds of the original: the model of a
    fold learns from the release without its persons. They still have a part in the averages of their groups, so
    that held-out records are the better test.
    """
    explaining = [each for each in variables if each.name != target.name and each.role is not Role.CONFIDENTIAL]
    if not explaining:
        return None
    tables = {side: _matrix(explaining, side) for side in ("before", "after")}
    answers = {side: _answers(target, side) for side in ("before", "after")}
    generator = np.random.default_rng(seed)
    answered = {side: ~np.isnan(answer) for side, answer in answers.items()}
    if target.held is not None:
        held, truth = _matrix(explaining, "held"), _answers(target, "held")
        tested = drawn_rows(np.flatnonzero(~np.isnan(truth)), generator)
        parts = [(np.ones(len(rows), bool), np.ones(len(answers["before"]), bool), held[tested], truth[tested])]
    else:
        fold = generator.permutation(int(subjects.max()) + 1)[subjects] % FOLDS
        parts = [
            (fold[rows] != each, fold != each, tables["before"][tested], answers["before"][tested])
            for each in range(FOLDS)
            if len(tested := drawn_rows(np.flatnonzero((fold == each) & answered["before"]), generator, FOLDS))
        ]
    truth = np.concatenate([np.empty(0), *(part[3] for part in parts)])  # of no record where no answer is known
    # Numbers nearer to each other than a square can tell have no variance to explain.
    if len(np.unique(truth)) < 2 or (target.is_number and not ((truth - truth.mean()) ** 2).sum()):
        return None
    guesses: dict[str, list[Floats]] = {"before": [], "after": []}
    for released_rows, original_rows, test, _ in parts:
        for side, chosen in (("before", original_rows), ("after", released_rows)):
            learnt = drawn_rows(np.flatnonzero(chosen & answered[side]), generator)
            guesses[side].append(
                _predicted(target, explaining, tables[side][learnt], answers[side][learnt], test, seed=seed)
            )
    scores = {side: _score(target, truth, np.concatenate(each)) for side, each in guesses.items()}
    return PredictionUtility(
        target.name,
        "r2" if target.is_number else "balanced_accuracy",
        scores["before"],
        scores["after"],
        _score(target, truth, np.full(len(truth), _usual(target, answers["before"][answered["before"]]))),
        len(truth),
        "folds" if target.held is None else "holdout",
    )


def _matrix(variables: Sequence[Variable], side: str) -> Floats:
    """Return numbers and ranks as they are and categories by code, NaN where missing."""
    return np.column_stack([each.ranked(side) if each.is_ordered else _codes(each, side) for each in variables])


def _codes(variable: Variable, side: str) -> Floats:
    codes = variable.bins(side).astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _answers(target: Variable, side: str) -> Floats:
    return target.ranked(side) if target.is_number else _codes(target, side)


def _predicted(
    target: Variable, explaining: Sequence[Variable], design: Floats, answers: Floats, test: Floats, *, seed: int
) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    filled = np.flatnonzero(~np.isnan(design).all(axis=0))  # an empty column tells nothing, and trees do not take it
    if len(np.unique(answers)) < 2 or len(filled) == 0:
        return np.full(len(test), _usual(target, answers) if len(answers) else 0.0)
    design, test = design[:, filled], test[:, filled]
    options: dict[str, Any] = {
        "categorical_features": [not explaining[place].is_ordered for place in filled.tolist()],
        "early_stopping": False,
        "max_iter": TREES,
        "max_leaf_nodes": LEAVES,
        "random_state": seed,
    }
    if target.is_number:
        model: Any = HistGradientBoostingRegressor(**options)
    else:
        model = HistGradientBoostingClassifier(**options, class_weight="balanced")
    # Threads that share a processor with other work wait for each other much longer than they compute.
    with threadpool_limits(1, user_api="openmp"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")  # of few records, most may differ
        return np.asarray(model.fit(design, answers).predict(test))


def _usual(target: Variable, answers: Floats) -> float:
    """Return the mean, or the commonest category."""
    return float(answers.mean()) if target.is_number else float(np.bincount(answers.astype(np.int64)).argmax())


def _score(target: Variable, truth: Floats, guess: Floats) -> float:
    """Return R², or the mean over categories of the share that was recognised."""
    if target.is_number:
        return float(1 - ((truth - guess) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())
    return float(np.mean([(guess[truth == category] == category).mean() for category in np.unique(truth)]))
