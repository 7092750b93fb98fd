"""The exceptions of shoal.

    ShoalError
    ├── PlanError        the plan or an option is wrong              exit code 2
    ├── DataError        the table cannot be read or breaks the plan  exit code 2
    ├── OutputError      the release cannot be written                exit code 2
    └── GuaranteeError   what was asked cannot be guaranteed          exit code 3

A message is one sentence that names the column or option, the rule and the value, then a hint. It never carries
a value of a record, nor the password of an address: messages end up in logs.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence


class ShoalError(Exception):
    """Whatever shoal raises on purpose.

    Its message shows no credentials, whoever wrote them where a name belongs, and of names without end their two ends.
    """

    exit_code = 1

    def __init__(self, *details: object) -> None:
        super().__init__(*(shortened(without_credentials(each)) if isinstance(each, str) else each for each in details))


class PlanError(ShoalError, ValueError):
    """The plan or an option is wrong.

    ``field`` is the path of the field whose value is wrong by itself, such as ``closeness.t``; empty where values are
    wrong beside others.
    """

    exit_code = 2

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class DataError(ShoalError, ValueError):
    """The table cannot be read, or does not fit the plan."""

    exit_code = 2


class OutputError(ShoalError):
    """A file cannot be written; nothing is left of it."""

    exit_code = 2


class GuaranteeError(ShoalError):
    """What was asked cannot be guaranteed; nothing is released.

    ``reached`` is the best value that could be had (a t, a k), or None where there is none to tell.
    """

    exit_code = 3

    def __init__(self, message: str, *, reached: float | None = None) -> None:
        super().__init__(message)
        self.reached = reached


def counted(count: int, thing: str) -> str:
    """Return a number of things in words: one of them, or several.

    >>> counted(1, "value"), counted(1200, "value"), counted(2, "category")
    ('1 value', '1200 values', '2 categories')
    """
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") else f"{count} {thing}s"


def it_or_them(count: int) -> str:
    """Return the word for things that were counted: it, or them."""
    return "it" if count == 1 else "them"


def type_in_words(value: object) -> str:
    """Return what a value of a record is, as people say it who have never seen Python.

    >>> type_in_words("x"), type_in_words(True), type_in_words({}), type_in_words(1.5)
    ('text', 'true or false', 'an object', 'a number')
    """
    for kinds, words in _TYPES:
        if isinstance(value, kinds):
            return words
    return f"of type {type(value).__name__}"


_TYPES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str,), "text"),
    ((bool,), "true or false"),
    ((int, float), "a number"),
    ((Mapping,), "an object"),
    ((list, tuple, set), "a list"),
)


def sentence(words: str) -> str:
    """Return words as a sentence begins: with a capital, but for a symbol such as k, which would be another one.

    >>> sentence("every group is close"), sentence("k is not guaranteed")
    ('Every group is close', 'k is not guaranteed')
    """
    return words if words[1:2] == " " and words[0] != "a" else f"{words[:1].upper()}{words[1:]}"


def printable(text: str) -> str:
    r"""Return a name as it may stand in a line: what moves a cursor, ends a line or turns it around is escaped.

    Names come from files, and a terminal obeys them: an escape code can hide a line, colour it, or write another.

    >>> printable("pay\x1b[2K"), printable("naïve name"), printable("a\nb")
    ('pay\\x1b[2K', 'naïve name', 'a\\nb')
    """
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape", "surrogatepass").decode("ascii") if is_control(letter) else letter
        for letter in text
    )


def require_unicode(option: str, text: str) -> None:
    """Refuse an argument with bytes that are no text, which Python keeps as halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PlanError(f"{option} has bytes that are no UTF-8: write it as text") from None


def shortened(text: str) -> str:
    """Return a text in which words of more than 200 characters have but their beginnings and their ends.

    >>> shortened("column 'xxx'"), len(shortened("x" * 100_000))
    ("column 'xxx'", 161)
    """
    return _LONG.sub(lambda word: f"{word.group()[:120]}…{word.group()[-40:]}", text)


def without_credentials(text: str) -> str:
    """Return a text in which addresses are without the user and the password before the host, and those among options.

    A password may hold anything, also what ought to be escaped: all up to the last ``@`` of the line goes.

    >>> without_credentials("the plan 'postgresql://ann:secret@db.example.org/clinic' does not exist")
    "the plan 'postgresql://…@db.example.org/clinic' does not exist"
    >>> without_credentials("kafka://broker:9092/visits?sasl.password=secret&group=a")
    'kafka://broker:9092/visits?sasl.password=…&group=a'
    """
    return _PASSWORD.sub(r"\1=…", "\n".join(map(_without_user, text.split("\n"))))


def _without_user(line: str) -> str:
    user, at, host = line.rpartition("@")
    scheme = _SCHEME.search(user) if at else None
    return line if scheme is None else f"{user[: scheme.end()]}…@{host}"


# A name in a message may have a million letters: each of them looks at every letter a few times at most.
# One slash is left of two where a name went through Path; a single letter before them is a drive, and a bracket after
# them the grammar of an address, which names no user.
_SCHEME = re.compile(r"[\w+.-]{2}:/{1,2}+(?!\[USER)")
_LONG = re.compile(r"\S{201,}")
_PASSWORD = re.compile(r"(password|passwd|pwd|secret|token)=[^&\s'\"]+", re.IGNORECASE)


def is_control(letter: str) -> bool:
    """Whether a terminal obeys a character, or a line ends or turns around at it."""
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") or letter in _TURNS


_TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that turn the direction of the text around them."""


def missing_library(*names: str) -> str | None:
    """Return the first of some libraries that is not installed, as people install it; None where all of them are.

    >>> missing_library("numpy"), missing_library("numpy", "no_such_library")
    (None, 'no_such_library')
    """
    absent = [name for name in names if importlib.util.find_spec(name) is None]
    return {"sklearn": "scikit-learn"}.get(absent[0], absent[0]) if absent else None


def nearest(word: str, choices: Iterable[object]) -> str:
    """Return a hint that names the choice nearest to a misspelt one, to end a message with."""
    names = [str(name) for name in choices]
    for name in names:
        if name != word and unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", str(word)):
            return f"; did you mean {name!r}, which looks the same but is other characters of Unicode (NFC and NFD)?"
    matches = difflib.get_close_matches(str(word), names, n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def listed(names: Sequence[str]) -> str:
    """Name columns, the first few where they are many."""
    shown = ", ".join(repr(name) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown
