"""The runs whose work is counted: ``python -m growth.runs`` in ``tests/`` tells size and name of each at its end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmark_scripts import benchmark
from growth.instructions import mark
from shoal.partition import mdav
from shoal.points import Points
from slow_shapes import SHAPES

slow = benchmark("slow_on_purpose")
TABLES = (slow.benign, slow.ordinal, slow.names, slow.domains, slow.k_first)
POINTS = ("all different", "three columns", "decades", "levels as records")
"""Groups of these alone: in a whole run of few records, what they took before does not show beside the rest."""
WARM = 500
"""Records of the runs that come first, and load what is loaded once: they are not counted."""


def runs() -> Iterator[tuple[str, int, Callable[[], object]]]:
    """Yield a name, a size and the run itself."""
    for case in TABLES:
        for records in (1_000, 2_000, 4_000):
            yield case.__name__, records, case(records)
    for columns in (12, 24, 48):
        yield "copies", columns, slow.copies(5_000, columns)
    for records in (5_000, 20_000):
        yield "normal", records, partial(mdav, Points.of(np.random.default_rng(1).normal(size=(records, 4))), 5)
        for name in POINTS:
            yield name, records, partial(mdav, SHAPES[name](records, 1), 5)
    for delay in (100, 400):
        for name, kind in slow.STREAMS.items():
            yield name, delay, slow.stream(3 * delay, delay=delay, **kind)


def main() -> None:
    """Carry all of them out."""
    for case in TABLES:
        case(WARM)()
    for name, size, run in runs():
        mark()
        run()
        mark()
        sys.stdout.write(f"{size} {name}\n")


if __name__ == "__main__":
    main()
