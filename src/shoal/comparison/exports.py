"""A comparison as a table: CSV for spreadsheets, JSON for programs, and what is said of its rows anywhere."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from shoal.comparison.choice import pareto_front
from shoal.comparison.comparison import Comparison
from shoal.comparison.criteria import unseen_columns
from shoal.comparison.run import Run


class Row(NamedTuple):
    """A run with its number, and whether no other run beats it."""

    number: int
    run: Run
    best: bool

    def remarks(self, picked: Run | None) -> str:
        """Say what stands beside it in a table."""
        run = self.run
        marks = {
            "picked": run is picked,
            "front": self.best,
            "not possible": run.problem,
            "k not guaranteed": not run.holds,
        }
        return ", ".join(mark for mark, holds in marks.items() if holds)


def rows_of(comparison: Comparison) -> list[Row]:
    """Return the runs as rows of a table, numbered from 1."""
    front = pareto_front(comparison.runs, comparison.axes)
    return [Row(place, run, best) for place, (run, best) in enumerate(zip(comparison, front, strict=True), 1)]


def distinct_names(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return every name of some mappings once: the paths of choices, the keys of scores."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def csv_text(comparison: Comparison) -> str:
    """Return one line per run: its number, its choices, whether it is on the front, what was reached and measured.

    >>> from shoal.plan import Plan
    >>> plan = Plan(k=3, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> runs = (Run({"k": 3}, groups=2, scores={"dld": 0.5, "il_percent": 1.0}),)
    >>> print(csv_text(Comparison(runs, plan)), end="")
    number,k,on_front,guaranteed,groups,dld,il_percent,seconds,problem
    1,3,yes,yes,2,0.5,1.0,0.0,
    """
    paths = distinct_names(run.choices for run in comparison)
    reached = distinct_names(run.guarantees for run in comparison)
    measured = distinct_names(run.scores for run in comparison)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["number", *paths, "on_front", "guaranteed", "groups", *reached, *measured, "seconds", "problem"])
    for number, run, best in rows_of(comparison):
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


def json_text(comparison: Comparison, *, data: Mapping[str, Any], picked: Run | None) -> str:
    """Return the comparison as JSON; a value that is not finite is null.

    ``unseen`` says by measure which columns it does not cover.
    """
    unseen = {key: unseen_columns(comparison.plan, key) for key in distinct_names(run.scores for run in comparison)}
    content = {
        "format": 1,
        "data": dict(data),
        "axes": dict(zip(("risk", "utility"), comparison.axes, strict=True)),
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
            for number, run, best in rows_of(comparison)
        ],
        "picked": None if picked is None else 1 + comparison.runs.index(picked),
        "unseen": {key: list(names) for key, names in unseen.items() if names},
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def problems_of(runs: Sequence[Run]) -> dict[str, list[int]]:
    """Return the reasons why plans could not be carried out, with the numbers of those plans."""
    problems: dict[str, list[int]] = {}
    for number, run in enumerate(runs, 1):
        if run.problem:
            problems.setdefault(run.problem, []).append(number)
    return problems
