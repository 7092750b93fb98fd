"""What all pages share: the language of the session, which steps are open, and how a template becomes a page."""

from __future__ import annotations

from functools import partial
from typing import Any

from shoal.app import manual
from shoal.app.browser_session import Session
from shoal.app.texts import LANGUAGES, Texts, texts_of, translated
from shoal.app.worker import Job
from shoal.report.markup import Markup, join, render, table

STEPS = ("data", "roles", "protect", "compare", "run", "release")

_TERMS = ("roles", "k", "t", "l", "micro", "risk", "audit", "privacy", "keys")
"""What the help explains."""


def texts(session: Session) -> Texts:
    """Return the texts in the language of the session."""
    return texts_of(session.language)


def localized(session: Session, text: str) -> Markup:
    """Return a text of the library in the language of the session, as a whole or sentence by sentence.

    What the language does not have says that it is English (WCAG 2.2, 3.1.2).
    """
    if session.language == "en" or not text:
        return join([text])
    translation = translated(session.language, text)
    if translation is not None:
        return join([translation])
    parts: list[str | Markup] = []
    for sentence in text.replace("? ", "?\0").replace(". ", ".\0").split("\0"):
        translation = translated(session.language, sentence)
        parts += [" "] if parts else []
        parts.append(
            Markup('<span lang="en">{}</span>').format(join([sentence])) if translation is None else translation
        )
    return join(parts)


def localized_text(session: Session, words: str) -> str:
    """Return words for places that hold text alone, in the language of the session where it has them."""
    return translated(session.language, words) or words


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


def state_of(job: Job | None) -> str:
    """Return the state of a job, read once: it may end while a page is written; empty where there is none."""
    return "" if job is None else job.state


def show(session: Session, template: str, **values: Any) -> Markup:
    """Return what a template of the app makes of values.

    Besides them it has the session, its texts ``t``, and what speaks its language: ``say`` for sentences of the
    library, ``words`` for words of it that stand in text alone, ``told`` for sentences of either, and ``table``.
    """
    t = texts(session)
    say = partial(localized, session)
    return render(
        f"app/{template}",
        session=session,
        t=t,
        say=say,
        words=partial(localized_text, session),
        told=lambda sentence: sentence if t.has(sentence) else say(sentence),
        table=partial(session_table, session),
        closed=partial(why_closed, session),
        documentation=manual.page_of_step,
        steps=STEPS,
        languages=LANGUAGES,
        **values,
    )


def page(session: Session, step: str, template: str, **values: Any) -> Markup:
    """Return a whole page: a template that extends ``layout.html``."""
    return show(session, template, step=step, message=session.take_message(), **values)


def header(session: Session, current: str) -> Markup:
    """Return the head of a page alone."""
    return show(session, "header.html", step=current)


def problem(session: Session, sentence: str) -> Markup:
    """Return a sentence about what is wrong, of the pages or of the library."""
    return show(session, "problem.html", sentence=sentence)


def session_table(session: Session, *content: Any, label: str = "", **style: Any) -> Markup:
    """Return a table as of `shoal.report.markup.table`, named in the language of the session for those who hear it."""
    return table(*content, label=label or texts(session)("app.table"), **style)


def help_page(session: Session) -> Markup:
    """Return the help."""
    return page(session, "help", "help.html", terms=_TERMS, has_documentation=bool(manual.names()))


def manual_page(session: Session, name: str) -> Markup:
    """Return a page of the documentation, and the way to the others."""
    return page(session, "help", "manual.html", article=manual.body(name), titles=manual.names(), current=name)
