"""Comparison: what came of many plans, as one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, overload

from shoal.card import Card
from shoal.comparison.choice import GOAL, pareto_front, parse_bounds, pick
from shoal.comparison.criteria import definition_of
from shoal.comparison.grid import chosen_plan
from shoal.comparison.run import Run
from shoal.errors import PlanError, counted
from shoal.plan import Plan

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

_MOST_LINES = 15


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Card, Sequence[Run]):
    """The runs of a comparison, in the order of the grid.

    Examples
    --------
    >>> import shoal
    >>> frame = shoal.examples.discharges(200, seed=1).select("age", "stay")
    >>> plan = shoal.Plan(k=3, attributes={
    ...     "age": {"role": "quasi_identifier", "kind": "numeric"},
    ...     "stay": {"role": "quasi_identifier", "kind": "numeric"},
    ... })
    >>> found = shoal.compare(frame, plan, k=[3, 5], keys=["dld", "il_percent"])
    >>> [run.name for run in found.front], found.plan_of(found.pick("dld <= 100")).k
    (['k = 3', 'k = 5'], 3)
    """

    runs: tuple[Run, ...]  # what came of each plan
    plan: Plan  # everything that was not tried
    axes: tuple[str, str] = ("dld", GOAL)  # the measures of risk and of loss that runs are compared by

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, place: int) -> Run: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Run, ...]: ...

    def __getitem__(self, place: int | slice) -> Run | tuple[Run, ...]:
        return self.runs[place]

    @property
    def front(self) -> tuple[Run, ...]:
        """The runs that no other run beats in risk and loss at once."""
        return tuple(run for run, best in zip(self.runs, pareto_front(self.runs, self.axes), strict=True) if best)

    def by(self, risk: str, utility: str = GOAL) -> Comparison:
        """Return the same runs compared by other measures.

        Parameters
        ----------
        risk, utility
            Keys of measures, or of attacks that were tried: ``attack_linkage``.
        """
        return replace(self, axes=(definition_of(risk).key, definition_of(utility).key))

    def pick(self, bounds: str = "", *, minimise: str = GOAL) -> Run:
        """Return the run with the least loss among those that keep bounds.

        Parameters
        ----------
        bounds
            What the run must keep, such as ``"dld <= 5, emd_max <= .2"``; nothing if empty.
        minimise
            The measure to look at; one of which more is better is maximised.

        Raises
        ------
        GuaranteeError
            No run keeps the bounds.
        """
        limits = parse_bounds(bounds) if bounds.strip() else ()
        return pick(self.runs, limits, minimise=minimise, guaranteed=self.plan.guarantee)

    def plan_of(self, run: Run) -> Plan:
        """Return the plan of a run, to anonymize by."""
        return chosen_plan(self.plan, run.choices)

    def to_frame(self) -> pl.DataFrame:
        """Return one row per run: its choices, what was reached and measured."""
        polars = import_module("polars")
        rows = [
            {
                **run.choices,
                "groups": run.groups,
                "holds": run.holds and not run.problem,
                **run.scores,
                "seconds": run.seconds,
                "problem": run.problem or None,
            }
            for run in self.runs
        ]
        names = dict.fromkeys(name for row in rows for name in row)
        frame: pl.DataFrame = polars.DataFrame({name: [row.get(name) for row in rows] for name in names}, strict=False)
        return frame

    def plot(self, *, picked: Run | None = None) -> alt.LayerChart:
        """Draw the runs on one map of risk and loss (extra ``charts``).

        Parameters
        ----------
        picked
            A run to ring.

        Raises
        ------
        PlanError
            No run was measured by both axes.
        """
        if not any(all(key in run.scores for key in self.axes) for run in self.runs):
            raise PlanError(f"no run was measured by {' and '.join(self.axes)}: name them in keys, or choose by(...)")
        # Charts stand above this room; whoever asks for one has them at hand.
        charts = import_module("shoal.report.charts")
        front = pareto_front(self.runs, self.axes)
        chart: alt.LayerChart = charts.by_itself(
            charts.risk_utility_map(self.runs, front, axes=self.axes, picked=picked, links=False)
        )
        return chart

    def __repr__(self) -> str:
        front = pareto_front(self.runs, self.axes)
        lines = [f"Comparison of {counted(len(self.runs), 'plan')} by {' and '.join(self.axes)}"]
        for run, best in list(zip(self.runs, front, strict=True))[:_MOST_LINES]:
            scores = ", ".join(f"{key} {run.scores[key]:.4g}" for key in self.axes if key in run.scores)
            lines.append(f"  {run.name}: {f'not possible, {run.problem}'[:80] if run.problem else scores}{' *' * best}")
        if len(self.runs) > _MOST_LINES:
            lines.append(f"  and {len(self.runs) - _MOST_LINES} more")
        if any(front):
            lines.append("  * no other plan beats it in both")
        return "\n".join(lines)
