"""A comparison as a table: CSV for spreadsheets, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.comparison.criteria import unseen_columns
from shoal.comparison.run import Run
from shoal.plan import Plan


def csv_text(runs: Sequence[Run], front: Sequence[bool]) -> str:
    """Return one line per run: its number, its choices, whether it is on the front, what was reached and measured.

    Examples
    --------
    >>> print(csv_text([Run({"k": 3}, groups=2, scores={"dld": 0.5})], [True]), end="")
    number,k,on_front,guaranteed,groups,dld,seconds,problem
    1,3,yes,yes,2,0.5,0.0,
    """
    paths = _names(run.choices for run in runs)
    reached = _names(run.guarantees for run in runs)
    measured = _names(run.scores for run in runs)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["number", *paths, "on_front", "guaranteed", "groups", *reached, *measured, "seconds", "problem"])
    for number, (run, best) in enumerate(zip(runs, front, strict=True), 1):
        writer.writerow(
            [
                number,
                *(run.choices.get(path, "") for path in paths),
                "yes" if best else "no",
                "" if run.problem else "yes" if run.holds else "no",
                "" if run.problem else run.groups,
                *(run.guarantees.get(name, "") for name in reached),
                *(run.scores.get(key, "") for key in measured),
                "" if run.problem else run.seconds,
                run.problem,
            ]
        )
    return lines.getvalue()


def json_text(
    runs: Sequence[Run],
    front: Sequence[bool],
    *,
    axes: tuple[str, str],
    data: Mapping[str, Any],
    picked: Run | None,
    plan: Plan | None = None,
) -> str:
    """Return the comparison as JSON; a value that is not finite is null.

    With the plan, ``unseen`` says by measure which columns it does not cover.
    """
    unseen = {} if plan is None else {key: unseen_columns(plan, key) for key in _names(run.scores for run in runs)}
    content = {
        "format": 1,
        "data": dict(data),
        "axes": {"risk": axes[0], "utility": axes[1]},
        "runs": [
            {
                "number": number,
                "choices": dict(run.choices),
                "on_front": best,
                "plan_sha256": run.plan_sha256 or None,
                "guaranteed": run.holds and not run.problem,
                "groups": run.groups,
                "guarantees": dict(run.guarantees),
                "scores": {key: value if math.isfinite(value) else None for key, value in run.scores.items()},
                "seconds": run.seconds,
                "problem": run.problem or None,
            }
            for number, (run, best) in enumerate(zip(runs, front, strict=True), 1)
        ],
        "picked": None if picked is None else 1 + runs.index(picked),
        **({} if plan is None else {"unseen": {key: list(names) for key, names in unseen.items() if names}}),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def problems_of(runs: Sequence[Run]) -> dict[str, list[int]]:
    """Return the reasons why plans could not be carried out, with the numbers of those plans."""
    problems: dict[str, list[int]] = {}
    for number, run in enumerate(runs, 1):
        if run.problem:
            problems.setdefault(run.problem, []).append(number)
    return problems


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
