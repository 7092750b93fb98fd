"""The step Roles: what each column is, who stands out by it, and what else would give people away."""

from __future__ import annotations

from typing import Any

from shoal.app.browser_session import Session
from shoal.app.pages.layout import page, show, state_of
from shoal.app.texts import Texts
from shoal.kinds.taxonomy import Taxonomy
from shoal.options import UNDECIDED
from shoal.report.markup import Markup
from shoal.report.wording import number

ROLES = ("identifier", "quasi_identifier", "confidential", "other")
KINDS = ("numeric", "ordinal", "nominal", "date", "place", "cyclic")

_MOST_NAMED = 10
"""Columns that a sentence names."""


def roles_page(session: Session) -> Markup:
    """Return the step."""
    t = session.texts
    return page(
        session,
        "roles",
        "roles.html",
        undecided=_undecided_words(t, session.undecided) if session.undecided else "",
        columns=[_column(session, place) for place in range(len(session.overview.columns))],
        kinds=[("", t("roles.no_kind")), *((name, t(f"roles.{name}")) for name in KINDS)],
        options=_options(session),
        unique=unique_part(session),
        warnings=warnings_part(session),
    )


def _column(session: Session, place: int) -> dict[str, Any]:
    """Return what the page shows of a column, and what can be chosen of it."""
    t, names = session.texts, [column.name for column in session.overview.columns]
    seen = session.overview.columns[place]
    about: dict[str, Any] = session.require_editor().values["attributes"].get(seen.name, {})
    role, kind, tree = about.get("role", UNDECIDED), about.get("kind", ""), about.get("hierarchy")
    undecided = [(UNDECIDED, t("roles.undecided"))] if role == UNDECIDED else []
    return {
        "place": place,
        "seen": seen,
        "role": role,
        "roles": [*undecided, *((name, t(f"roles.{name}")) for name in ROLES)],
        "kind": kind,
        "order": [str(value) for value in about.get("order") or seen.categories] if kind == "ordinal" else [],
        "has_tree": kind == "nominal" and role == "quasi_identifier",
        "tree_height": 0 if tree is None else Taxonomy.of(tree).height,
        "period": f"{about['period']:g}" if about.get("period") else "",
        "latitude": about.get("latitude", ""),
        "longitude": str(names.index(about["longitude"])) if about.get("longitude") in names else "",
        "longitudes": [("", t("roles.choose")), *((str(i), name) for i, name in enumerate(names) if i != place)],
    }


def _options(session: Session) -> list[tuple[str, list[tuple[str, str]], str]]:
    """Return what a column can say for the whole table, as whom a record is about: key, choices, the chosen one."""
    t, values = session.texts, session.require_editor().values
    names = [column.name for column in session.overview.columns]
    columns = [(str(place), name) for place, name in enumerate(names)]
    options = []
    for key in ("subject", "weights", "by"):
        value = values.get(key)
        chosen = str(names.index(value)) if value in names else str(value or "")
        record = [("record", t("roles.subject_record"))] if key == "subject" else []
        options.append((key, [("", t("app.none")), *record, *columns], chosen))
    return options


def _undecided_words(t: Texts, undecided: list[str]) -> str:
    """Say whose role only a person can know; of many columns the first."""
    names = ", ".join(name.strip() or "–" for name in undecided[:_MOST_NAMED])
    if len(undecided) <= _MOST_NAMED:
        return t("roles.still", names=names)
    return t("roles.still_many", count=number(len(undecided)), names=names)


def unique_part(session: Session) -> Markup:
    """Return how many people stand out, or that it is being counted."""
    job = session.unique()
    state = state_of(job)
    pairs = [(" + ".join(pair), count) for pair, count in job.result.pairs] if state == "done" else []
    return show(session, "unique.html", job=job, state=state, pairs=pairs)


def warnings_part(session: Session) -> Markup:
    """Return what else would give people away by the plan so far, with the remedies."""
    job = session.preview() if session.require_editor().plan is not None else None
    return show(session, "warnings.html", job=job, state=state_of(job))
