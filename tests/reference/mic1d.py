"""One-dimension microaggregation as Nin 2014 writes it, section 3, step after step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum

import numpy as np
from numpy.typing import NDArray

from reference.cheapest_runs import cheapest_runs


def fixed_runs(values: list[float], k: int, subjects: list[int] | None) -> list[int]:
    """Cut after every k values; the last run is what is left. Or after k subjects, and what is left joins the last."""
    if subjects is None:
        return [*range(k, len(values), k), len(values)]
    ends, found = [], set()
    for place, subject in enumerate(subjects):
        found.add(subject)
        if len(found) == k:
            ends.append(place + 1)
            found = set()
    return [*ends[:-1], len(values)]


def optimal_runs(values: list[float], k: int, subjects: list[int] | None) -> list[int]:
    """Cut where the sum of squared errors is least, with at least k values or subjects in a run."""
    return cheapest_runs(np.array(values)[:, None], k, subjects)


CUTS = {"fixed": fixed_runs, "optimal": optimal_runs}


def runs_of(values: list[float], k: int, cut: str, subjects: Sequence[int] | None) -> tuple[list[int], list[list[int]]]:
    """Sort positions by value, then position, and cut them."""
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    ends = CUTS[cut]([values[i] for i in order], k, None if subjects is None else [subjects[i] for i in order])
    begins = [0, *ends[:-1]]
    return order, [order[begin:end] for begin, end in zip(begins, ends, strict=True)]


def mic1d(
    table: NDArray[np.float64], k: int, cut: str = "fixed", subjects: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Mask a table, in doubles; the second normalization and its undoing cancel, and are left out."""
    vector = table.ravel(order="F").tolist()
    whose = None if subjects is None else [*subjects] * table.shape[1]
    order, runs = runs_of(vector, k, cut, whose)
    place = {}
    limits = {}
    for run in runs:
        low, high = min(vector[i] for i in run), max(vector[i] for i in run)
        for i in run:
            limits[i] = low, high
            place[i] = 0.5 if low == high else (vector[i] - low) / (high - low)
    _, second = runs_of([place[i] for i in order], k, cut, None if whose is None else [whose[i] for i in order])
    masked = np.empty(len(vector))
    for run in second:
        mean = fsum(place[order[p]] for p in run) / len(run)
        for p in run:
            low, high = limits[order[p]]
            masked[order[p]] = min(max(low + mean * (high - low), low), high)
    return masked.reshape(table.shape, order="F")


def mic1d_to_the_letter(table: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Mask a table in exact arithmetic, with every step of the paper."""
    vector = [Fraction(x) for x in table.ravel(order="F").tolist()]

    def sort(values: list[Fraction]) -> list[int]:
        return sorted(range(len(values)), key=lambda i: (values[i], i))

    def normalize(values: list[Fraction]) -> tuple[list[Fraction], list[Callable[[Fraction], Fraction]]]:
        normalized: list[Fraction] = []
        undo: list[Callable[[Fraction], Fraction]] = []
        for begin in range(0, len(values), k):
            run = values[begin : begin + k]
            low, high = min(run), max(run)
            normalized += [(x - low) / (high - low) if high != low else Fraction(1, 2) for x in run]
            undo += [lambda p, low=low, high=high: low + p * (high - low)] * len(run)
        return normalized, undo

    order = sort(vector)
    places, undo_first = normalize([vector[i] for i in order])
    again = sort(places)
    finer, undo_second = normalize([places[i] for i in again])
    masked = np.empty(len(vector))
    for begin in range(0, len(finer), k):
        run = finer[begin : begin + k]
        mean = sum(run, Fraction(0)) / len(run)
        for p in range(begin, begin + len(run)):
            masked[order[again[p]]] = float(undo_first[again[p]](undo_second[p](mean)))
    return masked.reshape(table.shape, order="F")
