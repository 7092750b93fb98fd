"""The step Run: the release is made in the background, checked, and shown with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from shoal.app.pages.figures import column_figure
from shoal.app.pages.layout import localized, localized_text, page, session_table, show, state_of, texts
from shoal.app.results import ReleaseRecord
from shoal.app.session import Session
from shoal.app.tasks.release import ATTACKED, MOST_DRAWN, QUICKLY
from shoal.errors import sentence
from shoal.report.markup import Markup, quantity
from shoal.report.summary import Kept, Summary, Tried
from shoal.report.summary.words import figure_of
from shoal.report.wording import percent, spoken


@dataclass(frozen=True)
class _Guarantee:
    """A promise: what it is called, what was reached, and what it means for people who have not read of it."""

    name: str
    holds: bool
    achieved: float
    asked: float | None
    sentence: str
    note: str


@dataclass(frozen=True)
class _Finding:
    """What the auditor found: the sign of its verdict, its name and its words."""

    mark: str
    name: str
    words: str


@dataclass(frozen=True)
class _Attack:
    """An attack that was tried: its numbers by the names of their columns, and the verdict."""

    name: str
    sentence: str
    numbers: dict[str, str]
    verdict: str
    verdict_words: str


@dataclass(frozen=True)
class _Utility:
    """What analysts keep: a figure, and how much that is in words where the figure is a number."""

    name: str
    figure: str
    much: str
    sentence: str


def run_page(session: Session) -> Markup:
    """Return the step."""
    return page(session, "run", "step.html", part=run_part(session))


def run_part(session: Session) -> Markup:
    """Return where the run stands, and what came of it."""
    session.require_editor()  # another tab may have put the table aside
    t, state = texts(session), state_of(session.run_job)
    release = session.releases[-1] if session.releases else None
    if state != "running" and release is None:
        session.require_plan()
    return show(
        session,
        "run.html",
        state=state,
        release=release,
        attacks=release.attacks if release else QUICKLY,
        attack_choices=[(name, t(f"run.attacks_{name}")) for name in ATTACKED],
        **(_evidence(session, release) if release is not None and state != "running" else {"outcome": None}),
    )


def _evidence(session: Session, release: ReleaseRecord) -> dict[str, Any]:
    """Return what the page shows of a release."""
    t, outcome, plan = texts(session), release.outcome, session.require_editor().plan
    summary: Summary = outcome.summary
    warned = {giveaway["sentence"] for giveaway in outcome.giveaways}
    facts = []
    for name, value, unit in outcome.facts:
        shown = quantity(value, unit=localized_text(session, unit))
        facts.append((localized_text(session, name), shown))
    findings = []
    for name, holds, words in outcome.findings:
        findings.append(_Finding("?" if holds is None else "✓" if holds else "✗", spoken(name), words))
    riskiest: Any = ""
    if outcome.riskiest:
        head = (t("run.size"), t("run.gives_away"), *outcome.riskiest[0].values)
        rows = [(quantity(each.size), localized(session, each.why), *each.values.values()) for each in outcome.riskiest]
        riskiest = session_table(session, head, rows, label=t("run.riskiest"), class_="riskiest")
    return {
        "outcome": outcome,
        "changed": plan is None or plan.to_dict() != release.values,
        "guarantees": [_guarantee(summary, guarantee) for guarantee in outcome.guarantees],
        "findings": findings,
        "attacks_tried": [_attack(session, attempt) for attempt in summary.tried],
        "kept": [_utility(session, kept) for kept in summary.kept],
        "facts": facts,
        "decide": [text for text in summary.decide if text not in warned],  # warnings stand elsewhere on the page
        "columns": [column_figure(session, column) for column in outcome.columns],
        "most_drawn": MOST_DRAWN,
        "riskiest": riskiest,
    }


def _guarantee(summary: Summary, guarantee: dict[str, Any]) -> _Guarantee:
    name = spoken(guarantee["name"])
    promised = next((promise.sentence for promise in summary.promises if promise.name == name), "")
    return _Guarantee(
        name,
        guarantee["holds"],
        guarantee["achieved"],
        guarantee["asked"],
        promised or f"{sentence(guarantee['definition']).rstrip('.')}.",
        guarantee["note"],
    )


def _attack(session: Session, attempt: Tried) -> _Attack:
    t, verdict = texts(session), attempt.verdict
    name = localized_text(session, attempt.attack) + ("" if attempt.attribute is None else f": {attempt.attribute}")
    words = f"{verdict.sign} {t(f'page_one.verdict_{verdict.name.lower()}')}"
    if attempt.tried < attempt.of:
        words += f" {t('page_one.sample', tried=f'{attempt.tried:,}', of=f'{attempt.of:,}')}"
    difference = "–"
    if attempt.rate is not None and attempt.guessing is not None and attempt.interval is not None:
        low, high = (100 * end for end in attempt.interval)
        difference = f"{100 * (attempt.rate - attempt.guessing):+.1f} [{low:.1f}; {high:.1f}]"
    numbers = {
        "worked": percent(attempt.rate),
        "guessing": percent(attempt.guessing),
        "difference": difference,
        "allowed": percent(attempt.allowed),
    }
    return _Attack(name, attempt.sentence, numbers, verdict.name.lower(), words)


def _utility(session: Session, kept: Kept) -> _Utility:
    words = localized_text(session, kept.words)
    if kept.value is None:
        return _Utility(kept.name, words, "", kept.sentence)
    figure = figure_of(replace(kept, unit=localized_text(session, kept.unit)))
    return _Utility(kept.name, figure, f"{kept.sign} {words}", kept.sentence)
