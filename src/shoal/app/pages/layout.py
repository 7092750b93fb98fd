"""What all pages share: head, steps, messages, and what shows a work under way."""

from __future__ import annotations

from typing import Any

from shoal.app.from_library import localized
from shoal.app.html import button, form, h
from shoal.app.manual import PAGE_OF, names
from shoal.app.session import Message, Session
from shoal.app.texts import LANGUAGES, Texts, texts_of
from shoal.app.worker import Job
from shoal.report.markup import Markup

STEPS = ("data", "roles", "protect", "compare", "run", "release")


def texts(session: Session) -> Texts:
    """Return the texts in the language of the session."""
    return texts_of(session.language)


def why_closed(session: Session, step: str) -> str:
    """Say what is missing before a step makes sense; empty where it is open."""
    t = texts(session)
    if step == "data":
        return ""
    if session.editor is None:
        return t("app.choose_table")
    if step == "roles":
        return ""
    if step == "release":
        return "" if session.releases else t("release.no_release")
    return session.editor.problem


def page(session: Session, step: str, *body: Any) -> str:
    """Return a whole page."""
    t = texts(session)
    message = session.take_message()
    title = t(f"step.{step}") if step in STEPS else t("app.help")
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("title", f"{title} – shoal"),
        h("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        h("link", rel="stylesheet", href="/static/report.css"),
        h("link", rel="stylesheet", href="/static/app.css"),
        h("script", src="/static/keep.js", defer=True),
        h("script", src="/static/app.js", defer=True),
    )
    main = h(
        "main",
        h("div", _message(session, message) if message.text else None, id="said", data_refused=message.refused),
        *body,
        id="main",
        tabindex="-1",
        data_gone=t("app.gone"),
        data_table=str(session.table),
    )
    return f"<!doctype html>\n{h('html', head, h('body', header(session, step), main), lang=t.language)}\n"


def framed(session: Session, *body: Any) -> str:
    """Return a document for the frame of the report, which loads nothing."""
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="color-scheme", content="light dark"),
        h("title", texts(session)("run.report")),
    )
    return f"<!doctype html>\n{h('html', head, h('body', *body), lang=texts(session).language)}\n"


def header(session: Session, current: str) -> Markup:
    """Return the head of a page: which steps are open, undo and redo, the language, the way out."""
    t = texts(session)
    entries = []
    for number, step in enumerate(STEPS, 1):
        words = [h("span", str(number), class_="count", aria_hidden="true"), t(f"step.{step}")]
        reason = why_closed(session, step)
        if reason:
            label = t("app.not_yet", reason=reason)
            entries.append(h("li", h("span", *words, class_="step closed", title=label, aria_disabled="true")))
        else:
            here = "page" if step == current else None
            entries.append(h("li", h("a", *words, href=f"/{step}", class_="step", aria_current=here)))
    others = [(code, name) for code, name in LANGUAGES.items() if code != session.language]
    tools = [
        form("/undo", button(t("app.undo"), kind="quiet", disabled=not _can_undo(session))),
        form("/redo", button(t("app.redo"), kind="quiet", disabled=not _can_redo(session))),
        *(
            form("/language", h("button", name, name="language", value=code, type="submit", class_="button quiet"))
            for code, name in others
        ),
        h("a", t("app.help"), href="/help", class_="button quiet"),
        h("form", button(t("app.stop"), kind="quiet"), method="post", action="/stop"),
    ]
    return h(
        "header",
        h("a", t("app.skip"), href="#main", class_="skip"),
        h(
            "div",
            h("a", "shoal", href="/data", class_="brand"),
            h("span", t("app.tagline"), class_="tagline"),
            h("div", *tools, class_="tools"),
            class_="top",
        ),
        h("nav", h("ol", *entries, class_="steps"), aria_label=t("app.steps")),
        class_="app",
        id="header",
    )


def _can_undo(session: Session) -> bool:
    return session.editor is not None and session.editor.position > 0


def _can_redo(session: Session) -> bool:
    return session.editor is not None and session.editor.position < len(session.editor.versions) - 1


def heading(session: Session, step: str) -> Markup:
    """Return the question of a step, and why it is asked."""
    t = texts(session)
    return h(
        "div",
        h("h1", t(f"{step}.heading")),
        h("p", t(f"why.{step}"), " ", *more_about(t, step), class_="lead"),
    )


def more_about(t: Texts, step: str) -> list[str | Markup]:
    """Return the ways to what is told of a step: in a few words, and in the documentation where it came along."""
    links = [h("a", t("app.more"), href=f"/help#{step}")]
    name = PAGE_OF[step]
    if name in names():
        links.append(h("a", t("app.docs"), " ", h("span", f"({names()[name]})", lang="en"), href=f"/docs/{name}"))
    return [part for link in links for part in ("· ", link, " ")][1:]


def onward(session: Session, step: str, *others: str) -> Markup:
    """Return the way to the next step, where it is open, and to others that may be wanted before it."""
    t = texts(session)
    reason = why_closed(session, step)
    if reason:
        return h("p", t("app.not_yet", reason=reason), class_="note")
    links = [
        h("a", t("app.continue", step=t(f"step.{name}")), href=f"/{name}", class_=kind)
        for name, kind in ((step, "button primary"), *((other, "button") for other in others))
    ]
    return h("p", *(part for link in links for part in (link, " ")), class_="onward")


def original(session: Session) -> Markup | None:
    """Return the way to download the bundled table, which is nowhere else; None where the table is somebody's own."""
    if session.demo is None:
        return None
    t = texts(session)
    link = h("a", t("data.original"), href="/data/original", download=session.demo.name, class_="button", id="original")
    return h("p", link, " ", h("span", t("data.original_hint"), class_="note"))


def under_way(session: Session, job: Job, *, cancel: str | None = None) -> Markup:
    """Show the progress of a job, the time left, and how to cancel it."""
    t = texts(session)
    stage = t(f"stage.{job.stage}") if t.known(f"stage.{job.stage}") else t("app.working")
    left = job.seconds_left
    times = [t("app.elapsed", seconds=f"{job.seconds:.0f}")]
    if left is not None:
        times.append(t("app.left", seconds=f"{left:.0f}"))
    known = job.total > 0
    bar = h(
        "progress",
        max=str(job.total) if known else None,
        value=str(min(job.done, job.total)) if known else None,
        aria_label=stage,
    )
    return h(
        "div",
        h("p", h("strong", stage), " ", h("span", ", ".join(times), class_="note"), role="status"),
        bar,
        form(cancel, button(t("app.cancel"))) if cancel else None,
        class_="work",
    )


def polled(identity: str, address: str, *content: Any, again: bool, every: int = 500) -> Markup:
    """Return a part of a page that asks for itself again while something is under way."""
    return h(
        "div", *content, id=identity, data_poll=address if again else None, data_every=str(every) if again else None
    )


def not_done(session: Session, job: Job) -> Markup:
    """Say why a work came to nothing."""
    return problem(session, job.problem or texts(session)("app.cancelled"))


def _message(session: Session, message: Message) -> Markup:
    """Return a sentence about what was refused, or about what was done."""
    if message.refused:
        return problem(session, message.text)
    return h("p", message.text, class_="message done", role="status")


def problem(session: Session, sentence: str) -> Markup:
    """Return a sentence about what is wrong, of the pages or of the library."""
    own = texts(session).has(sentence)
    return h("p", sentence if own else localized(session, sentence), class_="message", role="alert")
