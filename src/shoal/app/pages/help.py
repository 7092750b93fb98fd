"""The help that is served along: the terms of the field in plain words, and the pages of the documentation."""

from __future__ import annotations

from shoal.app import manual
from shoal.app.pages.layout import page
from shoal.app.session import Session
from shoal.report.markup import Markup

_TERMS = ("roles", "k", "t", "l", "micro", "risk", "audit", "privacy", "keys")


def help_page(session: Session) -> Markup:
    """Return the help."""
    return page(session, "help", "help.html", terms=_TERMS, has_documentation=bool(manual.names()))


def manual_page(session: Session, name: str) -> Markup:
    """Return a page of the documentation, and the way to the others."""
    return page(session, "help", "manual.html", article=manual.body(name), titles=manual.names(), current=name)
