"""The step Data: which table, how it is written, what is in it."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.pages.layout import page, show, state_of
from shoal.errors import DataError
from shoal.files import format_titles
from shoal.files.csv_format import CSV
from shoal.files.registry import format_of
from shoal.report.markup import Markup
from shoal.report.wording import number

_LIKE_DATA = re.compile(r"[-+]?[\d.,]+|\d{4}-\d\d-\d\d|")

ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso-8859-15", "cp1250", "cp850", "mac-roman")
"""What can be chosen where an encoding was found wrongly: of the web, of Windows, and of older systems."""


def data_page(session: Session) -> Markup:
    """Return the step."""
    return page(session, "data", "step.html", part=overview_part(session))


def overview_part(session: Session) -> Markup:
    """Return what is seen of the table, that it is being read, or what can be chosen."""
    state = state_of(session.overview_job)
    values: dict[str, Any] = {"marks": [], "dialect_choices": [], "facts": [], "odd_names": []}
    if state == "done":
        values |= _facts(session)
    if state == "done" or (state == "failed" and _is_text(session)):
        values |= _dialect(session)
    return show(session, "data.html", state=state, formats=format_titles(), **values)


def _facts(session: Session) -> dict[str, Any]:
    t, overview = session.texts, session.overview
    names = [column.name.strip() for column in overview.columns]
    return {
        "facts": [
            (t("data.rows"), number(overview.rows)),
            (t("data.columns"), number(len(overview.columns))),
            (t("data.gaps"), number(sum(column.gaps for column in overview.columns))),
            (t("data.format"), overview.format),
        ],
        "odd_names": [name or "–" for name in names if _LIKE_DATA.fullmatch(name)],
    }


def _dialect(session: Session) -> dict[str, Any]:
    """Return how a file of text is written, as it was found or not, and what else can be chosen."""
    t, source = session.texts, session.source
    assert source is not None
    dialect = dict(session.overview.dialect) if session.overview is not None else {}
    options = {
        "delimiter": [(",", ","), (";", ";"), ("\t", "tab"), ("|", "|")],
        "decimal": [(".", "."), (",", ",")],
        "encoding": [(name, name) for name in ENCODINGS],
    }
    found = {name: f"{dialect[name]} ({t('data.found')})" if dialect else t("data.unfound") for name in options}
    choices = [
        (name, [("", found[name]), *others], getattr(source.written, name) or "") for name, others in options.items()
    ]
    # A point alone is no word.
    marks = dialect | ({"decimal": t("data.point" if dialect["decimal"] == "." else "data.comma")} if dialect else {})
    return {"marks": list(marks.values()), "dialect_choices": choices}


def _is_text(session: Session) -> bool:
    """Whether the file is one of text: perhaps its marks were found wrongly, and can be set by hand."""
    try:
        return session.source is not None and format_of(PurePath(session.source.path)) is CSV
    except DataError:
        return False
