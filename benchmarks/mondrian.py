"""Microaggregation against generalization: MDAV beside Mondrian, by the same measures.

Domingo-Ferrer and Torra 2005 claim that averages keep more.

Run it by itself: ``SHOAL_REFERENCE_DATA=folder python benchmarks/mondrian.py [k ...]``; it prints tables in Markdown.

Mondrian (LeFevre et al. 2006) cuts the records in two at the median of the attribute that is spread
widest, and each part again, while both halves keep k records. A group is released as intervals and sets: "30–39",
"{clerk, farmer}". Whoever computes with such a table needs a value for each cell, and takes the middle of the interval
and the commonest category of the set. A third release gives the groups of Mondrian the averages of microaggregation,
which tells what is due to the groups and what to generalizing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from shoal.measures import measure

KEYS = ("il_percent", "il1s", "dld")
KS = (3, 5, 10, 25)


@dataclass(frozen=True)
class Case:
    """A table, and the columns that an intruder may know."""

    name: str
    frame: pl.DataFrame
    numeric: tuple[str, ...]
    nominal: tuple[str, ...] = ()

    @property
    def codes(self) -> np.ndarray:
        """Numbers as they are, categories by their place in the alphabet; records by columns."""
        ranked = [self.frame[name].rank("dense").to_numpy().astype(float) for name in self.nominal]
        return np.column_stack([*(self.frame[name].to_numpy().astype(float) for name in self.numeric), *ranked])

    def plan(self, k: int) -> shoal.Plan:
        """Say what the columns are."""
        kinds = {**dict.fromkeys(self.numeric, "numeric"), **dict.fromkeys(self.nominal, "nominal")}
        return shoal.Plan(
            k=k, attributes={name: {"role": "quasi_identifier", "kind": kind} for name, kind in kinds.items()}
        )


def mondrian(values: np.ndarray, k: int) -> np.ndarray:
    """Partition records by cuts at medians; every group has at least k, and none can be cut again.

    Parameters
    ----------
    values
        Records by columns, each column in an order that means something or in any.
    k
        Smallest group.

    Returns
    -------
    The group of each record, numbered from 0.
    """
    spans = np.ptp(values, axis=0)
    spans[spans == 0] = 1.0
    labels = np.empty(len(values), dtype=np.int64)
    waiting, groups = [np.arange(len(values))], 0
    while waiting:
        rows = waiting.pop()
        halves = _cut(values[rows], k, spans)
        if halves is None:
            labels[rows] = groups
            groups += 1
        else:
            waiting += [rows[~halves], rows[halves]]
    return labels


def _cut(part: np.ndarray, k: int, spans: np.ndarray) -> np.ndarray | None:
    """Return which records go to the lower half, along the widest attribute that can be cut; None if none can."""
    if len(part) < 2 * k:
        return None
    widths = np.ptp(part, axis=0) / spans
    for column in np.argsort(-widths, kind="stable"):
        median = np.partition(part[:, column], (len(part) - 1) // 2)[(len(part) - 1) // 2]
        for lower in (part[:, column] <= median, part[:, column] < median):
            if k <= lower.sum() <= len(part) - k:
                return lower
    return None


def generalized(case: Case, labels: np.ndarray) -> pl.DataFrame:
    """Release what stands for intervals and sets: their middle, and their commonest category in the whole table."""

    def middle(values: np.ndarray, inside: list[np.ndarray]) -> Iterator[float]:
        return ((values[rows].min() + values[rows].max()) / 2 for rows in inside)

    def commonest(values: np.ndarray, inside: list[np.ndarray]) -> Iterator[object]:
        frequency = dict(zip(*np.unique(values, return_counts=True), strict=True))
        return (max(sorted(set(values[rows])), key=lambda category: frequency[category]) for rows in inside)

    return _released(case, labels, middle, commonest)


def averaged(case: Case, labels: np.ndarray) -> pl.DataFrame:
    """Release the mean and the mode of each group."""

    def mean(values: np.ndarray, inside: list[np.ndarray]) -> Iterator[float]:
        return (values[rows].mean() for rows in inside)

    def mode(values: np.ndarray, inside: list[np.ndarray]) -> Iterator[object]:
        for rows in inside:
            categories, counts = np.unique(values[rows], return_counts=True)
            yield categories[np.argmax(counts)]

    return _released(case, labels, mean, mode)


def _released(case: Case, labels: np.ndarray, number: Callable, category: Callable) -> pl.DataFrame:
    order = np.argsort(labels, kind="stable")
    inside = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    columns = {}
    for name in (*case.numeric, *case.nominal):
        values = case.frame[name].to_numpy()
        stands = number(values.astype(float), inside) if name in case.numeric else category(values, inside)
        columns[name] = np.array(list(stands))[labels]
    return pl.DataFrame(columns)


def moved_means(case: Case, released: pl.DataFrame) -> float:
    """Return how far the means of numeric columns moved, in standard deviations, on average."""
    return float(
        np.mean(
            [
                abs(released[name].mean() - case.frame[name].mean()) / case.frame[name].cast(float).std()
                for name in case.numeric
            ]
        )
    )


def moved_correlations(case: Case, released: pl.DataFrame) -> float:
    """Return how far the correlations between numeric columns moved, on average."""
    pairs = np.triu_indices(len(case.numeric), 1)
    before, after = (
        np.corrcoef(frame.select(case.numeric).to_numpy().astype(float).T)[pairs] for frame in (case.frame, released)
    )
    return float(np.abs(after - before).mean())


def lines(case: Case, ks: Sequence[int]) -> Iterator[str]:
    """Compare three releases of a table for each k, as a table in Markdown."""
    yield f"**{case.name}**: {len(case.frame):,} records, {len(case.numeric)} numeric and {len(case.nominal)} nominal\n"
    yield "| k | release | groups | smallest | il_percent | il1s | dld | means moved | correlations moved |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for k in ks:
        cuts = mondrian(case.codes, k)
        release = shoal.anonymize(case.frame.select(*case.numeric, *case.nominal), case.plan(k)).in_original_order()
        releases = {
            "Mondrian, generalized": (cuts, generalized(case, cuts)),
            "Mondrian, averaged": (cuts, averaged(case, cuts)),
            "MDAV": (release.labels, release.data),
        }
        for name, (labels, table) in releases.items():
            scores = measure(case.frame, table, case.plan(k), keys=KEYS)
            cells = " | ".join(f"{scores[key].value:.2f}" for key in KEYS)
            yield (
                f"| {k} | {name} | {labels.max() + 1} | {np.bincount(labels).min()} | {cells} | "
                f"{moved_means(case, table):.3f} | {moved_correlations(case, table):.3f} |"
            )
    yield ""


def equal_risk(case: Case, ks: Sequence[int]) -> Iterator[str]:
    """Raise the k of MDAV until it gives as few links away as Mondrian's intervals, and compare what is lost then."""
    columns = case.frame.select(*case.numeric, *case.nominal)
    yield "| Mondrian k | dld | il_percent | MDAV k | dld | il_percent |"
    yield "|---|---|---|---|---|---|"
    for k in ks:
        plan = case.plan(k)
        cut = measure(case.frame, generalized(case, mondrian(case.codes, k)), plan, keys=KEYS)
        for larger in range(k, len(case.frame)):
            release = shoal.anonymize(columns, case.plan(larger))
            found = measure(case.frame, release.data, plan, keys=KEYS, rows=release.rows)
            if found["dld"].value <= cut["dld"].value:
                break
        cells = [f"{scores[key].value:.2f}" for scores in (cut, found) for key in ("dld", "il_percent")]
        yield f"| {k} | {cells[0]} | {cells[1]} | {larger} | {cells[2]} | {cells[3]} |"
    yield ""


def cases(folder: Path) -> Iterator[Case]:
    """Read Census, all of it, and Adult with the columns that people know of each other."""
    census = pl.read_csv(folder / "census.csv")
    yield Case("Census", census, tuple(census.columns))
    yield Case(
        "Adult",
        pl.read_csv(folder / "adult.csv"),
        ("age", "education-num", "hours-per-week"),
        ("workclass", "marital-status", "occupation", "race", "sex", "native-country"),
    )


def main(ks: Sequence[int]) -> None:
    """Print the comparison of both tables."""
    for case in cases(Path(os.environ["SHOAL_REFERENCE_DATA"])):
        for line in (*lines(case, ks), *equal_risk(case, ks)):
            print(line, flush=True)


if __name__ == "__main__":
    main([int(k) for k in sys.argv[1:]] or KS)
