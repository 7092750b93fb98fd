"""The step Protect: the promises, the method, and what both mean for this table before anything runs."""

from __future__ import annotations

from typing import Any

from shoal.app.browser_session import Session
from shoal.app.pages.layout import page, show, state_of
from shoal.app.tasks.estimates import Way
from shoal.app.texts import Texts
from shoal.app.worker import Job
from shoal.constrain import WAYS
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.plan.plan_keys import UNREFINED
from shoal.refinement import EFFORTS
from shoal.report.markup import Markup
from shoal.report.wording import number

MISSING = ("error", "keep", "impute", "category")

USUAL_C = 2
"""The c of recursive diversity that the page shows before one is chosen."""


def protect_page(session: Session) -> Markup:
    """Return the step."""
    t, values = session.texts, session.require_editor().values
    method = str(values.get("method", "mdav"))
    summaries = {name: t.words(known.summary) for name, known in METHODS.items()}
    options = METHODS[method].options.model_fields if method in METHODS else {}
    return page(
        session,
        "protect",
        "protect.html",
        k=values.get("k"),
        **_closeness(t, values),
        diversity=values.get("diversity", {}),
        usual_c=USUAL_C,
        method=method,
        method_summary=summaries.get(method, ""),
        methods=[(name, f"{name} – {summary}") for name, summary in summaries.items()],
        method_options=[
            (name, known.description or "", str(values.get(name, known.default))) for name, known in options.items()
        ],
        refine=str(values.get("refine", UNREFINED)),
        efforts=[(name, t(f"protect.refine_{name}")) for name in (UNREFINED, *EFFORTS)],
        missing=str(values.get("missing", "error")),
        missing_choices=[(name, t(f"protect.missing_{name}")) for name in MISSING],
        round=bool(values.get("round")),
        ahead=ahead_part(session),
    )


def _closeness(t: Texts, values: dict[str, Any]) -> dict[str, Any]:
    """Return the confidential columns, their common t and who leads; the way to it is empty where t is not asked.

    Of a column: its name, whether closeness protects it, and the t of its own if it has one.
    """
    closeness = values.get("closeness", {})
    asked = closeness.get("t")
    by_name = asked if isinstance(asked, dict) else {}
    common = min(by_name.values()) if by_name else asked  # columns with a t of their own have a larger one
    names = [name for name, about in values["attributes"].items() if about.get("role") == Role.CONFIDENTIAL.value]
    chosen = closeness.get("attributes") or names
    own = {name: limit for name, limit in by_name.items() if limit != common}
    return {
        "confidential": [(name, name in chosen, own.get(name)) for name in names],
        "common_t": common,
        "way": str(closeness.get("method", next(iter(WAYS)))) if closeness else "",
        "ways": [(name, t(f"protect.way_{name}") if t.known(f"protect.way_{name}") else name) for name in WAYS],
        "leads": [(name, name) for name in names if name in chosen] if len(chosen) > 1 else [],
        "lead": str(chosen[0]) if chosen else "",
    }


def ahead_part(session: Session) -> Markup:
    """Return what the plan means for this table."""
    job = session.preview() if session.require_editor().plan is not None else None
    state = state_of(job)
    if job is None or state != "done":
        return show(session, "ahead.html", job=job, state=state, again=state == "running", every=300)
    t, preview = session.texts, job.result
    costs_job, duration = session.costs(preview.asked), session.duration()
    # Their states are read before they are shown: what ends meanwhile is asked for again.
    costs_state = state_of(costs_job)
    trials = costs_job.result.trials if costs_job is not None and costs_state == "done" else ()
    again = "running" in (costs_state, state_of(duration))
    outlook, subjects, smallest_t = preview.outlook, preview.subjects, preview.smallest_t
    sentences: list[str] = [t.say(each) for each in (*outlook.ahead, *outlook.sentences, *outlook.cautions)]
    if duration is not None:
        sentences.append(duration_words(t, duration))
    if session.releases:
        sentences.append(t("protect.last", seconds=f"{session.releases[-1].seconds:.0f}"))
    return show(
        session,
        "ahead.html",
        job=job,
        state=state,
        again=again,
        every=500,
        preview=preview,
        k=session.require_plan().k,
        facts=[
            (t("protect.records"), number(preview.records)),
            *([] if subjects is None else [(t("protect.people"), number(subjects))]),
            (t("protect.group_size"), number(outlook.group_size)),
            (t("protect.most_groups"), number(outlook.most_groups)),
            *([] if smallest_t is None else [(t("protect.smallest_t"), number(smallest_t, 2))]),
        ],
        costs_job=costs_job,
        costs_state=costs_state,
        ways=[(trial, _way_words(t, trial.way)) for trial in trials],
        sentences=sentences,
        treatments=[(name, t.say(words)) for name, words in preview.treatments.items()],
    )


def _way_words(t: Texts, way: Way) -> str:
    wider = way.changes.get("closeness.t")
    limit = wider.get(way.column) if isinstance(wider, dict) else wider
    return t(f"costs.way_{way.name}", column=way.column, t="" if limit is None else f"{limit:g}")


def duration_words(t: Texts, job: Job) -> str:
    """Say how long it will take; what was measured on a sample is said as an estimate."""
    if job.running:
        return t("protect.seconds_measured")
    if job.result is None:
        return t("protect.seconds_unknown")
    seconds = float(f"{max(job.result.seconds, 1):.1g}" if job.result.seconds < 10 else f"{job.result.seconds:.2g}")
    return t("protect.seconds", seconds=number(seconds), records=number(job.result.sampled))
