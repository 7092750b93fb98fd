"""The step Compare: several plans, what each gives away and loses, on one map."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from shoal.app.html import button, field, form, h, hidden, select
from shoal.app.pages.figures import column_figure, labelled
from shoal.app.pages.layout import heading, not_done, page, polled, texts, under_way
from shoal.app.pages.tables import table
from shoal.app.results import Comparison
from shoal.app.session import Session
from shoal.app.tasks.comparison import KEYS, RiskMap
from shoal.app.texts import Texts
from shoal.report.markup import Markup, quantity
from shoal.report.wording import number, readable

TRIED = {"k": "k", "t": "closeness.t", "method": "method", "refine": "refine", "weight": "dependence.weight"}
"""The fields of the form, and the paths of the plan that they try."""


def compare_page(session: Session) -> str:
    """Return the step."""
    t = texts(session)
    plan = session.require_plan()
    grid = session.comparison.grid if session.comparison is not None else {}
    first = {"k": f"3, {plan.k}, 10" if plan.k not in (3, 10) else "3, 5, 10"}
    fields = [
        field(
            t(f"compare.try_{name}"),
            h(
                "input",
                name=name,
                value=", ".join(map(str, grid.get(path, ()))) if grid else first.get(name, ""),
                autocomplete="off",
            ),
            term=path,
        )
        for name, path in TRIED.items()
    ]
    asked = form("/compare/start", *fields, button(t("compare.start"), kind="primary"), class_="grid tight")
    return page(
        session,
        "compare",
        heading(session, "compare"),
        asked,
        h("p", t("compare.hint"), class_="note"),
        board_part(session),
    )


def board_part(session: Session) -> Markup:
    """Return the results so far."""
    t, comparison = texts(session), session.comparison
    if comparison is None:
        return polled("board", "/compare/board", h("p", t("compare.none_yet"), class_="note"), again=False)
    job = comparison.job
    parts: list[Any] = []
    waits = any(each is not None and each.running for each in (job, comparison.map_job, comparison.columns_job))
    if job.running:
        parts.append(under_way(session, job, cancel="/compare/cancel"))
    elif job.state != "done":
        parts.append(not_done(session, job))
    drawn = session.map_of(comparison)
    waits = waits or (comparison.map_job is not None and comparison.map_job.running)
    if comparison.runs:
        parts += [h("h2", t("compare.board")), _map(session, comparison, drawn), _bounds(session, comparison)]
        parts += [_table(session, comparison, drawn.front if drawn else ()), _beside(session, comparison)]
    return polled("board", "/compare/board", *parts, again=waits, every=700)


def _map(session: Session, comparison: Comparison, drawn: RiskMap | None) -> Markup:
    t = texts(session)
    if drawn is None or drawn.svg is None:
        return Markup()
    return h(
        "figure",
        h("div", labelled(_with_scores(t, drawn.svg, comparison), t("compare.board")), class_="chart map"),
        h("figcaption", t("compare.map_caption")),
    )


def _with_scores(t: Texts, drawn: str, comparison: Comparison) -> str:
    """Let every point tell all measures of its plan under the pointer."""

    def words(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        if place >= len(comparison.runs):
            return found[0]
        run = comparison.runs[place]
        scores = [f"{t(f'compare.{key}')} {number(run['scores'][key])}" for key in KEYS if key in run["scores"]]
        return f"<title>{place + 1}: {escape(readable(_name(run)))}; {escape('; '.join(scores))}</title>"

    return re.sub(r"<title>(\d+): [^<]*</title>", words, drawn)


def _bounds(session: Session, comparison: Comparison) -> Markup:
    t = texts(session)
    if comparison.job.running:
        return Markup()
    return form(
        "/compare/pick",
        field(
            t("compare.bounds"),
            h(
                "input",
                name="bounds",
                value=", ".join(f"{key} <= {limit:g}" for key, limit in comparison.bounds) or "dld <= 5",
                autocomplete="off",
            ),
            hint=t("compare.bounds_hint"),
        ),
        button(t("compare.pick")),
        class_="grid",
    )


def _name(run: dict[str, Any]) -> str:
    return ", ".join(f"{path} = {value}" for path, value in run["choices"].items())


def _table(session: Session, comparison: Comparison, front: tuple[bool, ...]) -> Markup:
    t = texts(session)
    keys = [key for key in KEYS if any(key in run["scores"] for run in comparison.runs)]
    rows = []
    for place, run in enumerate(comparison.runs):
        marks = []
        if place < len(front) and front[place]:
            marks.append(t("compare.front"))
        if place == comparison.picked:
            marks.append(t("compare.picked"))
        if run["problem"]:
            marks.append(t("compare.impossible", reason=run["problem"]))
        take = (
            Markup()
            if run["problem"] or comparison.job.running
            else form(
                "/compare/take",
                hidden("run", str(place)),
                button(t("compare.take"), aria_label=f"{t('compare.take')}: {_name(run)}", id=f"take-{place}"),
            )
        )
        scores = [quantity(run["scores"].get(key)) for key in keys]
        rows.append((str(place + 1), _name(run), *scores, ", ".join(marks), take))
    head = ("", t("compare.plan"), *(t(f"compare.{key}") for key in keys), "", "")
    return h("div", table(session, head, rows, label=t("compare.plan")), id="plans")


def _beside(session: Session, comparison: Comparison) -> Markup:
    """Show the measures of two plans side by side."""
    t = texts(session)
    done = [(str(i), _name(run)) for i, run in enumerate(comparison.runs) if not run["problem"]]
    if comparison.job.running or len(done) < 2:
        return Markup()
    pair = [place for place in comparison.pair if place < len(comparison.runs)]
    chosen = pair if len(pair) == 2 else [int(done[0][0]), int(done[-1][0])]
    parts: list[Any] = [
        h("h2", t("compare.beside")),
        form(
            "/compare/beside",
            field(t("compare.first"), select("first", done, str(chosen[0]), data_submit=True, id="first")),
            field(t("compare.second"), select("second", done, str(chosen[1]), data_submit=True, id="second")),
            button(t("compare.show"), name="columns", value="1"),
            class_="grid",
        ),
    ]
    runs = [comparison.runs[place] for place in chosen]
    keys = [key for key in KEYS if any(key in run["scores"] for run in runs)]
    rows = [(t(f"compare.{key}"), *(quantity(run["scores"].get(key)) for run in runs)) for key in keys]
    rows.append((t("compare.groups"), *(quantity(run["groups"]) for run in runs)))
    parts.append(table(session, (t("compare.measure"), *(_name(run) for run in runs)), rows))
    return h("section", *parts, *_columns(session, comparison, [_name(run) for run in runs]))


def _columns(session: Session, comparison: Comparison, names: list[str]) -> list[Markup]:
    """Show every column before and after, by the one plan and by the other."""
    job = comparison.columns_job
    if job is None:
        return []
    if job.running:
        return [under_way(session, job, cancel="/compare/cancel")]
    if job.state != "done":
        return [not_done(session, job)]
    shown = [
        h(
            "article",
            h("h3", pair[0].distribution.name),
            h(
                "div",
                *(
                    column_figure(session, column, h("h4", name), f"{column.distribution.name}, {name}")
                    for name, column in zip(names, pair, strict=True)
                ),
                class_="pair",
            ),
        )
        for pair in job.result
    ]
    return [h("div", *shown, id="columns-beside")]
