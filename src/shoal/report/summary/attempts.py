"""Attacks on page one: how often each worked, beside what guessing gives and what the promise allows."""

from __future__ import annotations

from shoal.attacks import ATTACKS, Attempt, Attempts
from shoal.plan import Plan, ReleaseMode
from shoal.report.edition import Guard
from shoal.report.summary.summary import Tried, Verdict

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


def tried_of(attempts: Attempts, guard: Guard) -> tuple[Tried, ...]:
    """Return what was tried as page one shows it.

    Notes
    -----
    How often an attack succeeds depends on single originals, so external readers see no rate, no interval and no
    verdict: only what was tried, on how many records, and what the promise allows, which follows from the release. An
    attack that only some originals let anybody try is not named.
    """
    return tuple(_tried(attempt, guard) for attempt in attempts.values() if _is_published(attempt.key, guard))


def untried_sentence(attempts: Attempts | None, plan: Plan, guard: Guard) -> str:
    """Say that nothing was tried, and why."""
    if attempts is None:
        return "No attack was tried on this release."
    if any(_is_published(attempt.key, guard) for attempt in attempts.values()):
        return ""
    permuted = plan.release is ReleaseMode.PERMUTE
    if not all(
        _is_published(key, guard) for key in (*(attempt.key for attempt in attempts.values()), *attempts.skipped)
    ):
        return "What was tried on this release is not told outside."
    why = "; ".join(dict.fromkeys(attempts.skipped.values()))
    return f"No attack could be tried: {why}." if why or permuted else "No attack was tried on this release."


def _is_published(key: str, guard: Guard) -> bool:
    return not (guard.external and ATTACKS[key].internal_only)


def _tried(attempt: Attempt, guard: Guard) -> Tried:
    published = not guard.external
    return Tried(
        key=attempt.name,
        attack=attempt.title,
        attribute=attempt.attribute,
        sentence=_WORDS.get(attempt.key, attempt.definition),
        verdict=verdict_of(attempt) if published else Verdict.WITHHELD,
        rate=attempt.rate if published else None,
        guessing=attempt.baseline if published else None,
        allowed=attempt.allowed if published or not ATTACKS[attempt.key].decided else None,
        interval=attempt.interval if published else None,
        people=attempt.counted if published else "records",
        tried=attempt.tried if published else guard.records,
        of=attempt.total if published else guard.records,
    )


def verdict_of(attempt: Attempt) -> Verdict:
    """Judge an attempt: beyond the promise against anybody, better than guessing by its whole interval, or neither."""
    if attempt.beyond_promise:
        return Verdict.BEYOND
    if not attempt.beyond_chance:
        return Verdict.GUESSING
    return Verdict.LEARNS if attempt.allowed is None else Verdict.WITHIN
