"""The step Roles: what each column is, who stands out by it, and what else would give people away."""

from __future__ import annotations

from typing import Any

from shoal.app.from_library import localized
from shoal.app.html import button, field, form, h, hidden, select
from shoal.app.pages.columns import column_row
from shoal.app.pages.layout import heading, not_done, onward, page, polled, problem, texts, under_way
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.texts import Texts
from shoal.report.markup import Markup
from shoal.report.wording import number

_MOST_NAMED = 10
"""Columns that a sentence names."""


def roles_page(session: Session) -> str:
    """Return the step."""
    t = texts(session)
    undecided, sampled = session.undecided, session.overview.sampled
    body = h(
        "div",
        h(
            "div",
            problem(session, _still(t, undecided)) if undecided else None,
            h("p", t("data.sampled", rows=number(sampled)), class_="note") if sampled else None,
            h("ul", *(column_row(session, place) for place in range(len(session.overview.columns))), class_="columns"),
            _options(session),
            onward(session, "protect"),
        ),
        h("aside", unique_part(session), warnings_part(session)),
        class_="beside",
    )
    return page(session, "roles", heading(session, "roles"), body)


def _options(session: Session) -> Markup:
    t = texts(session)
    values = session.require_editor().values
    names = [column.name for column in session.overview.columns]
    columns = [(str(place), name) for place, name in enumerate(names)]

    def chosen(key: str) -> str:
        value = values.get(key)
        return str(names.index(value)) if value in names else str(value or "")

    def choice(key: str, more: list[tuple[str, str]]) -> Markup:
        return select(key, [("", t("app.none")), *more, *columns], chosen(key), data_submit=True, id=f"option-{key}")

    return h(
        "section",
        h("h2", t("roles.options")),
        form(
            "/roles/options",
            field(
                t("roles.subject"),
                choice("subject", [("record", t("roles.subject_record"))]),
                hint=t("roles.subject_hint"),
                term=t("roles.subject_term"),
            ),
            field(t("roles.weights"), choice("weights", []), hint=t("roles.weights_hint"), term="weights"),
            field(t("roles.by"), choice("by", []), hint=t("roles.by_hint"), term="by"),
            h("noscript", button(t("app.apply"))),
            class_="grid",
        ),
    )


def _still(t: Texts, undecided: list[str]) -> str:
    """Say whose role only a person can know; of many columns the first."""
    names = ", ".join(name.strip() or "–" for name in undecided[:_MOST_NAMED])
    if len(undecided) <= _MOST_NAMED:
        return t("roles.still", names=names)
    return t("roles.still_many", count=number(len(undecided)), names=names)


def unique_part(session: Session) -> Markup:
    """Return how many people stand out, or that it is being counted."""
    t, job = texts(session), session.unique()
    title = h("h2", t("roles.unique"))
    if job.running:
        return polled("unique", "/roles/unique", title, under_way(session, job), again=True, every=300)
    if job.state != "done":
        return polled("unique", "/roles/unique", title, not_done(session, job), again=False)
    found = job.result
    if not found.alone:
        return polled("unique", "/roles/unique", title, h("p", t("roles.unique_none")), again=False)
    percent = 100 * found.together / max(1, found.records)
    sentence = t(
        "roles.unique_together",
        count=number(found.together),
        records=number(found.records),
        percent=number(percent, 3),
        columns=len(found.alone),
    )
    parts: list[Any] = [
        title,
        h("p", h("strong", f"{number(percent, 3)} %", class_="big"), aria_hidden="true"),
        h("p", sentence, id="unique-sentence"),
        h("h3", t("roles.unique_alone")),
        table(session, ("", t("protect.records")), [(name, count) for name, count in found.alone]),
    ]
    if found.pairs:
        rows = [(" + ".join(pair), count) for pair, count in found.pairs]
        parts += [h("h3", t("roles.unique_pairs")), table(session, ("", t("protect.records")), rows)]
    if found.sampled:
        parts.append(h("p", t("roles.unique_sampled", records=number(found.records)), class_="note"))
    return polled("unique", "/roles/unique", *parts, again=False)


def warnings_part(session: Session) -> Markup:
    """Return what else would give people away by the plan so far, with the remedies."""
    t, editor = texts(session), session.require_editor()
    title = h("h2", t("roles.warnings"))
    if editor.plan is None:
        return polled(
            "warnings",
            "/roles/warnings",
            title,
            h("p", localized(session, editor.problem), class_="note"),
            again=False,
        )
    job = session.preview()
    if job.running:
        return polled("warnings", "/roles/warnings", title, under_way(session, job), again=True, every=300)
    if job.state != "done":
        return polled("warnings", "/roles/warnings", title, not_done(session, job), again=False)
    return polled("warnings", "/roles/warnings", title, giveaways(session, job.result.giveaways), again=False)


def giveaways(session: Session, found: Any, *, remedies: bool = True) -> Markup:
    """Return warnings, each with what would end it."""
    t = texts(session)
    if not found:
        return h("p", t("roles.no_warnings"), class_="note")
    entries = []
    for giveaway in found:
        parts: list[Any] = [h("p", localized(session, giveaway["sentence"]))]
        if giveaway["remedy"]:
            lines = h("details", h("summary", t("roles.remedy_lines")), h("pre", giveaway["remedy"], tabindex="0"))
            parts.append(lines)
            if remedies:
                apply = form("/roles/remedy", hidden("remedy", giveaway["remedy"]), button(t("roles.remedy")))
                parts.append(apply)
        entries.append(h("li", *parts, class_="warning"))
    return h("ul", *entries, class_="warnings")
