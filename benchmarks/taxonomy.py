"""A taxonomy against as many plain nominal columns as it has levels: time of encoding, of MDAV, and of whole runs.

python benchmarks/run.py taxonomy [records]
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import polars as pl

import shoal
from clock import alternately
from shoal.encode import Encoder
from shoal.frames import Table
from shoal.kinds.registry import read_column
from shoal.partitioners import mdav

LENGTHS = (1, 3)
"""Prefixes of the codes: with the codes themselves, three levels."""


def table(n: int, seed: int = 0) -> pl.DataFrame:
    """Draw codes of five figures, their prefixes as columns of their own, and two numbers."""
    random = np.random.default_rng(seed)
    codes = [f"{code:05d}" for code in random.choice(random.integers(0, 100_000, 1000), n)]
    prefixes = {f"prefix {length}": [code[:length] for code in codes] for length in LENGTHS}
    return pl.DataFrame({"code": codes, **prefixes, "a": random.standard_normal(n), "b": random.standard_normal(n)})


def plan(nominal: dict[str, dict[str, object]]) -> shoal.Plan:
    """Return a plan of these nominal columns and the two numbers."""
    columns = {**{name: {"kind": "nominal", **options} for name, options in nominal.items()}}
    columns |= {name: {"kind": "numeric"} for name in ("a", "b")}
    return shoal.Plan(
        k=5, attributes={name: {"role": "quasi_identifier", **options} for name, options in columns.items()}
    )


def main(n: int) -> None:
    """Print the ratios."""
    frame = table(n)
    tree = plan({"code": {"hierarchy": {"prefix": list(LENGTHS)}}})
    flat = plan({name: {} for name in ("code", *(f"prefix {length}" for length in LENGTHS))})
    print(f"\n{n:,} records, two numbers, codes of {len(LENGTHS) + 1} levels; processor time in seconds")
    print(f"{'':<24}{'columns':>9}{'taxonomy':>10}{'ratio':>7}")
    columns = [
        [read_column(Table.of(frame), chosen.spec(name)) for name in chosen.attributes] for chosen in (flat, tree)
    ]
    encoders = [Encoder.fit(part) for part in columns]
    points = [encoder.apply(part) for encoder, part in zip(encoders, columns, strict=True)]
    steps = {
        "encode": [partial(Encoder.apply, encoder, part) for encoder, part in zip(encoders, columns, strict=True)],
        "mdav": [partial(mdav, part, 5) for part in points],
        "a whole run": [partial(shoal.anonymize, frame.select(*chosen.attributes), chosen) for chosen in (flat, tree)],
    }
    for step, calls in steps.items():
        plain, levels = alternately(*calls, repeats=2)
        print(f"{step:<24}{plain:>9.2f}{levels:>10.2f}{levels / plain:>6.2f}×", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
