"""Compare: each plan of a grid carried out and measured, side by side, and never twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.attacks import attack_release
from shoal.comparison.comparison import Comparison
from shoal.comparison.criteria import split
from shoal.comparison.grid import Candidate, Grid, candidates, grid_of, plan_fingerprint
from shoal.comparison.run import Run, RunCache
from shoal.errors import PlanError, ShoalError
from shoal.frames import Table
from shoal.measures import MEASURES, measure_release
from shoal.options import plain
from shoal.plan import Plan
from shoal.plan.plan import require_plan
from shoal.pool import in_threads
from shoal.progress import Progress, shown
from shoal.run.pipeline import anonymize


def compare(
    frame: Any,
    plan: Plan,
    grid: Grid | None = None,
    *,
    keys: Iterable[str] | None = None,
    attacks: Iterable[str] = (),
    folder: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    settled: Callable[[Run], object] | None = None,
    **tried: Iterable[Any],
) -> Comparison:
    """Carry out every plan of a grid and measure what came of it.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    plan
        Everything that is not tried.
    grid
        The values to try, by path, such as ``{"closeness.t": [0.1, 0.2]}``; with none here and below, the plan's own
        ``[compare]``.
    keys
        The measures to compute; every one that the columns allow if None. Attacks may be among them.
    attacks
        The attacks to try besides, such as ``attack_linkage``: their rates of success stand among the measures.
    folder
        Where results are kept, so that a comparison that was stopped goes on, and one that grew computes only what is
        new; nowhere if None.
    jobs
        The most plans worked on at once; one for each processor if None.
    progress
        Called with (plans settled, plans); True for a bar, False for none, None for a bar in notebooks and at a
        prompt.
    settled
        Called with each result when it is there, from the thread that made it.
    tried
        The values to try by the names that `Plan.with_` takes: ``k=[3, 5]``, ``t=[None, 0.1]``. None is without.

    Returns
    -------
    Comparison
        The runs in the order of the grid, the last field changing fastest. A plan that cannot be carried out says why.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67, 22, 25]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> runs = compare(frame, plan, k=[2, 3], keys=["il_percent"])
    >>> [(run.name, round(run.scores["il_percent"], 2)) for run in runs]
    [('k = 2', 1.64), ('k = 3', 35.08)]
    """
    require_plan(plan)
    among = split(() if keys is None else keys)
    tries = tuple(dict.fromkeys((*among.attacks, *split(attacks, "attacks").attacks)))
    measures = None if keys is None else among.measures
    jobs = plain(jobs)
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise PlanError(f"jobs must be a whole number of at least 1, not {jobs!r}")
    asked = (*(MEASURES if measures is None else measures), *tries)
    cache = RunCache(Table.of(frame).sha256(), None if folder is None else Path(folder), asked)
    wide = grid_of({**(grid or {}), **tried}) if grid is not None or tried else plan.compare
    chosen = candidates(plan, wide)

    def work(candidate: Candidate, report: Progress) -> Run:
        def make(plan: Plan) -> Run:
            return _make(frame, plan, measures, tries, lambda done, total: report(0, 1))  # which stops it if asked

        run = _cached_or_made(candidate, cache, make)
        if settled is not None:
            settled(run)
        report(1, 1)
        return run

    with shown(progress, "comparing plans") as reported:
        return Comparison(tuple(in_threads(work, chosen, len(chosen), reported, workers=jobs)), plan)


def _cached_or_made(candidate: Candidate, cache: RunCache, make: Callable[[Plan], Run]) -> Run:
    if candidate.plan is None:
        return Run(candidate.choices, problem=candidate.problem, computed=False)
    key = plan_fingerprint(candidate.plan)
    cached = cache.read(key)
    if cached is not None:
        return replace(cached, choices=candidate.choices)
    run = replace(make(candidate.plan), choices=candidate.choices, plan_sha256=key)
    cache.write(key, run)
    return run


def _make(frame: Any, plan: Plan, measures: Iterable[str] | None, attacks: tuple[str, ...], report: Progress) -> Run:
    start = time.perf_counter()
    try:
        release = anonymize(frame, plan, progress=report)
        seconds = round(time.perf_counter() - start, 4)
        scores = measure_release(frame, release, plan, keys=measures, progress=report)
        if attacks:
            scores |= attack_release(frame, release, plan, keys=attacks, progress=report)
    except ShoalError as error:
        return Run({}, problem=str(error))
    return Run(
        {},
        groups=int(release.labels.max()) + 1,
        guarantees={guarantee.name: float(guarantee.achieved) for guarantee in release.guarantees.values()},
        holds=release.guarantees.holds,
        scores={key: score.value for key, score in scores.items()},
        seconds=seconds,
    )
