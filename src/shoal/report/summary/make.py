"""Make page one of what a report collects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shoal.attacks import Attempts
from shoal.errors import sentence
from shoal.measures import Score
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.protect import Judgement
from shoal.protect.k_anonymity import KAnonymity
from shoal.report.categorical import Codes
from shoal.report.continuous import Continuous
from shoal.report.data import Drift
from shoal.report.edition import Guard
from shoal.report.judgements import published_judgement
from shoal.report.statistics import SubjectCount
from shoal.report.summary.attempts import tried_of, untried_sentence
from shoal.report.summary.decisions import decisions
from shoal.report.summary.kept import kept_of
from shoal.report.summary.summary import Promise, Summary, Tried, Verdict
from shoal.report.wording import abridged, listed, plural, spoken
from shoal.run.release import Release


def make_summary(
    release: Release,
    plan: Plan,
    guard: Guard,
    *,
    name: str | None,
    subjects: SubjectCount | None,
    dropped: int,
    attempts: Attempts | None,
    scores: Mapping[str, Score],
    bounds: Mapping[str, float],
    columns: Sequence[Continuous | Codes],
    drift: Drift | None,
    cautions: Sequence[str],
) -> Summary:
    """Return page one.

    Parameters
    ----------
    release, plan
        What came of the table, and what was asked.
    guard
        Who reads it.
    name
        What to call the table where the plan has no title; external readers do not see it.
    subjects
        Whom the records are about, where that is not each about another.
    dropped
        Records that did not leave.
    attempts
        What was tried against the release; None where nothing was.
    scores, bounds
        Measures, and what external readers are told that some of them do not exceed.
    columns
        Quasi-identifiers and confidential attributes before and after.
    drift
        How correlations moved; None where that is not told.
    cautions
        What to know before signing, in sentences.
    """
    promises = tuple(_promise(each, plan, guard) for each in release.guarantees.values())
    tried = () if attempts is None else tried_of(attempts, guard)
    return Summary(
        edition=guard.edition,
        title=_title(plan, name, guard),
        about=_about(plan),
        answer=_answer(promises, tried, guard),
        safe=_safe(promises, tried),
        what=_what(plan),
        who=_who(guard.records, dropped, subjects, plan, guard),
        promises=promises,
        tried=tried,
        untried=untried_sentence(attempts, plan, guard),
        kept=kept_of(scores, bounds, columns, drift, guard),
        decide=decisions(release, plan, cautions, tried, guard),
    )


def _title(plan: Plan, name: str | None, guard: Guard) -> str:
    if plan.about is not None and plan.about.title is not None:
        return plan.about.title
    return f"Release report: {name}" if name and not guard.external else "Release report"


def _about(plan: Plan) -> tuple[tuple[str, str], ...]:
    if plan.about is None:
        return ()
    stated = {key: getattr(plan.about, key) for key in ("purpose", "recipient", "contact", "date")}
    return tuple((key, text) for key, text in stated.items() if text is not None)


def _safe(promises: Sequence[Promise], tried: Sequence[Tried]) -> bool:
    return all(promise.verdict is Verdict.HOLDS for promise in promises) and not any(
        each.verdict is Verdict.BEYOND for each in tried
    )


def _answer(promises: Sequence[Promise], tried: Sequence[Tried], guard: Guard) -> str:
    """Say in a sentence whether it is safe, and how that is known."""
    broken = [promise.name for promise in promises if promise.verdict is Verdict.BROKEN]
    if broken:
        return f"{listed(broken)} {'does' if len(broken) == 1 else 'do'} not hold on the released table."
    kept = "What is promised holds on the released table"
    if not tried or guard.external:
        return f"{kept}."
    beyond = _together(each for each in tried if each.verdict is Verdict.BEYOND)
    if beyond:
        return f"{kept}, and yet it is not enough: {listed(beyond)} went beyond it against somebody."
    learns = _together(each for each in tried if each.verdict is Verdict.LEARNS)
    limited = any(promise.name != spoken(KAnonymity.name) for promise in promises)
    unpromised = "" if limited else ", against which nothing is promised"
    more = f" More than by guessing is learnt by {listed(learns)}{unpromised}." if learns else ""
    none = "the attack that was tried did not go" if len(tried) == 1 else f"none of {len(tried)} attacks went"
    return f"{kept}, and {none} beyond it against anybody.{more}"


def _together(tried: Iterable[Tried]) -> list[str]:
    """Name attacks, each once with the attributes that it guessed."""
    found: dict[str, list[str]] = {}
    for each in tried:
        found.setdefault(each.attack, []).extend([] if each.attribute is None else [each.attribute])
    return [f"{title} ({', '.join(attributes)})" if attributes else title for title, attributes in found.items()]


def _promise(judgement: Judgement, plan: Plan, guard: Guard) -> Promise:
    judgement = published_judgement(judgement, plan, guard)
    return Promise(
        name=spoken(judgement.name),
        sentence=_in_words(judgement, plan),
        verdict=Verdict.HOLDS if judgement.holds else Verdict.BROKEN,
        asked=judgement.asked,
        reached=judgement.achieved,
        note=judgement.note,
    )


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
    known, secret = roles[Role.QUASI_IDENTIFIER], roles[Role.CONFIDENTIAL]
    kept = tuple(name for name in roles[Role.OTHER])
    parts = [
        f"{abridged(known)}, which others may know of a person, "
        + ("stay as they are" if permuted else f"{'was' if len(known) == 1 else 'were'} masked")
    ]
    if secret:
        fate = "was shuffled inside each group" if permuted else "stays as it is"
        fates = "were shuffled inside each group" if permuted else "stay as they are"
        one = len(secret) == 1
        parts.append(f"{abridged(secret)}, which must not be learnt of a person, {fate if one else fates}")
    if kept:
        parts.append(f"{abridged(kept)} {'stays as it is' if len(kept) == 1 else 'stay as they are'}")
    if dropped := plan.dropped_names():
        parts.append(f"{abridged(dropped)} {'was' if len(dropped) == 1 else 'were'} dropped")
    if pseudonym := plan.pseudonym_column():
        parts.append(f"{pseudonym} left as a pseudonym")
    many = len(plan.attributes) - len(plan.dropped_names())
    return f"A table of records about single persons, in {plural(many, 'column')}: {'; '.join(parts)}."


def _who(records: int, dropped: int, subjects: SubjectCount | None, plan: Plan, guard: Guard) -> str:
    """Say who is in it; how many subjects there are is not told outside, nor a few dropped records."""
    if plan.subject_column() is None:
        text = f"{plural(records, 'record')}, each about another person"
    elif subjects is None or guard.external:
        text = f"{plural(records, 'record')}, several of which may be about one subject ({plan.subject_column()})"
    else:
        text = f"{plural(records, 'record')} about {plural(subjects.count, 'subject')} ({subjects.name})"
    if dropped and guard.shows(dropped):
        text += f"; {plural(dropped, 'record')} of the original did not leave"
    return f"{text}."
