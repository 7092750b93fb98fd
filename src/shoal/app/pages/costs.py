"""What closeness costs on this table, before it runs: which column asks the most, and the ways out as buttons."""

from __future__ import annotations

from typing import Any

from shoal.app.html import button, form, h, hidden
from shoal.app.pages.layout import texts, under_way
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.tasks.costs import Costs, Way
from shoal.app.texts import Texts
from shoal.app.worker import Job
from shoal.report.markup import Markup
from shoal.report.wording import number


def costs_part(session: Session, found: Any, job: Job | None) -> Markup | None:
    """Return what t asks of the groups by column, and what the ways out would lose; None where t is not asked."""
    if not found.asked:
        return None
    t, k = texts(session), session.require_plan().k
    column, size = found.asked[0]
    why = t("costs.why", column=column, size=number(size), k=number(k)) if size > k else t("costs.why_not", k=number(k))
    parts: list[Any] = [
        h("h2", t("costs.heading")),
        h("p", why, id="costs-why"),
        table(session, (t("roles.column"), t("costs.size")), [(name, size) for name, size in found.asked]),
    ]
    if job is not None and job.running:
        parts.append(under_way(session, job))
    if job is not None and job.state == "done":
        parts += _ways(t, job.result)
    return h("section", *parts, id="costs")


def _ways(t: Texts, costs: Costs) -> list[Markup]:
    entries = [
        h(
            "li",
            h("p", h("strong", _words(t, trial.way))),
            h("p", t("costs.outcome", lost=f"{trial.lost:.0f}", groups=number(trial.groups)), class_="note"),
            _take(t, trial.way) if trial.way.changes else h("p", t("costs.now"), class_="note"),
        )
        for trial in costs.trials
    ]
    sample = t("costs.sampled", records=number(costs.records)) if costs.sampled else t("costs.tried")
    return [h("h3", t("costs.ways")), h("ul", *entries, class_="ways"), h("p", sample, class_="note")]


def _words(t: Texts, way: Way) -> str:
    wider = way.changes.get("closeness.t")
    limit = wider.get(way.column) if isinstance(wider, dict) else wider
    return t(f"costs.way_{way.name}", column=way.column, t="" if limit is None else f"{limit:g}")


def _take(t: Texts, way: Way) -> Markup:
    words = t("compare.take")
    take = button(words, aria_label=f"{words}: {_words(t, way)}", id=f"way-{way.name}")
    return form("/protect/way", hidden("way", way.name), take)
