"""The step Release: the files, how to repeat them, the signature, and the history of what was tried."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.pages.layout import page
from shoal.app.results import ROW_MAP, ReleaseRecord
from shoal.app.tasks.bench import Source
from shoal.app.tasks.release_job import QUICKLY
from shoal.app.texts import Texts
from shoal.plan.plan_keys import UNREFINED
from shoal.report.markup import Markup
from shoal.report.wording import number


def release_page(session: Session) -> Markup:
    """Return the step."""
    t, release = session.texts, session.releases[-1]
    return page(
        session,
        "release",
        "release.html",
        release=release,
        files=[(release.given_name(name), _description(t, release, name)) for name in release.file_names],
        command=command(session, release),
        python=python_lines(session, release),
        releases=_releases(session),
        versions=session.require_editor().versions,
        origins={"proposed": t("release.proposed"), "plan file": t("release.plan_file")},
    )


def _description(t: Texts, release: ReleaseRecord, name: str) -> str:
    """Say what a file of a release is."""
    if name == release.outcome.release:
        return t("release.file_release")
    key = f"release.file_{Path(name).stem.replace('-', '_')}"
    return t(key) if t.known(key) else ""


def _releases(session: Session) -> Markup:
    """Return the table of what was released so far, the last one first."""
    t = session.texts
    rows = []
    for release in reversed(session.releases):
        reached = [f"{each.name} = {number(each.reached)}" for each in release.outcome.summary.promises]
        lost = release.outcome.summary.kept[0].value  # the information lost, as page one has it
        rows.append(
            (
                f"{release.time:%H:%M:%S}",
                ", ".join(reached),
                t(f"protect.refine_{release.values.get('refine', UNREFINED)}"),
                "–" if lost is None else f"{lost:.1f}",
                f"{release.seconds:.1f} s",
            )
        )
    head = (t("release.when"), t("release.result"), t("protect.refine_term"), t("compare.il_percent"), "")
    return t.table(head, rows)


def _reading(source: Source) -> dict[str, Any]:
    """Return how a table was read, but for what was left to be found."""
    how = {key: given for key, given in asdict(source.written).items() if given}
    return how | ({"codebook": Path(how["codebook"]).name} if "codebook" in how else {})


def command(session: Session, release: ReleaseRecord) -> str:
    """Return the command that repeats a release."""
    source = session.source
    assert source is not None
    plan, report = release.given_name("plan.toml"), release.given_name("report.html")
    name = Path(source.path).name
    data = f"./{name}" if name.startswith("-") else name  # or it would be read as an option
    words = ["shoal", "anonymize", data, "--plan", plan, "-o", release.outcome.release]
    how = _reading(source)
    for option in ("delimiter", "decimal", "encoding", "codebook"):
        words += [f"--{option}", how[option]] if option in how else []
    for text in source.written.missing:
        words += ["--missing-value", text]
    words += ["--escape-formulas"] if release.choices.escape_formulas else []
    words += [] if release.choices.attacks == QUICKLY else ["--attacks", release.choices.attacks]
    words += ["--row-map", release.given_name(ROW_MAP)] if release.row_map else []
    return shlex.join([*words, "--report", report])


def python_lines(session: Session, release: ReleaseRecord) -> str:
    """Return the lines of Python that repeat a release."""
    source = session.source
    assert source is not None
    arguments = "".join(f", {key}={value!r}" for key, value in _reading(source).items())
    escape = ", escape_formulas=True" if release.choices.escape_formulas else ""
    return "\n".join(
        [
            "import shoal",
            f"plan = shoal.Plan.load({release.given_name('plan.toml')!r})",
            f"data = shoal.run.parsed(shoal.files.read({Path(source.path).name!r}{arguments}), plan)",
            "release = shoal.anonymize(data.frame, plan)",
            f"shoal.files.write(release.data, {release.outcome.release!r}, like=data.take(release.rows){escape})",
        ]
    )
