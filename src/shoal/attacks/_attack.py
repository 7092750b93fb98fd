"""Attack a release: every attempt that the tables allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shoal.attacks.attempt import Attempt, Attempts
from shoal.attacks.declaration import PREFIX
from shoal.attacks.material import Material
from shoal.attacks.registry import ATTACKS
from shoal.errors import DataError
from shoal.measures.definition import Definition, Score
from shoal.measures.generalization import read_generalized
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.plan.plan import require_plan
from shoal.progress import Progress, shown
from shoal.registry import each_once
from shoal.republish.earlier_release import Earlier
from shoal.run.release import Release, as_earlier

_STEPS = 1000
"""Steps of progress that each attack has."""


def attack(
    original: Any,
    released: Any,
    plan: Plan,
    *,
    control: Any | None = None,
    known: Sequence[str] | None = None,
    attacks: Iterable[str] | None = None,
    key_column: str | None = None,
    rows: ArrayLike | None = None,
    after: Sequence[Release | Earlier] = (),
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Attempts:
    """Attack a release in every way that the tables allow, and count how often it works.

    Parameters
    ----------
    original, released
        pandas, polars or pyarrow tables; the release may come from any tool.
    plan
        What was promised, and what each column is.
    control
        Persons who are not in the original, with the same columns: what works on them is no fault of the release.
    known
        The columns that the intruder knows of a person; the quasi-identifiers if None.
    attacks
        The attacks to try, such as ``["linkage", "membership"]``; every one that the tables allow if None.
    key_column, rows
        How records belong together, as `shoal.measures.measure` takes them; by row order if None.
    after
        Other releases of the same table that are out already.
    seed
        Of everything that is drawn.
    progress
        Called now and then with the work done and the work to do; True for a bar, False for none, None for a bar in
        notebooks and at a prompt.

    Returns
    -------
    Attempts
        By name, with the reasons why others were not tried.

    Raises
    ------
    DataError
        The tables do not belong together, the control overlaps the original, or an attack that was asked for cannot be
        tried.
    PlanError
        There is no such attack, or no such column.

    Examples
    --------
    >>> import polars as pl
    >>> import shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67], "pay": [7, 8, 9, 5]})
    >>> plan = shoal.Plan(k=2, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "pay": {"role": "confidential", "kind": "numeric"},
    ... })
    >>> found = attack(frame, shoal.anonymize(frame, plan).data, plan, attacks=["linkage"])
    >>> found["linkage"].rate, found["linkage"].baseline, found["linkage"].allowed
    (0.5, 0.25, 0.5)
    """
    require_plan(plan)
    chosen = [ATTACKS.named(key) for key in (ATTACKS if attacks is None else each_once(attacks, "attacks"))]
    table = open_table(original, plan)
    material = Material.of(
        table,
        read_generalized(open_table(released, plan), plan).table,
        plan,
        control=None if control is None else open_table(control, plan),
        known=known,
        key_column=key_column,
        rows=rows,
        earlier=[as_earlier(table, given, number) for number, given in enumerate(after, 1)],
        seed=seed,
    )
    tried: list[Attempt] = []
    skipped: dict[str, str] = {}
    with shown(progress, "attacking the release") as report:
        for number, each in enumerate(chosen):
            part = _part(report, number, len(chosen))
            reason = each.why_not(material)
            if reason is None:
                attempts = each.run(replace(material, progress=part))
                reason = None if attempts else each.nothing
                tried += attempts
            if reason is not None:
                if attacks is not None:
                    raise DataError(f"the attack {each.key} cannot be tried: {reason}")
                skipped[each.key] = reason
            part(1, 1)
    return Attempts(tuple(tried), skipped)


def attack_measures() -> dict[str, Definition]:
    """Return every attack as a measure of risk, by the key it has among measures: ``attack_linkage``."""
    return {PREFIX + each.key: each.as_measure() for each in ATTACKS.values()}


def attack_release(
    original: Any,
    release: Release,
    plan: Plan,
    *,
    keys: Iterable[str],
    progress: Progress | bool | None = None,
) -> dict[str, Score]:
    """Attack a release that was just made, and return rates of success as scores, by keys such as ``attack_linkage``.

    Parameters
    ----------
    original, release, plan
        The table, what came of it, and what was asked.
    keys
        The attacks wanted, as `attack_measures` names them.
    progress
        Called now and then with the work done and the work to do.

    Returns
    -------
    Scores by key, in percent; of an attack on several confidential attributes the one with the largest difference.
    """
    wanted = {key: key.removeprefix(PREFIX) for key in keys}
    attempts = attack(
        original,
        release.data,
        plan,
        attacks=wanted.values(),
        rows=np.asarray(release.rows),
        seed=plan.seed,
        progress=progress,
    )
    scores = {}
    for key, name in wanted.items():
        worst = attempts.worst_of(name)
        parts = {"baseline": 100 * worst.baseline, "difference": 100 * worst.difference}
        scores[key] = ATTACKS[name].as_measure().score(100 * worst.rate, (), parts=parts)
    return scores


def _part(progress: Progress | None, number: int, attacks: int) -> Progress:
    """Report one attack of several; an attack that asks may be stopped."""

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(number * _STEPS + done * _STEPS // max(total, 1), attacks * _STEPS)

    return report
