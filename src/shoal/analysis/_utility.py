"""The verb: compare the analyst's work on a table and on its release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.analysis.descriptive import compare_columns, compare_pair
from shoal.analysis.design import Formula
from shoal.analysis.models import compare_model
from shoal.analysis.prediction import predict, require_holdout, require_learner
from shoal.analysis.propensity import propensity
from shoal.analysis.result import Utility
from shoal.analysis.variable import Codes, Variable, Weights, read_variables
from shoal.encode import read_weights
from shoal.errors import PlanError, nearest
from shoal.masking.inputs import read_subjects_of
from shoal.masking.recoding import recoded
from shoal.measures.matching import MatchedTables
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table
from shoal.plan.plan import require_plan
from shoal.progress import Progress, shown

T = TypeVar("T")


def utility(
    original: Any,
    released: Any,
    plan: Plan,
    *,
    models: Iterable[str] = (),
    holdout: Any = None,
    targets: Iterable[str] | None = None,
    key_column: str | None = None,
    rows: ArrayLike | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Utility:
    """Compare what analysts find in a table with what they find in its release.

    Parameters
    ----------
    original, released
        pandas, polars or pyarrow tables; the release may come from any tool, as for `shoal.measures.measure`.
    plan
        Says what each column is, and which one holds sampling weights; nothing else of it counts.
    models
        Regressions such as ``"charge ~ age + severity"``: least squares for numbers, logistic for two values.
    holdout
        Original records that are not in the release, to test predictions on; folds of the original if None.
    targets
        Columns to predict from the others; every confidential attribute if None, nothing if empty.
    key_column, rows
        How records are matched, as for `shoal.measures.measure`: by row order if None.
    seed
        Of folds and samples.
    progress
        Called with the work done and the work to do; True for a bar, False for none, None for a bar in notebooks and at
        a prompt.

    Returns
    -------
    Utility
        Statistics of columns and pairs of columns, models, predictions, propensities; ``.findings`` in words.

    Raises
    ------
    DataError
        The tables do not match in records or columns; the holdout lacks columns, or overlaps with the original.
    PlanError
        A model or target names a column that is absent, an identifier or unchanged; scikit-learn is not installed.

    Examples
    --------
    >>> import shoal
    >>> frame = shoal.examples.discharges(400, seed=1)
    >>> plan = shoal.Plan.load("examples/discharges.toml")
    >>> release = shoal.anonymize(frame, plan)
    >>> found = utility(frame, release.data, plan, rows=release.rows, models=["charge ~ age + severity"], targets=[])
    >>> [finding.key for finding in found.findings]
    ['distributions', 'associations', 'models', 'propensity']
    """
    require_plan(plan)
    require_learner()
    formulas = [Formula.parse(text) for text in models]
    matched = MatchedTables.read(original, released, plan, key_column=key_column, rows=rows)
    declared = (*plan.names(Role.QUASI_IDENTIFIER), *plan.names(Role.CONFIDENTIAL))
    matched.require_columns(declared, declared)
    before, after = matched.recoding.before, matched.after
    matched.require_known_order()
    held = None
    if holdout is not None:
        others = open_table(holdout, plan)
        require_holdout(others, matched.original, plan)
        held = recoded(others, plan, judge_totals=False).before
    variables = {each.name: each for each in read_variables(before, after, plan, held=held)}
    changed = {name: _changed(each, matched.origins) for name, each in variables.items()}
    for formula in formulas:
        _require_model(formula, variables, changed, plan)
    wanted = _targets(targets, variables, plan, holdout=held is not None)
    with shown(progress, "comparing analyses") as report:
        weights = _weights(matched)
        statistics = len(variables) + len(variables) * (len(variables) - 1) // 2
        total = statistics + 10 * (len(formulas) + 20 * len(wanted) + 5)
        done = 0

        def finished(result: T, work: int) -> T:
            nonlocal done
            done += work
            if report is not None:
                report(done, total)
            return result

        columns = tuple(
            finished(compare_columns(variable, weights, changed=changed[name]), 1)
            for name, variable in variables.items()
        )
        pairs = tuple(
            finished(compare_pair(one, other, weights, changed=changed[one.name] or changed[other.name]), 1)
            for one, other in combinations(variables.values(), 2)
        )
        weighted = plan.weights is not None
        fitted = tuple(
            finished(compare_model(formula, variables, weights, weighted=weighted), 10) for formula in formulas
        )
        propensities = finished(propensity(tuple(variables.values()), seed=seed), 50)
        subjects = read_subjects_of(before, plan)
        persons = np.arange(len(before)) if subjects is None else subjects.numbers.astype(np.int64)
        predictions = {
            name: finished(
                predict(variables[name], tuple(variables.values()), persons, matched.origins, seed=seed), 200
            )
            for name in wanted
        }
        return Utility(
            len(before),
            len(after),
            weighted,
            columns,
            pairs,
            fitted,
            tuple(each for each in predictions.values() if each is not None),
            propensities,
            tuple(
                f"{name} is not predicted: it has one value, or no column that could explain it."
                for name, prediction in predictions.items()
                if prediction is None
            ),
        )


def _weights(matched: MatchedTables) -> Weights:
    """Return what every record counts for, before and after; by the original where the release has no weights."""
    name, original, released = matched.plan.weights, matched.recoding.before, matched.after
    if name is None:
        return Weights(np.ones(len(original)), np.ones(len(released)))
    before = read_weights(original, name)
    return Weights(before, read_weights(released, name) if name in released.names else before[matched.origins])


def _changed(variable: Variable, rows: Codes) -> bool:
    """Whether any record has another value than before, or was dropped."""
    before: NDArray[Any] = variable.before[rows]
    if len(rows) < len(variable.before):
        return True
    return not np.array_equal(before, variable.after, equal_nan=variable.is_number)


def _require_model(formula: Formula, variables: dict[str, Variable], changed: dict[str, bool], plan: Plan) -> None:
    for name in formula.columns:
        if name in plan.dropped_names():
            raise PlanError(
                f"the model {formula.text!r} names {name!r}, which the plan calls an identifier: it is not released"
            )
        if name == plan.weights:
            raise PlanError(f"the model {formula.text!r} names {name!r}, which weighs records and is not compared")
        if name not in variables:
            raise PlanError(
                f"the model {formula.text!r} names {name!r}, which is not a column of both tables"
                f"{nearest(name, variables)}"
            )
    if not any(changed[name] for name in formula.columns):
        raise PlanError(
            f"the model {formula.text!r} names no column that was masked: its columns are in the release as in the "
            "original, so that it is the same in both; name a quasi-identifier"
        )


def _targets(
    targets: Iterable[str] | None, variables: dict[str, Variable], plan: Plan, *, holdout: bool
) -> Sequence[str]:
    """Return the columns to predict."""
    if targets is None:
        return [name for name in plan.names(Role.CONFIDENTIAL) if name in variables]
    wanted = list(dict.fromkeys(targets))
    if not wanted and holdout:
        raise PlanError("a holdout is there to test predictions on, and targets name nothing to predict")
    for name in wanted:
        if name not in variables:
            raise PlanError(f"the target {name!r} is not a column of both tables{nearest(name, variables)}")
    return wanted
