"""Sentences of the library in another language: by their pattern, with the values in them as they are.

The library speaks English. Its sentences are patterns with names and numbers in them; ``library_de.toml`` has the
German pattern of each that the pages show. What has none stays English, and pages mark it as such.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

_PLACE = re.compile(r"\{(\w+)\}")
_LIST = "list"
"""Places that begin with this hold names with commas and a word before the last, which is translated too."""

_WORDS = {"de": {" and ": " und ", " or ": " oder "}}


def translated(language: str, sentence: str) -> str | None:
    """Return a sentence of the library in a language; None where it is not known there.

    Examples
    --------
    >>> translated("de", "linkage by distance")
    'Verknüpfung nach Abstand'
    >>> translated("de", "nobody ever wrote this") is None
    True
    """
    return None if language == "en" else _translated(language, sentence)


@lru_cache(maxsize=4096)
def _translated(language: str, sentence: str) -> str | None:
    for pattern, other in _patterns(language):
        found = pattern.fullmatch(sentence)
        if found is not None:
            values = found.groupdict()
            for name in values:
                if name.startswith(_LIST):
                    for word, there in _WORDS[language].items():
                        values[name] = values[name].replace(word, there)
            return other.format(**values)
    return None


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    text = files("shoal.app.texts").joinpath(f"library_{language}.toml").read_text(encoding="utf-8")
    pairs = tomllib.loads(text)["sentences"].items()
    return tuple((pattern_of(english), other) for english, other in pairs)


def pattern_of(english: str) -> re.Pattern[str]:
    """Return what matches a sentence with values in its places, each by the name of its place."""
    parts, seen = _PLACE.split(english), set()
    words = []
    for i, part in enumerate(parts):
        words.append(re.escape(part) if i % 2 == 0 else f"(?P={part})" if part in seen else f"(?P<{part}>.+?)")
        seen.update([part] if i % 2 else [])
    return re.compile("".join(words), re.DOTALL)
