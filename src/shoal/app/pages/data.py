"""The step Data: which table, how it is written, what is in it."""

from __future__ import annotations

import re
from pathlib import PurePath

from shoal.app.html import button, field, form, h, hidden, select
from shoal.app.pages.layout import heading, not_done, onward, original, page, polled, problem, texts, under_way
from shoal.app.pages.tables import table
from shoal.app.session import Session
from shoal.app.texts import Texts
from shoal.errors import DataError
from shoal.files import format_titles
from shoal.files.csv.format import CSV
from shoal.files.formats import format_of
from shoal.report.markup import Markup
from shoal.report.wording import number

_LIKE_DATA = re.compile(r"[-+]?[\d.,]+|\d{4}-\d\d-\d\d|")

ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso-8859-15", "cp1250", "cp850", "mac-roman")
"""What can be chosen where an encoding was found wrongly: of the web, of Windows, and of older systems."""


def data_page(session: Session) -> str:
    """Return the step."""
    return page(session, "data", heading(session, "data"), look_part(session))


def _failed_text(session: Session) -> bool:
    """Whether a file of text could not be read: perhaps its marks were found wrongly, and can be set by hand."""
    source, job = session.source, session.overview_job
    if source is None or job is None or job.state != "failed":
        return False
    try:
        return format_of(PurePath(source.path)) is CSV
    except DataError:
        return False


def look_part(session: Session) -> Markup:
    """Return what is seen of the table, that it is being read, or what can be chosen."""
    job = session.overview_job
    if job is None:
        return polled("look", "/data/look", _choose(session), again=False)
    if job.running:
        return polled("look", "/data/look", under_way(session, job, cancel="/data/cancel"), again=True)
    if job.state != "done":
        marks = _written(session) if _failed_text(session) else None
        return polled("look", "/data/look", not_done(session, job), marks, _choose(session), again=False)
    return polled("look", "/data/look", *_seen(session), again=False)


def _choose(session: Session) -> Markup:
    t = texts(session)
    drop = h(
        "div",
        h("p", t("data.drop"), " ", h("label", t("data.browse"), for_="upload", class_="button primary")),
        h("input", type="file", id="upload", data_upload="/data/upload", class_="file", aria_describedby="formats"),
        h(
            "p",
            t("data.formats", formats=format_titles(), size=number(session.most_upload // 1_000_000)),
            class_="note",
            id="formats",
        ),
        h("progress", max="100", value="0", class_="uploading", hidden=True, aria_label=t("app.working")),
        class_="drop",
        data_drop="/data/upload",
    )
    offered = session.offered.files()
    listed = [
        h(
            "li",
            form(
                "/data/choose",
                hidden("name", file.name),
                h("span", file.name, " ", h("small", f"{number(file.size / 1e6)} MB")),
                button(t("data.open"), aria_label=f"{t('data.open')}: {file.name}"),
                class_="line",
            ),
        )
        for file in offered
    ]
    folder = [h("h2", t("data.folder")), h("p", t("data.folder_hint"), class_="note"), h("ul", *listed, class_="files")]
    demo = form("/data/demo", button(t("data.demo")), " ", h("span", t("data.demo_hint"), class_="note"))
    return h("section", drop, *(folder if offered else []), h("div", demo, class_="demo"))


def _seen(session: Session) -> list[Markup]:
    t, look = texts(session), session.overview
    gaps = sum(column.gaps for column in look.columns)
    facts = [
        (t("data.rows"), number(look.rows)),
        (t("data.columns"), number(len(look.columns))),
        (t("data.gaps"), number(gaps)),
        (t("data.format"), look.format),
    ]
    names = [column.name for column in look.columns]
    odd = [name.strip() or "–" for name in names if _LIKE_DATA.fullmatch(name.strip())]
    return [
        h("h2", look.name),
        h("dl", *(h("div", h("dt", name), h("dd", value)) for name, value in facts), class_="facts"),
        problem(session, t("data.header_caution", names=", ".join(odd[:5]))) if odd else Markup(),
        onward(session, "roles"),
        h("h2", t("data.preview")),
        h("p", t("data.preview_hint"), class_="note"),
        table(
            session,
            names,
            [[h("span", cell) for cell in row] for row in look.preview],
            class_="preview",
            label=t("data.preview"),
        ),
        _written(session) if look.dialect else Markup(),
        original(session) or Markup(),
        form("/data/another", button(t("data.another"))),
    ]


def _spoken(t: Texts, mark: str, words: str) -> str:
    """Return a mark as it is read among others: a point alone is no word."""
    return t("data.point" if words == "." else "data.comma") if mark == "decimal" else words


def _written(session: Session) -> Markup:
    """Return how the file is written, as it was found or not, and the fields that say otherwise."""
    t, source = texts(session), session.source
    assert source is not None
    found = dict(session.overview.dialect) if session.overview is not None else {}
    marks_found = ": " + ", ".join(_spoken(t, mark, words) for mark, words in found.items()) if found else ""

    def by_itself(mark: str) -> tuple[str, str]:
        return ("", f"{found[mark]} ({t('data.found')})" if found else t("data.unfound"))

    marks = [by_itself("delimiter"), (",", ","), (";", ";"), ("\t", "tab"), ("|", "|")]
    decimals = [by_itself("decimal"), (".", "."), (",", ",")]
    encodings = [by_itself("encoding"), *((name, name) for name in ENCODINGS)]
    return h(
        "details",
        h("summary", t("data.written"), marks_found),
        form(
            "/data/read",
            field(t("data.delimiter"), select("delimiter", marks, source.delimiter or "")),
            field(t("data.decimal"), select("decimal", decimals, source.decimal or "")),
            field(t("data.encoding"), select("encoding", encodings, source.encoding or "")),
            field(
                t("data.missing"),
                h("input", name="missing", value=", ".join(source.missing), autocomplete="off"),
                hint=t("data.missing_hint"),
            ),
            button(t("data.reread")),
            class_="grid",
        ),
        field(
            t("data.codebook"),
            h("input", type="file", data_upload="/data/codebook", accept=".csv"),
            hint=t("data.codebook_hint"),
        ),
        id="written",
        open=not found,
    )
