"""Cautions, decisions and limits: what a person should know before signing, must decide, and should not believe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import sentence
from shoal.giveaways import ALL_ALIKE, Giveaway
from shoal.masking.kept_gaps import gap_sentences
from shoal.masking.mask import unchanged_sentence
from shoal.masking.suppression import suppression_sentence
from shoal.measures import MEASURES, Score
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement, asked
from shoal.report.categorical import KEPT, STILL_THERE
from shoal.report.report_data import Distribution, Drift
from shoal.report.summary.summary import Tried, Verdict
from shoal.report.wording import abridged, is_number, listed, plural
from shoal.run.release import Release

MUCH_DRIFT = 0.2
NO_CONFIDENTIAL = (
    "No column is declared confidential: this report speaks of finding people again, not of what is learnt."
)


def broken_promises(judgements: Iterable[Judgement]) -> Iterator[str]:
    """Say which guarantees do not hold."""
    for each in judgements:
        if not each.holds:
            yield f"{each.name} does not hold: asked {each.asked}, reached {each.achieved}."


def cautions(
    release: Release,
    plan: Plan,
    scores: Mapping[str, Score],
    distributions: Sequence[Distribution],
    drift: Drift | None,
) -> tuple[str, ...]:
    """Return the cautions of a release, for those who have the original."""
    texts = [*broken_promises(release.guarantees.values()), *map(_sentence, release.giveaways)]
    if not plan.names(Role.CONFIDENTIAL):
        texts.append(NO_CONFIDENTIAL)
    dropped = suppression_sentence(release.manifest)
    if dropped is not None and release.manifest["suppressed"]["records"]:
        texts.append(
            f"{dropped}: whoever knows that a person was in the table, and finds no class near, may learn that it was "
            "unlike all others."
        )
    unchanged = unchanged_sentence(release.manifest["groups"])
    texts += [] if unchanged is None else [f"{unchanged}."]
    texts += [f"{sentence(words)}." for words in gap_sentences(release.manifest.get("gaps", {}))]
    texts += [f"{sentence(words)}." for words in release.manifest.get("generalized", ())]
    for key, score in scores.items():
        caution = MEASURES[key].caution
        texts += () if caution is None else caution(score)
    texts += _lost(distributions)
    much_moved = 0 if drift is None else int((np.triu(np.abs(drift.moves), 1) > MUCH_DRIFT).sum())
    if much_moved:
        texts.append(f"{plural(much_moved, 'correlation')} changed by more than {MUCH_DRIFT}.")
    return tuple(texts)


def released_cautions(judgements: Iterable[Judgement], plan: Plan, *, alike: bool) -> tuple[str, ...]:
    """Return the cautions that follow from a release alone; ``alike`` says that all its records are in one class."""
    return (
        *broken_promises(judgements),
        *([f"{sentence(ALL_ALIKE)}."] if alike else []),
        *([] if plan.names(Role.CONFIDENTIAL) else [NO_CONFIDENTIAL]),
    )


def remedies(release: Release) -> dict[str, str]:
    """Return the lines of the plan that would end a caution, by caution."""
    return {_sentence(giveaway): giveaway.remedy for giveaway in release.giveaways if giveaway.remedy}


def _sentence(giveaway: Giveaway) -> str:
    text = giveaway.sentence
    return f"{sentence(text)}{'' if text.endswith('?') else '.'}"


def _lost(distributions: Sequence[Distribution]) -> Iterable[str]:
    for distribution in distributions:
        for what, before, after in distribution.summary:
            if not (is_number(before) and is_number(after)):
                continue
            if what == STILL_THERE and after < before:
                lost = int(before - after)
                are = "is" if lost == 1 else "are"
                yield f"{plural(lost, 'category', 'categories')} of {distribution.name} {are} not in the release."
            if what == KEPT and 2 * after < before:
                yield (
                    f"{100 * after / before:.0f} % of the records kept their category of {distribution.name}: more "
                    "weight, a hierarchy or fewer categories would keep more."
                )
            if what.startswith("standard deviation") and after < before / 2:
                yield f"{distribution.name} kept {100 * after / before:.0f} % of its standard deviation."


def decisions(release: Release, plan: Plan, cautions: Sequence[str], tried: Sequence[Tried]) -> tuple[str, ...]:
    """Return what remains to be decided before signing, the worst first."""
    return (
        *(
            f"{sentence(each.name)} found somebody with a better chance than the promise allows."
            for each in tried
            if each.verdict is Verdict.BEYOND
        ),
        *cautions,
        *open_roles(plan),
        *_not_said(release, plan),
    )


def open_roles(plan: Plan) -> Iterator[str]:
    """Ask whether what leaves as it is may be known from elsewhere: no computation can say."""
    stays = [
        *(plan.names(Role.CONFIDENTIAL) if plan.release is not ReleaseMode.PERMUTE else ()),
        *plan.names(Role.OTHER),
    ]
    if stays:
        as_it_is = "It leaves as it is" if len(stays) == 1 else "They leave as they are"
        yield (
            f"Is it certain that nobody outside knows {abridged(stays, 'or')} of a person? {as_it_is}, and whoever "
            "knows a value may find the person by it."
        )


def _not_said(release: Release, plan: Plan) -> Iterator[str]:
    """Ask what was released before, and who gets it, where neither the release nor the plan says so."""
    if not release.manifest.get("after", ()) and "previous" not in release.manifest:
        yield "Was anything of this table released before? This release was compared with no other (--after)."
    lacking = [key for key in ("purpose", "recipient", "contact") if getattr(plan.about, key, None) is None]
    if lacking:
        yield f"Who gets it, what for, whom to ask? The plan does not say its {listed(lacking)} ([about])."


def limits_of(plan: Plan, compared: str) -> tuple[str, ...]:
    """Return what a reader should not believe of a release, in a few sentences without numbers of records.

    ``compared`` says with which other releases it was compared; ``docs/limits.md`` works each sentence out on a few
    records.
    """
    several = (
        "Several releases of one table: who has two of them looks for the records that share a person's class in both, "
        f"and may find fewer than k. {compared}"
    )
    minimality = (
        "Large classes tell why they are large: groups are merged only where one of them fell short of what was "
        "asked beside k, and who can form the groups again learns which of them did."
    )
    background = (
        "Background knowledge: who can rule out some of the confidential values in a class is left with the others"
    )
    if plan.release is not ReleaseMode.PERMUTE and plan.averaged_names():
        background += "; who knows all original values behind a mean but one computes the last"
    asks_more = any(guarantee.key != "k" for guarantee in asked(plan.demand()))
    return (several.strip(), *([minimality] if asks_more else ()), f"{background}.")


def compared_with(manifest: Mapping[str, Any]) -> str:
    """Say with how many other releases one was compared."""
    earlier = len(manifest.get("after", ())) + manifest.get("previous", {}).get("releases", 0)
    if earlier:
        return f"This one was compared with {plural(earlier, 'earlier release')}, and with no other."
    return "This one was compared with no other (shoal anonymize --after does that)."
