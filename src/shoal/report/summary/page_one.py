"""Make page one of what a report collects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.errors import sentence
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement
from shoal.protect.k_anonymity import KAnonymity
from shoal.report.attempts import tried_of, untried_sentence
from shoal.report.cautions import decisions
from shoal.report.report_statistics import Statistics
from shoal.report.summary.losses import losses_of
from shoal.report.summary.summary import Edition, Promise, Summary, Tried, Verdict
from shoal.report.wording import abridged, listed, plural, spoken
from shoal.run.release import Release


def make_summary(
    release: Release, plan: Plan, statistics: Statistics, cautions: Sequence[str], *, name: str | None
) -> Summary:
    """Return page one of an internal report; ``name`` is that of the table where the plan has no title."""
    tried = tried_of(statistics.attempts)
    return summary_of(
        plan,
        release.guarantees.values(),
        tried,
        edition=Edition.INTERNAL,
        title=title_of(plan, f"Release report: {name}" if name else "Release report"),
        who=_who(statistics, plan),
        untried=untried_sentence(statistics.attempts),
        kept=losses_of(statistics),
        decide=decisions(release, plan, cautions, tried),
    )


def summary_of(plan: Plan, judgements: Iterable[Judgement], tried: tuple[Tried, ...] = (), **others: Any) -> Summary:
    """Return page one of either edition: what the plan and the guarantees say, and what only one of them tells."""
    promises = tuple(
        Promise(
            name=spoken(each.name),
            sentence=_in_words(each, plan),
            verdict=Verdict.HOLDS if each.holds else Verdict.BROKEN,
            asked=each.asked,
            reached=each.achieved,
            note=each.note,
        )
        for each in judgements
    )
    verdicts = {*(each.verdict for each in promises), *(each.verdict for each in tried)}
    about = ((key, getattr(plan.about, key, None)) for key in ("purpose", "recipient", "contact", "date"))
    return Summary(
        about=tuple((key, text) for key, text in about if text is not None),
        answer=_answer(promises, tried),
        safe=verdicts.isdisjoint({Verdict.BROKEN, Verdict.BEYOND}),
        what=_what(plan),
        promises=promises,
        tried=tried,
        **others,
    )


def title_of(plan: Plan, otherwise: str = "Release report") -> str:
    """Return what the plan calls the release, or what it is called otherwise."""
    return otherwise if plan.about is None or plan.about.title is None else plan.about.title


def _answer(promises: Sequence[Promise], tried: Sequence[Tried]) -> str:
    """Say in a sentence whether it is safe, and how that is known."""
    broken = [promise.name for promise in promises if promise.verdict is Verdict.BROKEN]
    if broken:
        return f"{listed(broken)} {'does' if len(broken) == 1 else 'do'} not hold on the released table."
    holds = "What is promised holds on the released table"
    if not tried:
        return f"{holds}."
    beyond = _together(each for each in tried if each.verdict is Verdict.BEYOND)
    if beyond:
        return f"{holds}, and yet it is not enough: {listed(beyond)} went beyond it against somebody."
    learns = _together(each for each in tried if each.verdict is Verdict.LEARNS)
    limited = any(promise.name != spoken(KAnonymity.name) for promise in promises)
    unpromised = "" if limited else ", against which nothing is promised"
    more = f" More than by guessing is learnt by {listed(learns)}{unpromised}." if learns else ""
    none = "the attack that was tried did not go" if len(tried) == 1 else f"none of {len(tried)} attacks went"
    return f"{holds}, and {none} beyond it against anybody.{more}"


def _together(tried: Iterable[Tried]) -> list[str]:
    """Name attacks, each once with the attributes that it guessed."""
    guessed: dict[str, list[str]] = {}
    for each in tried:
        guessed.setdefault(each.attack, []).extend([] if each.attribute is None else [each.attribute])
    return [f"{title} ({', '.join(attributes)})" if attributes else title for title, attributes in guessed.items()]


def _in_words(judgement: Judgement, plan: Plan) -> str:
    """Say a promise for people who have not read of it; k-anonymity by what a guess comes to."""
    if judgement.name == KAnonymity.name and judgement.holds and not plan.demand().masks_values:
        of = "persons" if plan.subject_column() is None else f"subjects ({plan.subject_column()})"
        reached = int(judgement.achieved)
        return (
            f"Whoever knows {abridged(plan.names(Role.QUASI_IDENTIFIER))} of a person finds at least {reached:,} "
            f"{of} who look alike, so that a guess is right in at most 1 of {reached:,}."
        )
    return f"{sentence(judgement.definition.rstrip('.'))}."


def _what(plan: Plan) -> str:
    """Say what kind of table it is, and what was done with its columns."""
    permuted = plan.release is ReleaseMode.PERMUTE
    roles = {role: plan.names(role) for role in Role}
    public, confidential, other = roles[Role.QUASI_IDENTIFIER], roles[Role.CONFIDENTIAL], roles[Role.OTHER]
    parts = [
        f"{abridged(public)}, which others may know of a person, "
        + ("stay as they are" if permuted else f"{'was' if len(public) == 1 else 'were'} masked")
    ]
    if confidential:
        fate = "was shuffled inside each group" if permuted else "stays as it is"
        fates = "were shuffled inside each group" if permuted else "stay as they are"
        one = len(confidential) == 1
        parts.append(f"{abridged(confidential)}, which must not be learnt of a person, {fate if one else fates}")
    if other:
        parts.append(f"{abridged(other)} {'stays as it is' if len(other) == 1 else 'stay as they are'}")
    if dropped := plan.dropped_names():
        parts.append(f"{abridged(dropped)} {'was' if len(dropped) == 1 else 'were'} dropped")
    if pseudonym := plan.pseudonym_column():
        parts.append(f"{pseudonym} left as a pseudonym")
    many = len(plan.attributes) - len(plan.dropped_names())
    return f"A table of records about single persons, in {plural(many, 'column')}: {'; '.join(parts)}."


def _who(statistics: Statistics, plan: Plan) -> str:
    subjects, dropped = statistics.subjects, statistics.dropped
    text = who_of(statistics.records, plan)
    if subjects is not None and plan.subject_column() is not None:
        text = f"{plural(statistics.records, 'record')} about {plural(subjects.count, 'subject')} ({subjects.name})"
    if dropped:
        text += f"; {plural(dropped, 'record')} of the original did not leave"
    return f"{text}."


def who_of(records: int, plan: Plan) -> str:
    """Say who is in a table, as far as its records and the plan tell."""
    if plan.subject_column() is None:
        return f"{plural(records, 'record')}, each about another person"
    return f"{plural(records, 'record')}, several of which may be about one subject ({plan.subject_column()})"
