"""The step Compare: several plans, what each gives away and loses, on one map."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.figures import column_figure, labelled
from shoal.app.pages.layout import page, show, state_of
from shoal.app.results import Comparison
from shoal.app.tasks.plan_comparison import KEYS, RiskMap
from shoal.app.texts import Texts
from shoal.comparison import Run
from shoal.report.markup import Markup, join, quantity
from shoal.report.wording import number

TRIED = {"k": "k", "t": "closeness.t", "method": "method", "refine": "refine", "weight": "dependence.weight"}
"""The fields of the form, and the paths of the plan that they try."""


def compare_page(session: Session) -> Markup:
    """Return the step."""
    plan = session.require_plan()
    first: dict[str, list[Any]] = {"k": [3, plan.k, 10] if plan.k not in (3, 10) else [3, 5, 10]}
    grid = first if session.comparison is None else session.comparison.grid
    fields = [(name, path, ", ".join(map(str, grid.get(path, ())))) for name, path in TRIED.items()]
    return page(session, "compare", "compare.html", fields=fields, board=board_part(session))


def board_part(session: Session) -> Markup:
    """Return the results so far."""
    t, comparison = session.texts, session.comparison
    if comparison is None:
        return show(session, "board.html", comparison=None, again=False)
    # States are read before results: what ends meanwhile is asked for again.
    state, columns_state = state_of(comparison.job), state_of(comparison.columns_job)
    waits = "running" in (state, columns_state, state_of(comparison.map_job))
    risk_map = session.map_of(comparison)
    waits = waits or state_of(comparison.map_job) == "running"
    runs = comparison.runs
    keys = [key for key in KEYS if any(key in run.scores for run in runs)]
    return show(
        session,
        "board.html",
        comparison=comparison,
        again=waits,
        running=state == "running",
        map=_map(t, risk_map, runs),
        bounds=", ".join(f"{key} <= {limit:g}" for key, limit in comparison.bounds) or "dld <= 5",
        measures=[(key, "number" if all(key in run.scores for run in runs) else "") for key in keys],
        plans=[(run, run.name, _marks(t, comparison, place, risk_map)) for place, run in enumerate(runs)],
        pair=None if state == "running" else _pair(session, comparison, columns_state),
        columns_state=columns_state,
    )


def _map(t: Texts, risk_map: RiskMap | None, runs: Sequence[Run]) -> Markup | None:
    """Return the map; every point tells all measures of its plan under the pointer."""

    def title(point: re.Match[str]) -> str:
        place = int(point[1]) - 1
        if place >= len(runs):
            return point[0]
        scores = runs[place].scores
        measured = [f"{t(f'compare.{key}')} {number(scores[key])}" for key in KEYS if key in scores]
        return f"<title>{place + 1}: {join([runs[place].name])}; {join(['; '.join(measured)])}</title>"

    if risk_map is None or risk_map.svg is None:
        return None
    return labelled(re.sub(r"<title>(\d+): [^<]*</title>", title, risk_map.svg), t("compare.board"))


def _marks(t: Texts, comparison: Comparison, place: int, risk_map: RiskMap | None) -> list[str]:
    """Return what is to be said of a plan that was tried."""
    run, front = comparison.runs[place], risk_map.front if risk_map is not None else ()
    marks = []
    if place < len(front) and front[place]:
        marks.append(t("compare.front"))
    if place == comparison.picked:
        marks.append(t("compare.picked"))
    if run.problem:
        marks.append(t("compare.impossible", reason=run.problem))
    return marks


def _pair(session: Session, comparison: Comparison, columns_state: str) -> dict[str, Any] | None:
    """Return two plans side by side, their measures and every column by both; None where fewer can be carried out."""
    t, runs = session.texts, comparison.runs
    choices = [(str(place), run.name) for place, run in enumerate(runs) if not run.problem]
    if len(choices) < 2:
        return None
    pair = [str(place) for place in comparison.pair if place < len(runs)]
    chosen = pair if len(pair) == 2 else [choices[0][0], choices[-1][0]]
    both = [runs[int(place)] for place in chosen]
    names = [run.name for run in both]
    keys = [key for key in KEYS if any(key in run.scores for run in both)]
    rows = [[t(f"compare.{key}"), *(quantity(run.scores.get(key)) for run in both)] for key in keys]
    rows.append([t("compare.groups"), *(quantity(run.groups) for run in both)])
    job = comparison.columns_job
    columns = [
        [column_figure(t, chart, plan=name) for name, chart in zip(names, charts, strict=True)]
        for charts in (job.result if job is not None and columns_state == "done" else ())
    ]
    head = [t("compare.measure"), *names]
    return {"choices": choices, "chosen": chosen, "head": head, "rows": rows, "columns": columns}
