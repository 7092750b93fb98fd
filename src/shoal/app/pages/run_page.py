"""The step Run: the release is made in the background, checked, and shown with its evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.figures import column_figure
from shoal.app.pages.layout import page, show, state_of
from shoal.app.results import ReleaseRecord
from shoal.app.tasks.release_job import ATTACKED, MOST_DRAWN, QUICKLY
from shoal.report.markup import Markup, quantity
from shoal.report.summary import Summary, Tried
from shoal.report.summary.words import figure_of


def run_page(session: Session) -> Markup:
    """Return the step."""
    return page(session, "run", "step.html", part=run_part(session))


def run_part(session: Session) -> Markup:
    """Return where the run stands, and what came of it."""
    session.require_editor()  # another tab may have put the table aside
    t, state = session.texts, state_of(session.run_job)
    release = session.releases[-1] if session.releases else None
    if state != "running" and release is None:
        session.require_plan()
    return show(
        session,
        "run.html",
        state=state,
        release=release,
        attacks=release.choices.attacks if release else QUICKLY,
        attack_choices=[(name, t(f"run.attacks_{name}")) for name in ATTACKED],
        **(_evidence(session, release) if release is not None and state != "running" else {"outcome": None}),
    )


def _evidence(session: Session, release: ReleaseRecord) -> dict[str, Any]:
    """Return what the page shows of a release."""
    t, outcome, plan = session.texts, release.outcome, session.require_editor().plan
    summary: Summary = outcome.summary
    warned = {giveaway["sentence"] for giveaway in outcome.giveaways}
    facts = [(t.words(fact.name), quantity(fact.value, unit=t.words(fact.unit))) for fact in outcome.facts]
    riskiest: Any = ""
    if outcome.riskiest:
        head = (t("run.size"), t("run.gives_away"), *outcome.riskiest[0].values)
        rows = [(quantity(each.size), t.say(each.why), *each.values.values()) for each in outcome.riskiest]
        riskiest = t.table(head, rows, label=t("run.riskiest"), class_="riskiest")
    return {
        "outcome": outcome,
        "changed": plan is None or plan.to_dict() != release.values,
        "difference": _difference,
        "kept": [replace(kept, unit=t.words(kept.unit), words=t.words(kept.words)) for kept in summary.kept],
        "figure_of": figure_of,
        "facts": facts,
        "decide": [text for text in summary.decide if text not in warned],  # warnings stand elsewhere on the page
        "columns": [column_figure(t, column) for column in outcome.columns],
        "most_drawn": MOST_DRAWN,
        "riskiest": riskiest,
    }


def _difference(attempt: Tried) -> str:
    """Return by how much an attack is better than guessing, in percent, and between which ends that lies."""
    low, high = (100 * end for end in attempt.interval)
    return f"{100 * (attempt.rate - attempt.guessing):+.1f} [{low:.1f}; {high:.1f}]"
