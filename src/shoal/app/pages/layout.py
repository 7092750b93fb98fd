"""What all pages share: the language of the session, which steps are open, and how a template becomes a page."""

from __future__ import annotations

from functools import partial
from typing import Any

from shoal.app import manual
from shoal.app.browser_session import Session
from shoal.app.texts import LANGUAGES
from shoal.app.worker import Job
from shoal.report.markup import Markup, render

STEPS = ("data", "roles", "protect", "compare", "run", "release")

_TERMS = ("roles", "k", "t", "l", "micro", "risk", "audit", "privacy", "keys")
"""What the help explains."""


def why_closed(session: Session, step: str) -> str:
    """Say what is missing before a step makes sense; empty where it is open."""
    t = session.texts
    if step == "data":
        return ""
    if session.editor is None:
        return t("app.choose_table")
    if step == "roles":
        return ""
    if step == "release":
        return "" if session.releases else t("release.no_release")
    return session.editor.problem


def state_of(job: Job | None) -> str:
    """Return the state of a job, read once: it may end while a page is written; empty where there is none."""
    return "" if job is None else job.state


def show(session: Session, template: str, **values: Any) -> Markup:
    """Return what a template of the app makes of values.

    Besides them it has the session, its texts ``t``, and what speaks its language: ``say`` for sentences of the
    library, ``words`` for words of it that stand in text alone, ``told`` for sentences of either, and ``table``.
    """
    t = session.texts
    return render(
        f"app/{template}",
        session=session,
        t=t,
        say=t.say,
        words=t.words,
        told=t.told,
        table=t.table,
        closed=partial(why_closed, session),
        manual_pages=manual.PAGE_OF,
        manual_titles=manual.names(),
        steps=STEPS,
        languages=LANGUAGES,
        **values,
    )


def page(session: Session, step: str, template: str, **values: Any) -> Markup:
    """Return a whole page: a template that extends ``layout.html``."""
    return show(session, template, step=step, message=session.take_message(), **values)


def help_page(session: Session) -> Markup:
    """Return the help."""
    return page(session, "help", "help.html", terms=_TERMS, has_documentation=bool(manual.names()))


def manual_page(session: Session, name: str) -> Markup:
    """Return a page of the documentation, and the way to the others."""
    return page(session, "help", "manual.html", article=manual.body(name), titles=manual.names(), current=name)
