"""The step Release: the files, how to repeat them, the signature, and the history of what was tried."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from shoal.app.html import button, form, h, hidden
from shoal.app.pages.layout import heading, original, page, texts
from shoal.app.pages.tables import table
from shoal.app.results import ROW_MAP, ReleaseRecord
from shoal.app.session import Session
from shoal.app.tasks.release import QUICKLY
from shoal.app.texts import Texts
from shoal.plan.keys import UNREFINED
from shoal.report.markup import Markup
from shoal.report.wording import number, spoken


def release_page(session: Session) -> str:
    """Return the step."""
    made = session.releases[-1]
    return page(
        session,
        "release",
        heading(session, "release"),
        _files(session, made),
        _beside(session, made),
        _repeat(session, made),
        _sign(session, made),
        _history(session),
    )


def describe(t: Texts, name: str, release: str) -> str:
    """Say what a file of a release is."""
    if name == release:
        return t("release.file_release")
    stem = Path(name).stem.replace("-", "_")
    key = f"release.file_{stem}"
    return t(key) if t.known(key) else ""


def _files(session: Session, made: ReleaseRecord) -> Markup:
    t = texts(session)
    names = [(name, made.given_name(name)) for name in made.file_names]
    rows = [
        (
            called,
            describe(t, name, made.outcome.release),
            h(
                "a",
                t("release.download"),
                href=f"/release/file/{made.number}/{place}",
                download=called,
                class_="button",
                aria_label=f"{t('release.download')}: {called}",
            ),
        )
        for place, (name, called) in enumerate(names)
    ]
    asked = form(
        "/release/row-map",
        hidden("release", made.number),
        h(
            "label",
            h("input", type="checkbox", name="row_map", checked=made.row_map, data_submit=True, id="with-row-map"),
            " ",
            t("release.with_row_map"),
            " ",
            h("small", "--row-map"),
            h("span", t("release.with_row_map_hint"), class_="hint"),
            class_="tick",
        ),
        h("noscript", button(t("app.apply"))),
    )
    head = (t("release.files"), t("release.what"), "")
    return h("section", h("h2", t("release.files")), table(session, head, rows, class_="made"), asked)


def _beside(session: Session, made: ReleaseRecord) -> Markup:
    t = texts(session)
    if session.data_folder is None:
        return Markup()
    return h(
        "section",
        h("h2", t("release.beside")),
        h("p", t("release.beside_hint", folder=str(session.data_folder)), class_="note"),
        form("/release/write", hidden("release", made.number), button(t("release.beside"))),
    )


def command(session: Session, made: ReleaseRecord) -> str:
    """Return the command that repeats a release."""
    source = session.source
    assert source is not None
    plan, report = made.given_name("plan.toml"), made.given_name("report.html")
    name = Path(source.path).name
    data = f"./{name}" if name.startswith("-") else name  # or it would be read as an option
    words = ["shoal", "anonymize", data, "--plan", plan, "-o", made.outcome.release]
    for option in ("delimiter", "decimal", "encoding"):
        value = getattr(source, option)
        if value is not None:
            words += [f"--{option}", value]
    if source.codebook is not None:
        words += ["--codebook", Path(source.codebook).name]
    for text in source.missing:
        words += ["--missing-value", text]
    words += ["--escape-formulas"] if made.escaped else []
    words += [] if made.attacks == QUICKLY else ["--attacks", made.attacks]
    words += ["--row-map", made.given_name(ROW_MAP)] if made.row_map else []
    return shlex.join([*words, "--report", report])


def python_lines(session: Session, made: ReleaseRecord) -> str:
    """Return the lines of Python that repeat a release."""
    source = session.source
    assert source is not None
    how = {key: getattr(source, key) for key in ("delimiter", "decimal", "encoding") if getattr(source, key)}
    how |= {"missing": source.missing} if source.missing else {}
    how |= {"codebook": Path(source.codebook).name} if source.codebook is not None else {}
    arguments = "".join(f", {key}={value!r}" for key, value in how.items())
    escape = ", escape_formulas=True" if made.escaped else ""
    return "\n".join(
        [
            "import shoal",
            f"plan = shoal.Plan.load({made.given_name('plan.toml')!r})",
            f"data = shoal.run.source(shoal.files.read({Path(source.path).name!r}{arguments}), plan)",
            "release = shoal.anonymize(data.frame, plan)",
            f"shoal.files.write(release.data, {made.outcome.release!r}, like=data.take(release.rows){escape})",
        ]
    )


def _repeat(session: Session, made: ReleaseRecord) -> Markup:
    t = texts(session)
    return h(
        "section",
        h("h2", t("release.repeat")),
        h("p", t("release.repeat_hint"), class_="note"),
        original(session),
        h("h3", t("release.command")),
        h("pre", command(session, made), tabindex="0", id="command"),
        h("h3", t("release.python")),
        h("pre", python_lines(session, made), tabindex="0", id="python"),
    )


def _sign(session: Session, made: ReleaseRecord) -> Markup:
    t = texts(session)
    signed = made.signed_by
    return h(
        "section",
        h("h2", t("release.sign")),
        h("p", t("release.sign_hint"), class_="note"),
        h("p", t("release.signed", signer=signed), role="status", id="signed") if signed else None,
        h(
            "label",
            h("span", t("release.sign_file"), class_="label"),
            h("input", type="file", accept=".pem", data_upload=f"/release/sign?release={made.number}"),
            class_="field",
        ),
    )


def _lost(made: ReleaseRecord) -> str:
    """Return the information lost, as page one has it."""
    value = made.outcome.summary.kept[0].value
    return "–" if value is None else f"{value:.1f}"


def _history(session: Session) -> Markup:
    t, editor = texts(session), session.require_editor()
    rows: list[Any] = []
    for place, version in reversed(list(enumerate(editor.versions))):
        words = {"proposed": t("release.proposed"), "plan file": t("release.plan_file")}.get(
            version.words, version.words
        )
        back = (
            h("strong", t("release.current"))
            if place == editor.position
            else form(
                "/history/restore",
                hidden("version", str(place)),
                button(t("release.restore"), aria_label=f"{t('release.restore')}: {place + 1}"),
            )
        )
        note = form(
            "/history/note",
            hidden("version", str(place)),
            h(
                "input",
                name="note",
                value=version.note,
                aria_label=f"{t('release.note')} {place + 1}",
                autocomplete="off",
                data_submit=True,
                id=f"note-{place}",
            ),
            h("noscript", button(t("app.save"))),
        )
        rows.append((str(place + 1), f"{version.made:%H:%M:%S}", words, note, back))
    head = (t("release.version"), t("release.when"), t("release.what_changed"), t("release.note"), "")
    made = [
        (
            f"{one.time:%H:%M:%S}",
            ", ".join(f"{spoken(g['name'])} = {number(g['achieved'])}" for g in one.outcome.guarantees),
            t(f"protect.refine_{one.values.get('refine', UNREFINED)}"),
            _lost(one),
            f"{one.seconds:.1f} s",
        )
        for one in reversed(session.releases)
    ]
    return h(
        "section",
        h("h2", t("release.releases")),
        table(
            session,
            (t("release.when"), t("release.result"), t("protect.refine_term"), t("compare.il_percent"), ""),
            made,
        ),
        h("h2", t("release.history")),
        table(session, head, rows, class_="made"),
    )
