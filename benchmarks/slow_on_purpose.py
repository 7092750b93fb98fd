"""Tables that are made to be slow: how they grow with the records, beside a benign table of the same size.

Run it by itself: ``python benchmarks/slow_on_purpose.py [records] [case ...]``; it prints a table in Markdown.

Each case is a whole run, `shoal.anonymize` as its user calls it, on so many records and on twice as many; the benign
table has four normal columns. The case of copied columns has 300 of them, so fewer records, and the benign table as many
cells; the stream counts records per second, beside those of a stream whose t is reached.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import shoal
from shoal import Plan

QUASI = {"role": "quasi_identifier"}
NUMBER = {**QUASI, "kind": "numeric"}
NAME = {**QUASI, "kind": "nominal"}
CONFIDENTIAL = {"role": "confidential", "kind": "numeric"}
Run = Callable[[], object]


def _run(columns: dict[str, object], attributes: dict[str, dict], progress: bool = False, **choices: object) -> Run:
    frame = pl.DataFrame(columns)
    plan = Plan(k=5, attributes=attributes, **choices)
    told = (lambda done, total: None) if progress else None
    return lambda: shoal.anonymize(frame, plan, progress=told)


def benign(n: int) -> Run:
    """Four normal columns."""
    values = np.random.default_rng(1).normal(size=(n, 4))
    return _run({f"x{j}": values[:, j] for j in range(4)}, {f"x{j}": NUMBER for j in range(4)})


def ordinal(n: int) -> Run:
    """An ordinal of as many levels as records, averaged by the convex median."""
    levels = [f"{i:07d}" for i in range(n)]
    column = np.array(levels)[np.random.default_rng(2).permutation(n)]
    return _run({"o": column}, {"o": {**QUASI, "kind": "ordinal", "order": levels, "aggregate": "convex_median"}})


def names(n: int) -> Run:
    """One nominal column of all different values."""
    return _run({"a": [f"{i:07d}" for i in np.random.default_rng(3).permutation(n)]}, {"a": NAME})


def three_names(n: int) -> Run:
    """Three nominal columns of n/100 categories each."""
    codes = np.random.default_rng(4).integers(0, n // 100, size=(n, 3))
    return _run({f"a{j}": codes[:, j].astype(str) for j in range(3)}, {f"a{j}": NAME for j in range(3)})


def decades(n: int) -> Run:
    """Numbers over 260 decades, unscaled."""
    values = 10.0 ** np.random.default_rng(5).uniform(-130, 130, size=(n, 2))
    return _run({f"x{j}": values[:, j] for j in range(2)}, {f"x{j}": {**NUMBER, "scale": "none"} for j in range(2)})


def domains(n: int) -> Run:
    """``by`` with n/5 values, under a progress bar."""
    values = np.random.default_rng(6).normal(size=(n, 2))
    columns = {"by": np.arange(n) % (n // 5), "x": values[:, 0], "y": values[:, 1]}
    attributes = {"by": {"role": "other"}, "x": NUMBER, "y": NUMBER}
    return _run(columns, attributes, progress=True, by="by")


def copies(n: int) -> Run:
    """300 columns that copy each other."""
    column = np.random.default_rng(7).normal(size=n // 50)
    return _run({f"x{j}": column for j in range(300)}, {f"x{j}": NUMBER for j in range(300)})


def different(n: int) -> Run:
    """300 columns that do not: what copies are compared with."""
    values = np.random.default_rng(8).normal(size=(n // 50, 300))
    return _run({f"x{j}": values[:, j] for j in range(300)}, {f"x{j}": NUMBER for j in range(300)})


def k_first(n: int) -> Run:
    """``k_first`` on a nominal attribute of n/10 categories."""
    random = np.random.default_rng(9)
    values, codes = random.normal(size=(n, 2)), random.integers(0, n // 10, size=n)
    columns = {"x": values[:, 0], "y": values[:, 1], "c": codes.astype(str)}
    attributes = {"x": NUMBER, "y": NUMBER, "c": {"role": "confidential", "kind": "nominal"}}
    return _run(columns, attributes, closeness={"t": 0.3, "method": "k_first"})


def k_first_numbers(n: int) -> Run:
    """``k_first`` on a number: what the former is compared with."""
    values = np.random.default_rng(9).normal(size=(n, 3))
    columns = {"x": values[:, 0], "y": values[:, 1], "c": values[:, 2]}
    return _run(columns, {"x": NUMBER, "y": NUMBER, "c": CONFIDENTIAL}, closeness={"t": 0.3, "method": "k_first"})


CASES = {
    "ordinal": (ordinal, benign),
    "names": (names, benign),
    "three_names": (three_names, benign),
    "decades": (decades, benign),
    "domains": (domains, benign),
    "copies": (copies, different),
    "k_first": (k_first, benign),
}


def seconds(run: Run, tries: int = 1) -> float:
    """Return the least time of the clock."""
    least = float("inf")
    for _ in range(tries):
        start = time.process_time()
        run()
        least = min(least, time.process_time() - start)
    return least


if __name__ == "__main__":
    n = int(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        case, base = CASES[name]
        print(
            name, n, round(seconds(base(n)), 2), round(seconds(case(n)), 2), round(seconds(case(2 * n)), 2), flush=True
        )
