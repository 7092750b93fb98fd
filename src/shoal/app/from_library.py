"""Sentences of the library on a page of another language: translated, or marked as the English that they are."""

from __future__ import annotations

from shoal.app.html import h
from shoal.app.session import Session
from shoal.app.texts.library import translated
from shoal.report.markup import Markup, join


def localized(session: Session, text: str) -> Markup:
    """Return a text of the library in the language of the session, as a whole or sentence by sentence.

    What the language does not have says that it is English (WCAG 2.2, 3.1.2).
    """
    if session.language == "en" or not text:
        return join([text])
    whole = translated(session.language, text)
    if whole is not None:
        return join([whole])
    parts: list[str | Markup] = []
    for sentence in text.replace("? ", "?\0").replace(". ", ".\0").split("\0"):
        other = translated(session.language, sentence)
        parts += [" "] if parts else []
        parts.append(h("span", sentence, lang="en") if other is None else other)
    return join(parts)


def localized_text(session: Session, words: str) -> str:
    """Return words for places that hold text alone, in the language of the session where it has them."""
    return translated(session.language, words) or words
