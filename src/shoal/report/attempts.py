"""The attacks that a report tries, and how page one tells them: beside guessing and what the promise allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.attacks import ATTACKS, Attempt, Attempts, Material
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.missing_values import open_table
from shoal.progress import Progress
from shoal.registry import each_once
from shoal.report.summary.summary import Tried, Verdict
from shoal.run.release import Release

QUICK = ("identity", "row_order", "singling_out", "linkage", "inference_class")
"""What is tried where nothing is asked for: those that take no longer than the measures of a report."""

ALL, NONE = "all", "none"


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

    The rows of the release stand in the order in which they leave: that may tell of persons, too.
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
        outcomes = ATTACKS[key].run(material) if reason is None else ()
        tried += outcomes
        if not outcomes:
            skipped[key] = reason or ATTACKS[key].nothing
    return Attempts(tuple(tried), skipped)


_WORDS = {
    "identity": "Look a person's identifier up in the release.",
    "row_order": "Sort the persons by what is known of them, and take the n-th row for the n-th person.",
    "singling_out": "Describe one person, and nobody else, by the values of one released column.",
    "singling_out_several": "Describe one person, and nobody else, by the values of several released columns.",
    "linkage": "Know a person's quasi-identifiers, and take the released record nearest to them.",
    "linkage_some": "The same, knowing only a few of the quasi-identifiers.",
    "linkage_noise": "The same, with errors in what is known.",
    "linkage_rank": "The same, by ranks instead of values.",
    "followed": "Sort the persons by what is known, and the records by a column that was not masked.",
    "inference_class": "Find the class nearest to a person, and guess what is most frequent there.",
    "inference_neighbours": "Find the records nearest to a person, and guess what is most frequent there.",
}
"""What an attack does, for people who have not read of it; others are told by their definition."""


def tried_of(attempts: Attempts | None) -> tuple[Tried, ...]:
    """Return what was tried as page one shows it."""
    return tuple(
        Tried(
            key=attempt.name,
            attack=attempt.title,
            attribute=attempt.attribute,
            sentence=_WORDS.get(attempt.key, attempt.definition),
            verdict=verdict_of(attempt),
            rate=attempt.rate,
            guessing=attempt.baseline,
            allowed=attempt.allowed,
            interval=attempt.interval,
            people=attempt.counted,
            tried=attempt.tried,
            of=attempt.total,
        )
        for attempt in (() if attempts is None else attempts.values())
    )


def untried_sentence(attempts: Attempts | None) -> str:
    """Say that nothing was tried, and why."""
    if attempts:
        return ""
    why = "" if attempts is None else "; ".join(dict.fromkeys(attempts.skipped.values()))
    return f"No attack could be tried: {why}." if why else "No attack was tried on this release."


def verdict_of(attempt: Attempt) -> Verdict:
    """Judge an attempt: beyond the promise against anybody, better than guessing by its whole interval, or neither."""
    if attempt.beyond_promise:
        return Verdict.BEYOND
    if not attempt.beyond_chance:
        return Verdict.GUESSING
    return Verdict.LEARNS if attempt.allowed is None else Verdict.WITHIN
