"""The help that is served along: the terms of the field in plain words, and why each step is there."""

from __future__ import annotations

from shoal.app.html import h
from shoal.app.manual import names
from shoal.app.pages.layout import STEPS, more_about, page, texts
from shoal.app.session import Session

_TERMS = ("roles", "k", "t", "l", "micro", "risk", "audit", "privacy", "keys")


def help_page(session: Session) -> str:
    """Return the help."""
    t = texts(session)
    steps = [
        h("section", h("h2", t(f"step.{step}")), h("p", t(f"why.{step}"), " ", *more_about(t, step)[3:]), id=step)
        for step in STEPS
    ]
    docs = [h("p", h("a", t("help.docs"), href="/docs/index"), ". ", t("help.docs_language"))] if names() else []
    terms = [part for term in _TERMS for part in (h("dt", t(f"help.{term}_title")), h("dd", t(f"help.{term}_text")))]
    return page(
        session,
        "help",
        h("h1", t("help.heading")),
        h("p", t("help.intro"), class_="lead"),
        *docs,
        h("dl", *terms, class_="terms"),
        *steps,
    )
