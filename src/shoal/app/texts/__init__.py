"""What the pages say, by language: one file each, with the same keys; and the library's sentences in that language.

The library speaks English. Its sentences are patterns with names and numbers in them; ``library_de.toml`` has the
German pattern of each that the pages show. What has none stays English, and pages mark it as such.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from shoal.report.markup import Markup, fill, join, table

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

    def say(self, text: str) -> Markup:
        """Return a text of the library in the language, as a whole or sentence by sentence.

        What the language does not have says that it is English (WCAG 2.2, 3.1.2).
        """
        if self.language == "en" or not text:
            return join([text])
        if (translation := translated(self.language, text)) is not None:
            return join([translation])
        sentences = text.replace("? ", "?\0").replace(". ", ".\0").split("\0")
        pairs = [(sentence, translated(self.language, sentence)) for sentence in sentences]
        return Markup(" ").join(
            fill('<span lang="en">{}</span>', english) if other is None else join([other]) for english, other in pairs
        )

    def words(self, text: str) -> str:
        """Return words of the library for places that hold text alone, in the language where it has them."""
        return translated(self.language, text) or text

    def told(self, sentence: str) -> str:
        """Return a sentence of the pages as it is, and one of the library in the language."""
        return sentence if self.has(sentence) else self.say(sentence)

    def table(self, *content: Any, label: str = "", **style: Any) -> Markup:
        """Return a table as of `shoal.report.markup.table`, named in the language for those who hear it."""
        return table(*content, label=label or self("app.table"), **style)

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


_PLACE = re.compile(r"\{(\w+)\}")
_LIST, _WORDS = "list", "words"
"""Places that begin so hold names with a word before the last of them; or words that are translated themselves."""

_LINKS = {"de": {" and ": " und ", " or ": " oder "}}
_JOINTS = {"; ": re.compile(r"; "), ", ": re.compile(r", (?![^(]*\))")}  # outside of brackets


def translated(language: str, sentence: str) -> str | None:
    """Return a sentence of the library in a language; None where it is not known there.

    Examples
    --------
    >>> translated("de", "linkage by distance")
    'Verknüpfung nach Abstand'
    >>> translated("de", "nobody ever wrote this") is None
    True
    """
    return None if language == "en" else _translated(language, sentence.replace("\N{NO-BREAK SPACE}", " "))


@lru_cache(maxsize=4096)
def _translated(language: str, sentence: str) -> str | None:
    for pattern, other in _patterns(language):
        match = pattern.fullmatch(sentence)
        values = None if match is None else _values(language, match.groupdict())
        if values is not None:
            return other.format(**values)
    return _piece_by_piece(language, sentence)


def _values(language: str, places: dict[str, str]) -> dict[str, str] | None:
    """Return what stands in the places, in the language; None where words of it are not known there."""
    values = dict(places)
    for name, text in places.items():
        if name.startswith(_WORDS):
            inner = _translated(language, text)
            if inner is None:
                return None
            values[name] = inner
        elif name.startswith(_LIST):
            for link, translation in _LINKS[language].items():
                values[name] = values[name].replace(link, translation)
    return values


def _piece_by_piece(language: str, sentence: str) -> str | None:
    """Translate what the library has put together from pieces, if every piece is known."""
    for joint, pattern in _JOINTS.items():
        pieces = pattern.split(sentence)
        if len(pieces) > 1:
            translations = [_translated(language, piece) for piece in pieces]
            if None not in translations:
                return joint.join(piece for piece in translations if piece is not None)
    return None


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    text = files("shoal.app.texts").joinpath(f"library_{language}.toml").read_text(encoding="utf-8")
    pairs = tomllib.loads(text)["sentences"].items()
    return tuple((pattern_of(english), other) for english, other in pairs)


def pattern_of(sentence: str, *, anything: bool = False) -> re.Pattern[str]:
    """Return what matches a sentence with values in its places, each by the name of its place.

    Values are names and numbers: pieces of a sentence, which marks and brackets part, are none. Words may be anything,
    and so may values be where nothing is put together from pieces (``anything``).
    """
    parts, names = [], set()
    for place, part in enumerate(_PLACE.split(sentence)):
        if place % 2 == 0:
            parts.append(re.escape(part))
            continue
        value = ".+?" if anything or part.startswith(_WORDS) else r"(?:(?!\. )[^;()])+?"
        parts.append(f"(?P={part})" if part in names else f"(?P<{part}>{value})")
        names.add(part)
    return re.compile("".join(parts), re.DOTALL)
