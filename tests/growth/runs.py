"""The runs whose work is counted: ``python -m growth.runs`` in ``tests/`` tells size and name of each at its end."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmark_scripts import benchmark
from growth.instructions import mark
from shoal.partitioners import mdav
from shoal.points import Points
from slow_shapes import SHAPES

WHOLE = ("benign", "ordinal", "names", "domains", "k_first")
"""Cases of ``benchmarks/slow_on_purpose.py`` that are counted as they are."""

GROUPS = {
    "ordinal": "levels as records",
    "names": "all different",
    "three_names": "three columns",
    "twelve_names": "twelve columns",
    "decades": "decades",
}
"""Cases whose groups are counted alone, and their points: in a run of few records these do not show beside the rest."""

SCANNED = ("twelve_names",)
"""Cases whose groups look at all records, a fraction of an instruction each: they are held to benign ones alone."""

WARM = 500
"""Records of the runs that come first, and load what is loaded once: they are not counted."""


def runs() -> Iterator[tuple[str, int, Callable[[], object]]]:
    """Yield a name, a size and the run itself."""
    slow = benchmark("slow_on_purpose")
    for case in WHOLE:
        for records in (1_000, 2_000, 4_000):
            yield case, records, getattr(slow, case)(records)
    for columns in (8, 16, 32):
        yield "copies", columns, slow.copies(5_000, columns)
    for records in (5_000, 20_000):
        normal = Points.of(np.random.default_rng(1).normal(size=(records, 4)))
        yield "groups of benign", records, partial(mdav, normal, 5)
        for case, shape in GROUPS.items():
            yield f"groups of {case}", records, partial(mdav, SHAPES[shape](records, 1), 5)
    for delay in (100, 400):
        for name, kind in slow.STREAMS.items():
            yield name, delay, slow.stream(3 * delay, delay=delay, **kind)


def main() -> None:
    """Carry all of them out; nothing is collected meanwhile, as that falls on whichever run comes to it."""
    for case in WHOLE:
        getattr(benchmark("slow_on_purpose"), case)(WARM)()
    gc.disable()
    for name, size, run in runs():
        mark()
        run()
        mark()
        sys.stdout.write(f"{size} {name}\n")


if __name__ == "__main__":
    main()
