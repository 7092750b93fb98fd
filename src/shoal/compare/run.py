"""Runs: each plan of a comparison carried out and measured, side by side, and never twice."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.attack import attack_release
from shoal.compare.grid import Candidate, Grid, candidates, plan_fingerprint
from shoal.compare.looked_at import split
from shoal.errors import PlanError, ShoalError
from shoal.files import Outputs
from shoal.frames import Table
from shoal.measure import MEASURES, measure_release
from shoal.plan import Plan
from shoal.pool import in_threads
from shoal.run.manifest import versions
from shoal.run.pipeline import anonymize

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Run:
    """What came of one plan.

    Parameters
    ----------
    choices
        The values of the fields that were tried, by path.
    plan_sha256
        Of everything in the plan; empty where the choices do not go together.
    problem
        Why nothing could be released, where that is so.
    groups
        How many groups there are.
    guarantees
        What was reached, by the name of the guarantee.
    holds
        Whether everything that was asked holds: not where the method cannot guarantee k.
    scores
        Values of the measures.
    seconds
        What it took to anonymize.
    computed
        Whether it was computed now, rather than read from an earlier comparison.
    """

    choices: Mapping[str, Any]
    plan_sha256: str = ""
    problem: str = ""
    groups: int = 0
    guarantees: Mapping[str, float] = field(default_factory=dict)
    holds: bool = True
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    computed: bool = True

    @property
    def name(self) -> str:
        """The choices in a line."""
        return ", ".join(f"{path} = {value}" for path, value in self.choices.items())


def compare(
    frame: Any,
    plan: Plan,
    grid: Grid | None = None,
    *,
    keys: Iterable[str] | None = None,
    attacks: Iterable[str] = (),
    folder: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Run, ...]:
    """Carry out every plan of a grid and measure what came of it.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    plan
        Everything that is not tried.
    grid
        The values to try, by path; the plan's own ``[compare]`` if None.
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
        Called with (plans settled, plans).

    Returns
    -------
    tuple of Run
        In the order of the grid, the last field changing fastest. A plan that cannot be carried out says why.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67, 22, 25]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> runs = compare(frame, plan, {"k": [2, 3]}, keys=["il_percent"])
    >>> [(run.name, round(run.scores["il_percent"], 2)) for run in runs]
    [('k = 2', 1.64), ('k = 3', 35.08)]
    """
    measures, tries = split(keys or ())
    wanted = _Wanted(None if keys is None else measures, tuple(dict.fromkeys((*tries, *split(attacks)[1]))))
    if jobs is not None and jobs < 1:
        raise PlanError(f"jobs must be at least 1, not {jobs}")
    shelf = _Shelf(Table.of(frame).sha256(), None if folder is None else Path(folder))
    tried = candidates(plan, plan.compare if grid is None else grid)

    def work(candidate: Candidate, report: Progress) -> Run:
        run = _kept_or_made(frame, candidate, wanted, shelf, report)
        report(1, 1)
        return run

    return tuple(in_threads(work, tried, len(tried), progress, workers=jobs))


@dataclass(frozen=True)
class _Wanted:
    """The measures to compute, all that the columns allow if None, and the attacks to try."""

    measures: tuple[str, ...] | None
    attacks: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Everything that a kept result must have been asked for."""
        return (*(MEASURES if self.measures is None else self.measures), *self.attacks)


def _kept_or_made(frame: Any, candidate: Candidate, wanted: _Wanted, shelf: _Shelf, report: Progress) -> Run:
    if candidate.plan is None:
        return Run(candidate.choices, problem=candidate.problem, computed=False)
    key = plan_fingerprint(candidate.plan)
    kept = shelf.read(key, wanted)
    if kept is not None:
        return replace(kept, choices=candidate.choices)

    def stop_if_asked(done: int, total: int) -> None:
        report(0, 1)

    made = _make(frame, candidate.plan, wanted, stop_if_asked)
    run = replace(made, choices=candidate.choices, plan_sha256=key)
    shelf.write(key, run, wanted)
    return run


def _make(frame: Any, plan: Plan, wanted: _Wanted, report: Callable[[int, int], None]) -> Run:
    start = time.perf_counter()
    try:
        release = anonymize(frame, plan, progress=report)
        seconds = round(time.perf_counter() - start, 4)
        scores = measure_release(frame, release, plan, keys=wanted.measures, progress=report)
        if wanted.attacks:
            scores |= attack_release(frame, release, plan, keys=wanted.attacks, progress=report)
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


class _Shelf:
    """Results of earlier comparisons, one file each, by table, plan and versions."""

    def __init__(self, data_sha256: str, folder: Path | None) -> None:
        self.folder = folder
        self.mark = json.dumps([data_sha256, versions()], sort_keys=True)
        if folder is not None:
            folder.mkdir(exist_ok=True)

    def _file(self, key: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{hashlib.sha256(f'{self.mark}{key}'.encode()).hexdigest()[:32]}.json"

    def read(self, key: str, wanted: _Wanted) -> Run | None:
        """Return a kept result that has the measures wanted."""
        path = self._file(key)
        if path is None or not path.exists():
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            measured = content.pop("measures")
            run = Run(**content, computed=False)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # damaged, or of another version: compute it again
        return run if run.problem or set(wanted.keys) <= set(measured) else None

    def write(self, key: str, run: Run, wanted: _Wanted) -> None:
        """Keep a result."""
        path = self._file(key)
        if path is not None:
            content = {name: value for name, value in asdict(run).items() if name != "computed"}
            content["measures"] = list(wanted.keys)
            with Outputs() as outputs:
                outputs.text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n", private="where possible")
