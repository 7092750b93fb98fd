"""Sentences of the library on a page of another language: translated, or marked as the English that they are."""

from __future__ import annotations

from shoal.app.html import h
from shoal.app.pages.layout import texts
from shoal.app.session import Session
from shoal.app.texts.library import translated
from shoal.report.markup import Markup, join


def said(session: Session, *sentences: str) -> Markup:
    """Return sentences in the language of the session where it has them; the others say that they are English."""
    language = texts(session).language
    parts: list[str | Markup] = []
    for sentence in sentences:
        other = translated(language, sentence)
        if parts:
            parts.append(" ")
        if language == "en" or not sentence:
            parts.append(sentence)
        else:
            parts.append(other if other is not None else h("span", sentence, lang="en"))
    return join(parts)


def plainly(session: Session, words: str) -> str:
    """Return words for places that hold text alone, in the language of the session where it has them."""
    return translated(texts(session).language, words) or words
