"""The step Run: the release is made in the background, checked, and shown with its evidence."""

from __future__ import annotations

from typing import Any

from shoal.app.from_library import localized, localized_text
from shoal.app.html import button, field, form, h, select
from shoal.app.pages import page_one
from shoal.app.pages.figures import column_figure
from shoal.app.pages.layout import heading, onward, page, polled, problem, texts, under_way
from shoal.app.pages.roles import giveaways
from shoal.app.pages.tables import table
from shoal.app.results import ReleaseRecord
from shoal.app.session import Session
from shoal.app.tasks.charts import ColumnChart
from shoal.app.tasks.release import ATTACKED, MOST_DRAWN, QUICKLY
from shoal.app.texts import Texts
from shoal.errors import sentence
from shoal.report.data import RiskyGroup
from shoal.report.markup import Markup, quantity
from shoal.report.wording import number, spoken


def run_page(session: Session) -> str:
    """Return the step."""
    return page(session, "run", heading(session, "run"), run_part(session))


def run_part(session: Session) -> Markup:
    """Return where the run stands, and what came of it."""
    session.require_editor()  # another tab may have put the table aside
    t, job = texts(session), session.run_job
    if job is not None and job.running:
        return polled("run", "/run/status", under_way(session, job, cancel="/run/cancel"), again=True)
    parts: list[Any] = []
    if job is not None and job.state == "cancelled":
        parts.append(h("p", t("app.cancelled"), class_="note", role="status"))
    if job is not None and job.state == "failed":
        parts += [h("h2", t("run.failed")), problem(session, job.problem)]
    made = session.releases[-1] if session.releases else None
    start = button(t("run.again") if made else t("run.start"), kind="" if made else "primary", id="start")
    escape = h(
        "label",
        h(
            "input",
            type="checkbox",
            name="escape_formulas",
            checked=made is not None and made.escaped,
            id="escape-formulas",
        ),
        " ",
        t("run.escape"),
        " ",
        h("small", "--escape-formulas"),
        class_="tick",
    )
    tried = [(name, t(f"run.attacks_{name}")) for name in ATTACKED]
    attacks = select("attacks", tried, made.attacks if made else QUICKLY, id="attacks")
    parts.append(
        form(
            "/run/start",
            field(t("run.attacks"), attacks, term="--attacks"),
            escape if session.overview.formulas else None,
            start,
            class_="start",
        )
    )
    if made is None:
        plan = session.require_plan()
        parts += [h("h2", t("run.plan")), h("pre", plan.to_toml(), tabindex="0")]
    else:
        parts += result(session, made)
    return polled("run", "/run/status", *parts, again=False)


def result(session: Session, made: ReleaseRecord) -> list[Any]:
    """Return what came of a run."""
    t, outcome, groups = texts(session), made.outcome, made.outcome.groups
    editor = session.require_editor()
    changed = editor.plan is None or editor.plan.to_dict() != made.values
    facts = [
        h(
            "div",
            h("dt", localized_text(session, name)),
            h("dd", quantity(value, prefix="≤ " if at_most else "", unit=unit)),
        )
        for name, value, unit, at_most in (
            (name, value, localized_text(session, unit), at_most) for name, value, unit, at_most in outcome.facts
        )
    ]
    return [
        problem(session, t("run.changed")) if changed else None,
        page_one.answer(session, outcome.summary),
        h(
            "p",
            t(
                "run.made",
                seconds=f"{made.seconds:.1f}",
                records=number(outcome.records),
                groups=number(groups["count"]),
                smallest=number(groups["smallest"]),
                largest=number(groups["largest"]),
            ),
            id="made",
        ),
        h("h2", t("run.promised")),
        h("div", *(_card(session, made, guarantee) for guarantee in outcome.guarantees), class_="kept"),
        h("p", t("run.shuffled"), class_="note") if outcome.shuffled else None,
        *_audit(session, outcome.findings),
        onward(session, "release"),
        page_one.tried(session, outcome.summary),
        page_one.kept(session, outcome.summary),
        h("h2", t("run.facts")),
        h("dl", *facts, class_="facts"),
        page_one.about(session, outcome.summary),
        page_one.decide(session, outcome.summary, {each["sentence"] for each in outcome.giveaways}),
        h("h2", t("run.warnings")),
        giveaways(session, outcome.giveaways),
        _columns(session, outcome.columns),
        _riskiest(session, outcome.riskiest),
        _report(session, made),
    ]


def _in_words(made: ReleaseRecord, guarantee: dict[str, Any]) -> str:
    """Say a promise as page one does, for people who have not read of it."""
    name = spoken(guarantee["name"])
    found = next((each.sentence for each in made.outcome.summary.promises if each.name == name), "")
    return found or _sentence(guarantee["definition"])


def _card(session: Session, made: ReleaseRecord, guarantee: dict[str, Any]) -> Markup:
    t = texts(session)
    holds = guarantee["holds"]
    measured = t("run.reached", achieved=number(guarantee["achieved"]))
    if guarantee["asked"] is not None:
        measured += f" ({t('run.asked', asked=number(guarantee['asked']))})"
    return h(
        "article",
        h("p", f"✓ {t('run.holds')}" if holds else f"✗ {t('run.broken')}", class_="verdict"),
        h("h3", localized_text(session, spoken(guarantee["name"]))),
        h("p", f"{measured}."),
        h("p", localized(session, _in_words(made, guarantee)), class_="definition"),
        h("p", localized(session, guarantee["note"]), class_="note") if guarantee["note"] else None,
        class_=f"guarantee {'holds' if holds else 'broken'}",
    )


def _sentence(words: str) -> str:
    return f"{sentence(words).rstrip('.')}."


def _audit(session: Session, findings: Any) -> list[Markup]:
    t = texts(session)
    if not findings:
        return []
    entries = []
    for name, holds, words in findings:
        mark = "?" if holds is None else "✓" if holds else "✗"
        entries.append(
            h("li", h("strong", f"{mark} {localized_text(session, spoken(name))}"), ": ", localized(session, words))
        )
    return [
        h("h2", t("run.audit")),
        h("p", t("run.audit_hint"), class_="note"),
        h("ul", *entries, class_="findings", id="findings"),
    ]


def _columns(session: Session, columns: tuple[ColumnChart, ...]) -> Markup:
    """Return every column before and after."""
    t = texts(session)
    figures = [
        column_figure(
            session,
            column,
            h(
                "h3",
                column.distribution.name,
                " ",
                h("small", t(f"run.role_{column.distribution.role}"), ", ", _kind(t, column)),
            ),
            column.distribution.name,
        )
        for column in columns
    ]
    return h(
        "section",
        h("h2", t("run.columns")),
        h("p", t("run.columns_hint"), class_="note"),
        h("p", t("run.columns_undrawn", count=number(MOST_DRAWN)), class_="note")
        if len(columns) > MOST_DRAWN
        else None,
        h("div", *figures, class_="figures flow"),
        id="columns",
    )


def _kind(t: Texts, column: ColumnChart) -> str:
    return t(f"roles.{column.distribution.kind}")


def _riskiest(session: Session, groups: tuple[RiskyGroup, ...]) -> Markup | None:
    """Return the groups that give most away, and what."""
    if not groups:
        return None
    t = texts(session)
    head = (t("run.size"), t("run.gives_away"), *groups[0].values)
    rows = [(quantity(each.size), localized(session, each.why), *each.values.values()) for each in groups]
    return h(
        "section",
        h("h2", t("run.riskiest")),
        h("p", t("run.riskiest_hint"), class_="note"),
        table(session, head, rows, label=t("run.riskiest"), class_="riskiest"),
        id="riskiest",
    )


def _report(session: Session, made: ReleaseRecord) -> Markup:
    t, address = texts(session), f"/run/report/{made.number}"
    links = [
        h("a", t(f"run.{edition}"), href=f"{address}/{edition}", target="report", class_="button")
        for edition in ("internal", "external")
    ]
    hints = [f"{t(f'run.{edition}')}: {t(f'run.{edition}_hint')}." for edition in ("internal", "external")]
    return h(
        "section",
        h("h2", t("run.report")),
        h("p", *(part for link in links for part in (link, " "))),
        h("p", " ".join(hints), class_="note"),
        h("iframe", src=f"{address}/internal", name="report", title=t("run.report"), class_="report", sandbox=True),
    )
