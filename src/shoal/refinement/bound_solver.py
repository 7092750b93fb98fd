"""HiGHS, the solver of linear and integer programmes: an extra, loaded when it is asked for."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.refinement.bound_problem import Prices, Sets

LIBRARY = "highspy"


def has_solver() -> bool:
    """Whether the solver is installed."""
    return importlib.util.find_spec(LIBRARY) is not None


def require_solver(purpose: str) -> None:
    """Refuse what needs the solver where it is not installed."""
    if not has_solver():
        raise PlanError(f'{purpose} needs {LIBRARY}, which is not installed: pip install "shoal[optimal]"')


class Shares(NamedTuple):
    """The least cost of shares of sets, and the prices of the records that go with it."""

    cost: float
    prices: Prices


class Choice(NamedTuple):
    """What a search chose, and whether the time ended it."""

    chosen: NDArray[np.int64]
    cut_short: bool


class SetProgramme:
    """Shares of sets that cover every record once at the least cost, as a linear or an integer programme.

    ``caps`` are what covering each record by itself costs, so that there is a solution at all; None where the sets have
    one.
    """

    def __init__(self, records: int, caps: Prices | None = None) -> None:
        self._library = importlib.import_module(LIBRARY)
        self._model = self._library.Highs()
        self._model.setOptionValue("output_flag", False)  # noqa: FBT003  its own interface
        self._model.setOptionValue("threads", 1)  # the same answer every time
        none = np.empty(0, dtype=np.int32)
        ones = np.ones(records)
        self._model.addRows(records, ones, ones, 0, np.zeros(records, dtype=np.int32), none, np.empty(0))
        if caps is not None:
            self.add(Sets(np.arange(records, dtype=np.int32)[:, None], caps))

    def add(self, sets: Sets) -> None:
        """Add sets to choose from."""
        count, size = sets.rows.shape
        self._model.addCols(
            count,
            sets.costs,
            np.zeros(count),
            np.full(count, self._library.kHighsInf),
            count * size,
            np.arange(0, count * size, size, dtype=np.int32),
            np.ascontiguousarray(sets.rows.reshape(-1), dtype=np.int32),
            np.ones(count * size),
        )

    def solve_shares(self, seconds: float) -> Shares | None:
        """Solve for shares; None if time is over before."""
        self._run(seconds)
        if self._model.getModelStatus() != self._library.HighsModelStatus.kOptimal:
            return None
        cost, prices = self._model.getInfo().objective_function_value, self._model.getSolution().row_dual
        return Shares(cost, np.asarray(prices))

    def choose(self, start: Sequence[int], *, target: float, seconds: float, nodes: int | None = None) -> Choice:
        """Solve for whole sets; ``start``, which cover every record once, if none are better.

        A cost of ``target`` is good enough. ``nodes`` of the search tree, at most, are a limit that is the same every
        time, unlike ``seconds``.
        """
        columns = self._model.getNumCol()
        every = np.arange(columns, dtype=np.int32)
        self._model.changeColsIntegrality(columns, every, np.full(columns, self._library.HighsVarType.kInteger))
        self._model.setOptionValue("objective_target", target)
        if nodes is not None:
            self._model.setOptionValue("mip_max_nodes", nodes)
        solution = self._library.HighsSolution()
        values = np.zeros(columns)
        values[list(start)] = 1.0
        solution.col_value = values.tolist()
        self._model.setSolution(solution)
        self._run(seconds)
        shares = np.asarray(self._model.getSolution().col_value)
        cut_short = self._model.getModelStatus() == self._library.HighsModelStatus.kTimeLimit
        chosen = np.flatnonzero(shares > 0.5) if len(shares) == columns else np.asarray(start, dtype=np.int64)
        return Choice(chosen, cut_short)

    def _run(self, seconds: float) -> None:
        if np.isfinite(seconds):  # the solver's clock runs on from one call to the next
            self._model.setOptionValue("time_limit", self._model.getRunTime() + seconds)
        self._model.run()
