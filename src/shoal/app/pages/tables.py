"""Tables of the pages: as in reports, with a name in the language of the session for those who hear them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.app.pages.layout import texts
from shoal.app.session import Session
from shoal.report import markup


def table(
    session: Session,
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    class_: str = "",
    right: Sequence[int] | None = None,
    label: str = "",
) -> markup.Markup:
    """Return a table that scrolls by itself where it is wider than the screen.

    Parameters
    ----------
    session
        Whose language names it.
    head, rows, class_, right
        As of `shoal.report.markup.table`.
    label
        Its name; that it is a table where none is given.
    """
    return markup.table(head, rows, class_=class_, right=right, label=label or texts(session)("app.table"))
