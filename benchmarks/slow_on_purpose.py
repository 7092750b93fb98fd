"""Tables that are made to be slow: how they grow with the records, beside a benign table of the same size.

Run it by itself: ``python benchmarks/slow_on_purpose.py [records] [case ...] [streams]``; it prints tables.

Each case is a whole run, `shoal.anonymize` as its user calls it, on so many records and on twice as many, beside a
benign table of four normal columns. Streams are counted in records per second, beside one whose t is reached. Times are
of the processor, all threads together.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import shoal
from shoal import Plan, StreamAnonymizer

QUASI = {"role": "quasi_identifier"}
NUMBER = {**QUASI, "kind": "numeric"}
NAME = {**QUASI, "kind": "nominal"}
Run = Callable[[], object]


def _run(columns: dict[str, object], attributes: dict[str, dict], *, progress: bool = False, **choices: object) -> Run:
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


def twelve_names(n: int) -> Run:
    """Twelve nominal columns of three categories each."""
    codes = np.random.default_rng(8).integers(0, 3, size=(n, 12))
    return _run({f"a{j}": codes[:, j].astype(str) for j in range(12)}, {f"a{j}": NAME for j in range(12)})


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


def copies(n: int, columns: int = 300) -> Run:
    """300 columns that copy each other, half of them kept, and a fiftieth of the records."""
    column = np.random.default_rng(7).integers(0, 50, size=n // 50)
    attributes = {f"x{j}": NUMBER if j % 2 else {"role": "other"} for j in range(columns)}
    return _run(dict.fromkeys(attributes, column), attributes)


def k_first(n: int) -> Run:
    """``k_first`` on a nominal attribute of n/10 categories."""
    random = np.random.default_rng(9)
    values, codes = random.normal(size=(n, 2)), random.integers(0, n // 10, size=n)
    columns = {"x": values[:, 0], "y": values[:, 1], "c": codes.astype(str)}
    attributes = {"x": NUMBER, "y": NUMBER, "c": {"role": "confidential", "kind": "nominal"}}
    return _run(columns, attributes, closeness={"t": 0.3, "method": "k_first"})


CASES = (ordinal, names, three_names, twelve_names, decades, domains, copies, k_first)


def stream(records: int, *, nominal: bool, t: float, delay: int) -> Run:
    """Return the run of a stream that is close to its own past, or cannot be."""
    random = np.random.default_rng(10)
    confidential = {"role": "confidential", "kind": "nominal" if nominal else "numeric"}
    attributes = {"x": NUMBER, "y": NUMBER, "c": confidential}
    anonymizer = StreamAnonymizer(Plan(k=5, attributes=attributes, closeness={"t": t}, stream={"max_delay": delay}))
    values = random.random((records, 3))
    hidden = values[:, 2].astype(str) if nominal else values[:, 2]
    frame = pl.DataFrame({"x": values[:, 0], "y": values[:, 1], "c": hidden})

    def push() -> None:
        for batch in frame.iter_slices(500):
            anonymizer.push_many(batch)

    return push


STREAMS = {
    "t reached": {"nominal": False, "t": 0.3},
    "too fine for the delay": {"nominal": False, "t": 0.01},
    "all categories different": {"nominal": True, "t": 0.001},
}


def seconds(run: Run) -> float:
    """Return the processor time, of all threads."""
    start = time.process_time()
    run()
    return time.process_time() - start


def tables(n: int, chosen: tuple[Callable[[int], Run], ...]) -> None:
    """Print how cases grow, and their ratios to a benign table."""
    seconds(benign(1_000))  # imports
    print(f"| table | {n:,} | {2 * n:,} | growth | to a benign table |")
    print("|---|---|---|---|---|")
    for case in (benign, *chosen):
        base = seconds(benign(n))
        once, twice = seconds(case(n)), seconds(case(2 * n))
        summary = (case.__doc__ or "").rstrip(".")
        print(f"| {summary} | {once:.1f} s | {twice:.1f} s | {twice / once:.1f}x | {once / base:.1f}x |", flush=True)


def streams(records: int) -> None:
    """Print the rates of streams that reach t, and of those that cannot."""
    print(f"\n| delay | {' | '.join(STREAMS)} |")
    print("|---" * (1 + len(STREAMS)) + "|")
    for delay in (100, 1_000, 10_000):
        many = records + delay
        rates = [many / seconds(stream(many, delay=delay, **kind)) for kind in STREAMS.values()]  # type: ignore[arg-type]
        print(f"| {delay:,} | " + " | ".join(f"{per_second:,.0f}/s" for per_second in rates) + " |", flush=True)


def main(arguments: list[str]) -> None:
    """Measure the cases that are named, or all of them and streams."""
    size = int(arguments[0]) if arguments else 100_000
    tables(size, tuple(case for case in CASES if case.__name__ in arguments[1:] or len(arguments) < 2))
    if len(arguments) < 2 or "streams" in arguments:
        streams(size // 20)


if __name__ == "__main__":
    main(sys.argv[1:])
