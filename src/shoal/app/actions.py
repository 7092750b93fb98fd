"""What clicks do: each changes the session, and says which page comes next (the same one if it says nothing)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

from shoal.app import protect_actions, role_actions
from shoal.app.browser_session import Session
from shoal.app.form import Form
from shoal.app.pages.compare_page import TRIED
from shoal.app.results import ROW_MAP
from shoal.app.tasks.bench import Source
from shoal.app.tasks.release_job import ATTACKED, QUICKLY, ReleaseChoices
from shoal.app.texts import LANGUAGES
from shoal.comparison import parse_bounds, pick
from shoal.comparison.grid import candidates, chosen_plan
from shoal.errors import DataError, OutputError, PlanError, printable
from shoal.files import Outputs, TextOptions
from shoal.files.private import Privacy
from shoal.files.write_errors import write_errors_of
from shoal.plan import Plan
from shoal.plan.toml import parse_value

_FOR_OWNERS = ("manifest.json", "report-internal.html", "report-internal.json")
"""What tells of the original, as `shoal anonymize` and its reports keep it."""

Action = Callable[[Session, Form], str | None]


def choose(session: Session, form: Form) -> None:
    """Open a table of the folder that was offered, where it is."""
    path = session.offered.path_of(form.one("name"))
    session.load(Source(str(path)), data_folder=path.parent)


def read_again(session: Session, form: Form) -> None:
    """Read the table with other marks than those that were found."""
    if session.source is None:
        raise DataError("choose a table first")
    written = TextOptions(
        delimiter=form.one("delimiter") or None,
        decimal=form.one("decimal") or None,
        encoding=form.one("encoding") or None,
        missing=tuple(form.parts("missing")),
        # One with which the table could not be read is left out, or nothing else could be tried.
        codebook=session.source.written.codebook if session.overview is not None else None,
    )
    session.load(replace(session.source, written=written), data_folder=session.data_folder)


def start_run(session: Session, form: Form) -> None:
    """Make a release."""
    escape = bool(form.one("escape_formulas")) and session.overview is not None and session.overview.formulas
    attacks = form.one("attacks") or QUICKLY
    if attacks not in ATTACKED:
        raise DataError("that is no form of this app")
    session.start_run(ReleaseChoices(escape, attacks))


def start_comparison(session: Session, form: Form) -> None:
    """Compare plans."""
    typed = {path: [parse_value(part) for part in form.parts(name)] for name, path in TRIED.items()}
    grid = {path: values for path, values in typed.items() if values}
    if not grid:
        raise PlanError("there is nothing to compare: name values to try, such as 3, 5, 10 for k")
    candidates(session.require_plan(), grid)  # says now what is wrong with a value
    session.start_comparison(grid)


def pick_best(session: Session, form: Form) -> None:
    """Draw bounds on the map, and pick the best plan under them."""
    comparison = session.comparison
    if comparison is None:
        raise PlanError("nothing was compared yet")
    bounds = parse_bounds(form.one("bounds"))
    comparison.bounds = tuple((bound.key, bound.limit) for bound in bounds)
    comparison.picked = None
    runs = comparison.runs
    best = pick(runs, bounds, guaranteed=True)
    comparison.picked = next(place for place, run in enumerate(runs) if run is best)


def take(session: Session, form: Form) -> None:
    """Take a plan of the comparison."""
    comparison, place = session.comparison, form.number("run")
    if comparison is None or place >= len(comparison.runs):
        raise PlanError("there is no such plan")
    run = comparison.runs[place]
    plan = chosen_plan(Plan.from_mapping(comparison.values), run.choices)
    session.require_editor().replace(plan.to_dict(), run.name)
    session.say(session.texts("compare.taken", name=run.name))


def side_by_side(session: Session, form: Form) -> None:
    """Choose two plans to see side by side."""
    comparison, pair = session.comparison, (form.number("first"), form.number("second"))
    if comparison is None or max(pair) >= len(comparison.runs) or any(comparison.runs[i].problem for i in pair):
        raise PlanError("there are no such plans")
    if pair != comparison.pair:
        comparison.pair, comparison.columns_job = pair, None
    if form.one("columns"):
        session.start_columns(comparison)


def ask_for_row_map(session: Session, form: Form) -> None:
    """Hand the row map out with the last release, or do not."""
    session.last_release(form.one("release") or None).row_map = bool(form.one("row_map"))


def write_beside(session: Session, form: Form) -> None:
    """Copy the files of the last release beside the data; all of them, or none."""
    if session.data_folder is None:
        raise DataError("there is no folder to write into")
    release, folder = session.last_release(form.one("release") or None), session.data_folder
    targets = {name: folder / release.given_name(name) for name in release.file_names}
    taken = [target.name for target in targets.values() if target.exists() or target.is_symlink()]
    if taken:
        raise OutputError(f"{printable(taken[0])} is there already, and nothing was overwritten: move it away first")
    with Outputs() as outputs:
        for name, target in targets.items():
            private: Privacy = True if name == ROW_MAP else "where possible" if name in _FOR_OWNERS else False
            staged = outputs.stage(target, private=private)
            with write_errors_of(target):
                shutil.copyfile(release.folder / name, staged)
    session.say(session.texts("release.written", names=", ".join(target.name for target in targets.values())))


def restore(session: Session, form: Form) -> str:
    """Go back to a version of the plan."""
    editor, place = session.require_editor(), form.number("version")
    if place < len(editor.versions):
        editor.position = place
    return "/release"


def note(session: Session, form: Form) -> str:
    """Note something about a version of the plan."""
    editor, place = session.require_editor(), form.number("version")
    if place < len(editor.versions):
        editor.versions[place].note = form.one("note")[:500]
    return "/release"


def speak(session: Session, form: Form) -> None:
    """Choose the language of the pages."""
    if form.one("language") in LANGUAGES:
        session.language = form.one("language")


ACTIONS: dict[str, Action] = {
    "/data/choose": choose,
    "/data/demo": lambda session, _: session.load_demo(),
    "/data/another": lambda session, _: session.put_aside(),
    "/data/read": read_again,
    "/data/cancel": lambda session, _: session.quick.kill(),
    **role_actions.ACTIONS,
    **protect_actions.ACTIONS,
    "/compare/start": start_comparison,
    "/compare/cancel": lambda session, _: session.heavy.kill(),
    "/compare/pick": pick_best,
    "/compare/take": take,
    "/compare/beside": side_by_side,
    "/run/start": start_run,
    "/run/cancel": lambda session, _: session.heavy.kill(),
    "/release/row-map": ask_for_row_map,
    "/release/write": write_beside,
    "/history/restore": restore,
    "/history/note": note,
    "/undo": lambda session, _: session.require_editor().undo(),
    "/redo": lambda session, _: session.require_editor().redo(),
    "/language": speak,
}
"""What each address does."""

WHATEVER_TABLE = ("/data/choose", "/data/demo", "/language")
"""Addresses that may be asked by a page that shows another table than the one that is open."""
