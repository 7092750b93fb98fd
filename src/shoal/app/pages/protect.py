"""The step Protect: the promises, the method, and what both mean for this table before anything runs."""

from __future__ import annotations

from typing import Any

from shoal.app.from_library import localized, localized_text
from shoal.app.html import button, field, form, h, select
from shoal.app.pages.costs import costs_part
from shoal.app.pages.diversity import number_input, other_diversity
from shoal.app.pages.layout import heading, not_done, onward, page, polled, problem, texts, under_way
from shoal.app.pages.roles import giveaways
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.texts import Texts
from shoal.app.worker import Job
from shoal.constrain import WAYS
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.plan.keys import UNREFINED
from shoal.refinement import EFFORTS
from shoal.report.markup import Markup
from shoal.report.wording import number

MISSING = ("error", "keep", "impute", "category")


def protect_page(session: Session) -> str:
    """Return the step."""
    body = h(
        "div",
        h("div", _promises(session), onward(session, "run", "compare"), _expert(session)),
        h("aside", ahead_part(session)),
        class_="beside",
    )
    return page(session, "protect", heading(session, "protect"), body)


def _promises(session: Session) -> Markup:
    t, values = texts(session), session.require_editor().values
    closeness, diversity = values.get("closeness", {}), values.get("diversity", {})
    method = str(values.get("method", "mdav"))
    methods = [(name, f"{name} – {localized_text(session, known.summary)}") for name, known in METHODS.items()]
    ways = [(name, t(f"protect.way_{name}") if t.known(f"protect.way_{name}") else name) for name in WAYS]
    efforts = [(name, t(f"protect.refine_{name}")) for name in (UNREFINED, *EFFORTS)]
    missing = [(name, t(f"protect.missing_{name}")) for name in MISSING]
    confidential = [n for n, about in values["attributes"].items() if about.get("role") == Role.CONFIDENTIAL.value]
    parts = [
        field(
            t("protect.k"),
            number_input("k", values.get("k"), min="2", step="1", required=True),
            hint=t("protect.k_hint"),
            term=t("protect.k_term"),
        )
    ]
    if confidential:
        parts += [
            field(
                t("protect.t"),
                number_input("t", _common(closeness.get("t")), min="0", max="1", step="any"),
                hint=t("protect.t_hint"),
                term=t("protect.t_term"),
            ),
            *(
                [
                    field(
                        t("protect.way"),
                        select("way", ways, str(closeness.get("method", next(iter(WAYS)))), data_submit=True, id="way"),
                        term=t("protect.way_term"),
                    ),
                    _protected(t, confidential, closeness),
                ]
                if closeness
                else []
            ),
            field(
                t("protect.diversity"),
                number_input("distinct", diversity.get("distinct"), min="2", step="1"),
                hint=t("protect.diversity_hint"),
                term=t("protect.diversity_term"),
            ),
            other_diversity(t, diversity),
        ]
    parts += [
        field(
            t("protect.method"),
            select("method", methods, method, data_submit=True, id="method"),
            hint=localized_text(session, METHODS[method].summary) if method in METHODS else "",
            term=t("protect.method_term"),
        ),
        *_method_options(session, t, method),
        field(
            t("protect.refine"),
            select("refine", efforts, str(values.get("refine", UNREFINED)), data_submit=True, id="refine"),
            hint=t("protect.refine_hint"),
            term=t("protect.refine_term"),
        ),
        field(
            t("protect.missing"),
            select("missing", missing, str(values.get("missing", "error")), data_submit=True, id="missing"),
            term=t("protect.missing_term"),
        ),
        h(
            "label",
            h("input", type="checkbox", name="round", checked=bool(values.get("round")), data_submit=True, id="round"),
            " ",
            t("protect.round"),
            " ",
            h("small", "round"),
            class_="tick",
        ),
        h("noscript", button(t("app.apply"))),
    ]
    return form("/protect/options", *parts, class_="promises")


def _common(t: Any) -> Any:
    """Return the t that columns have where they have none of their own: the smallest of several."""
    return min(t.values()) if isinstance(t, dict) else t


def _protected(t: Texts, confidential: list[str], closeness: dict[str, Any]) -> Markup:
    """Return which columns are protected, each with a t of its own if wanted, and which one leads."""
    chosen = closeness.get("attributes") or confidential
    common, asked = _common(closeness.get("t")), closeness.get("t")
    lines = []
    for place, name in enumerate(confidential):
        tick = h(
            "input",
            type="checkbox",
            name="protected",
            value=str(place),
            checked=name in chosen,
            data_submit=True,
            id=f"protected-{place}",
        )
        own = asked.get(name) if isinstance(asked, dict) and asked.get(name) != common else None
        number_ = h(
            "input",
            type="number",
            name=f"t.{place}",
            value="" if own is None else str(own),
            placeholder="" if common is None else str(common),
            min="0",
            max="1",
            step="any",
            aria_label=t("protect.t_own", name=name),
            data_submit=True,
            id=f"t-of-{place}",
        )
        lines.append(h("div", h("label", tick, " ", name, class_="tick"), number_, class_="own"))
    parts = [h("legend", t("protect.t_of")), h("p", t("protect.t_of_hint"), class_="hint"), *lines]
    if len(chosen) > 1:
        leads = [(name, name) for name in confidential if name in chosen]
        leading = select("lead", leads, str(chosen[0]), data_submit=True, id="lead")
        parts.append(field(t("protect.lead"), leading, hint=t("protect.lead_hint"), term="closeness.attributes"))
    return h("fieldset", *parts)


def _method_options(session: Session, t: Texts, method: str) -> list[Markup]:
    values = session.require_editor().values
    fields = METHODS[method].options.model_fields if method in METHODS else {}
    return [
        field(
            f"{t('protect.options_of', method=method)}: {name}",
            h(
                "input",
                name=f"option.{name}",
                value=str(values.get(name, known.default)),
                id=f"option-{name}",
                data_submit=True,
            ),
            hint=localized_text(session, known.description or ""),
        )
        for name, known in fields.items()
    ]


def _expert(session: Session) -> Markup:
    t, editor = texts(session), session.require_editor()
    return h(
        "details",
        h("summary", t("protect.expert")),
        form(
            "/protect/toml",
            h("p", t("protect.expert_hint"), class_="note"),
            h(
                "textarea",
                editor.toml,
                name="toml",
                rows="22",
                spellcheck="false",
                class_="code",
                aria_label=t("protect.expert"),
                data_check="/protect/check",
                id="toml",
            ),
            h("p", editor.problem or t("protect.expert_good"), id="toml-said", role="status", class_="note"),
            button(t("app.save")),
        ),
        id="expert",
    )


def ahead_part(session: Session) -> Markup:
    """Return what the plan means for this table."""
    t, editor = texts(session), session.require_editor()
    title = h("h2", t("protect.ahead"))
    if editor.plan is None:
        return polled("ahead", "/protect/ahead", title, problem(session, editor.problem), again=False)
    job = session.preview()
    if job.running:
        return polled("ahead", "/protect/ahead", title, under_way(session, job), again=True, every=300)
    if job.state != "done":
        return polled("ahead", "/protect/ahead", title, not_done(session, job), again=False)
    found = job.result
    facts = [(t("protect.records"), number(found.records))]
    if found.subjects is not None:
        facts.append((t("protect.people"), number(found.subjects)))
    facts += [
        (t("protect.group_size"), number(found.group_size)),
        (t("protect.most_groups"), number(found.most_groups)),
    ]
    if found.smallest_t is not None:
        facts.append((t("protect.smallest_t"), number(found.smallest_t, 2)))
    costs, duration = session.costs(found.asked), session.duration()
    # Asked before they are shown: one that ends meanwhile is asked for again.
    again = any(job is not None and job.running for job in (duration, costs))
    sentences: list[Any] = [localized(session, each) for each in (*found.ahead, *found.sentences, *found.cautions)]
    if duration is not None:
        sentences.append(_duration(t, duration))
    if session.releases:
        sentences.append(t("protect.last", seconds=f"{session.releases[-1].seconds:.0f}"))
    return polled(
        "ahead",
        "/protect/ahead",
        title,
        _given_up(session, found.not_guaranteed),
        h("dl", *(h("div", h("dt", name), h("dd", value)) for name, value in facts), class_="facts"),
        costs_part(session, found, costs),
        h("ul", *(h("li", sentence) for sentence in sentences)) if sentences else None,
        h(
            "details",
            h("summary", t("protect.what_happens")),
            table(
                session,
                (t("roles.column"), ""),
                [(name, localized(session, words)) for name, words in found.treatments.items()],
            ),
            id="what-happens",
        ),
        h("h2", t("roles.warnings")),
        giveaways(session, found.giveaways),
        again=again,
    )


def _given_up(session: Session, reason: str | None) -> Markup | None:
    if reason is None:
        return None
    return problem(session, texts(session)("protect.not_guaranteed", reason=localized_text(session, reason)))


def _duration(t: Texts, job: Job) -> str:
    """Say how long it will take; what was measured on a sample is said as an estimate."""
    if job.running:
        return t("protect.seconds_measured")
    if job.result is None:
        return t("protect.seconds_unknown")
    seconds = float(f"{max(job.result.seconds, 1):.1g}" if job.result.seconds < 10 else f"{job.result.seconds:.2g}")
    return t("protect.seconds", seconds=number(seconds), records=number(job.result.sampled))
