"""Cautions: what a person should know before signing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from shoal.errors import sentence
from shoal.giveaways import ONE_GROUP, Giveaway
from shoal.masking.gaps import gap_sentences
from shoal.masking.permutation import unchanged_sentence
from shoal.masking.suppression import suppression_sentence
from shoal.measures import MEASURES, Score
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.report.categorical import KEPT, STILL_THERE
from shoal.report.data import Distribution, Drift
from shoal.report.edition import Guard
from shoal.report.judgements import published_judgement
from shoal.report.wording import plural
from shoal.run.release import Release

MUCH_DRIFT = 0.2


def cautions(
    release: Release,
    plan: Plan,
    scores: Mapping[str, Score],
    distributions: Sequence[Distribution],
    drift: Drift | None,
    guard: Guard,
) -> tuple[str, ...]:
    """Return the cautions of a release; external readers get only those without counts."""
    found = [
        f"{guarantee.name} does not hold: asked {guarantee.asked}, reached {guarantee.achieved}."
        for guarantee in (published_judgement(each, plan, guard) for each in release.guarantees.values())
        if not guarantee.holds
    ]
    found += [_sentence(giveaway) for giveaway in _shown(release, guard)]
    if not plan.names(Role.CONFIDENTIAL):
        found.append(
            "No column is declared confidential: this report speaks of finding people again, not of what is learnt."
        )
    if guard.external:
        return tuple(found)
    dropped = suppression_sentence(release.manifest)
    if dropped is not None and release.manifest["suppressed"]["records"]:
        found.append(
            f"{dropped}: whoever knows that a person was in the table, and finds no class near, may learn that it was "
            "unlike all others."
        )
    unchanged = unchanged_sentence(release.manifest["groups"])
    found += [] if unchanged is None else [f"{unchanged}."]
    found += [f"{sentence(words)}." for words in gap_sentences(release.manifest.get("gaps", {}))]
    found += [f"{sentence(words)}." for words in release.manifest.get("generalized", ())]
    for key, score in scores.items():
        caution = MEASURES[key].caution
        found += () if caution is None else caution(score)
    found += _lost(distributions)
    found += _drifted(drift)
    return tuple(found)


def remedies(release: Release, guard: Guard) -> dict[str, str]:
    """Return the lines of the plan that would end a caution, by caution."""
    return {_sentence(giveaway): giveaway.remedy for giveaway in _shown(release, guard) if giveaway.remedy}


def _shown(release: Release, guard: Guard) -> Iterable[Giveaway]:
    """What gives people away is for those who decide, not for those who might try."""
    return [giveaway for giveaway in release.giveaways if not guard.external or giveaway.name == ONE_GROUP]


def _sentence(giveaway: Giveaway) -> str:
    text = giveaway.sentence
    return f"{sentence(text)}{'' if text.endswith('?') else '.'}"


def _lost(distributions: Sequence[Distribution]) -> Iterable[str]:
    for distribution in distributions:
        for what, before, after in distribution.summary:
            if what == STILL_THERE and isinstance(before, int) and isinstance(after, int) and after < before:
                lost, are = before - after, "is" if before - after == 1 else "are"
                yield f"{plural(lost, 'category', 'categories')} of {distribution.name} {are} not in the release."
            if what == KEPT and isinstance(before, int) and isinstance(after, int) and 2 * after < before:
                yield (
                    f"{100 * after / before:.0f} % of the records kept their category of {distribution.name}: more "
                    "weight, a hierarchy or fewer categories would keep more."
                )
            is_deviation = what.startswith("standard deviation")
            if is_deviation and isinstance(before, float) and isinstance(after, float) and after < before / 2:
                yield f"{distribution.name} kept {100 * after / before:.0f} % of its standard deviation."


def _drifted(drift: Drift | None) -> Iterable[str]:
    if drift is not None:
        moves = np.triu(np.abs(np.array(drift.after) - np.array(drift.before)), 1)
        many = int((moves > MUCH_DRIFT).sum())
        if many:
            yield f"{plural(many, 'correlation')} changed by more than {MUCH_DRIFT}."
