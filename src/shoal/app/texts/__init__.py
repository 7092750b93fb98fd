"""What the pages say, by language: one file each, with the same keys."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from shoal.app.texts.library import pattern_of

LANGUAGES = {"en": "English", "de": "Deutsch"}


class Texts:
    """The sentences of a language, by key: ``texts("data.rows", rows=5)``."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._flat = flat_texts(language)
        self._patterns = [pattern_of(text, anything=True) for text in self._flat.values()]

    def __call__(self, key: str, **values: Any) -> str:
        """Return a text with values in it."""
        text = self._flat[key]
        return text.format(**values) if values else text

    def has(self, text: str) -> bool:
        """Whether this is a text of the language, with whatever values in it."""
        return any(pattern.fullmatch(text) for pattern in self._patterns)

    def known(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self._flat


@cache
def texts_of(language: str) -> Texts:
    """Return the texts of a language; English where it is not known."""
    return Texts(language if language in LANGUAGES else "en")


@cache
def flat_texts(language: str) -> dict[str, str]:
    """Return the texts of a file by their keys, ``page.key``."""
    content = tomllib.loads(files("shoal.app.texts").joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{page}.{key}": text for page, entries in content.items() for key, text in entries.items()}
