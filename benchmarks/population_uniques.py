"""Estimates of population uniques on samples of a known population: their mean and their standard error.

Run it by itself: ``SHOAL_REFERENCE_DATA=folder python benchmarks/population_uniques.py [draws]``; it prints the table
of docs/population.md in Markdown. The 30,162 records of Adult are the population, by two sets of columns.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from shoal.measures import population_uniques

KEYS = (
    ("age", "sex", "race", "marital-status", "hours-per-week"),
    ("age", "sex", "race", "education", "occupation", "marital-status"),
)
FRACTIONS = (0.02, 0.05, 0.1, 0.2, 0.4)
ESTIMATORS = ("pitman", "snb", "zayatz", "estimate")


def lines(table: pl.DataFrame, known: tuple[str, ...], draws: int) -> Iterator[str]:
    """Draw samples, and compare estimates with what is there."""
    people = table.select(pl.struct(known).rank("dense")).to_series().to_numpy()
    truth = int((np.bincount(people) == 1).sum())
    yield f"**{', '.join(known)}**: {truth:,} of {len(people):,} people are unique\n"
    yield "| fraction | Pitman | slide negative binomial | Zayatz | the rule |"
    yield "|---|---|---|---|---|"
    rng = np.random.default_rng(0)
    for fraction in FRACTIONS:
        found: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
        for _ in range(draws):
            sizes = np.bincount(rng.choice(people, int(fraction * len(people)), replace=False))
            estimates = population_uniques(sizes[sizes > 0], len(people))
            for name in ESTIMATORS:
                value = getattr(estimates, name)
                if value is not None:
                    found[name].append(value)
        cells = (
            f"{np.mean(values):,.0f} ± {np.std(values, ddof=1):,.0f}"
            + ("" if len(values) == draws else f" ({len(values)} of {draws})")
            if len(values) > 1
            else "none"
            for values in found.values()
        )
        yield f"| {fraction:g} | {' | '.join(cells)} |"
    yield ""


def main(draws: int) -> None:
    """Print the table for both sets of columns."""
    adult = pl.read_csv(Path(os.environ["SHOAL_REFERENCE_DATA"]) / "adult.csv")
    for known in KEYS:
        for line in lines(adult, known, draws):
            print(line, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
