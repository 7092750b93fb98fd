"""The attacks that a report tries by itself, because they take no longer than its measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from shoal.attacks import ATTACKS, Attempt, Attempts, Material
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.missing_cells import open_table
from shoal.registry import each_once
from shoal.run.release import Release

QUICK = ("identity", "row_order", "singling_out", "linkage", "inference_class")
"""What is tried where nothing is asked for: those that take no longer than the measures of a report."""

ALL, NONE = "all", "none"

Progress = Callable[[int, int], object]


def chosen_attacks(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attacks to try: the quick ones if None, every one for ``all``, nothing for ``none``.

    Examples
    --------
    >>> chosen_attacks(["none"]), chosen_attacks(["linkage", "linkage"])
    ((), ('linkage',))
    """
    if names is None:
        return QUICK
    names = each_once(names, "attacks")
    if ALL in names or NONE in names:
        if len(names) > 1:
            raise PlanError(f"{ALL} and {NONE} stand by themselves: name attacks, or one of them")
        return tuple(ATTACKS) if names[0] == ALL else ()
    return tuple(ATTACKS.named(name).key for name in names)


def attempts_on(
    original: Any, release: Release, plan: Plan, keys: Sequence[str], progress: Progress | None = None
) -> Attempts | None:
    """Try attacks on a release, and say of those that cannot be tried why; None where none is wanted.

    Parameters
    ----------
    original
        The table before.
    release
        What came of it, its rows in the order in which they leave: that may tell of persons, too.
    plan
        What was promised.
    keys
        The attacks, by name.
    progress
        Called now and then with the work done and the work to do.
    """
    if not keys:
        return None
    table, released = open_table(original, plan), open_table(release.data, plan)
    material = Material.of(table, released, plan, rows=release.rows, seed=plan.seed)
    if progress is not None:
        material = replace(material, progress=progress)
    tried: list[Attempt] = []
    skipped: dict[str, str] = {}
    for key in keys:
        reason = ATTACKS[key].why_not(material)
        found = ATTACKS[key].run(material) if reason is None else ()
        tried += found
        if not found:
            skipped[key] = reason or ATTACKS[key].nothing
    return Attempts(tuple(tried), skipped)
