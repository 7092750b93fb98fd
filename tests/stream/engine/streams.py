"""Random streams and settings for the tests."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.stream.engine import (
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    Released,
    StreamEngine,
    StreamSettings,
)


@dataclass
class Stream:
    """Settings and the arrays that go through them."""

    settings: StreamSettings
    cells: NDArray[np.float64]
    subjects: NDArray[np.int64] | None
    confidential: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cells)

    def part(self, begin: int, end: int) -> dict[str, Any]:
        return {
            "cells": self.cells[begin:end],
            "subjects": None if self.subjects is None else self.subjects[begin:end],
            "confidential": self.confidential[begin:end],
        }

    def run(self, cuts: list[int] | None = None, *, leaf: int = 0) -> list[Released]:
        engine = StreamEngine(self.settings, leaf=leaf)
        edges = [0, *sorted(cuts or []), len(self)]
        parts = [engine.push_many(**self.part(a, b)) for a, b in pairwise(edges)]
        return [*parts, engine.flush()]

    def subject(self, position: int) -> int:
        return position if self.subjects is None else int(self.subjects[position])


def make_stream(
    seed: int,
    *,
    n: int,
    k: int,
    max_delay: int,
    kinds: tuple[int, int, int] = (2, 0, 0),
    position_weight: float = 0.01,
    sweeps: int = 2,
    people: int | None = None,
    bounds: str = "running",
    missing: float = 0.0,
    t: float | None = None,
    confidential: tuple[str, ...] = (),
    on_unclose: str = "drop",
    grid: int = 0,
) -> Stream:
    """Make a stream; a small ``grid`` makes ties and duplicates, ``people`` makes subjects come back."""
    random = np.random.default_rng(seed)
    coords, ranks, codes = kinds
    values = random.normal(size=(n, coords)) if grid == 0 else random.integers(0, grid, size=(n, coords)) / 2
    levels = [2 + int(x) for x in random.integers(0, 4, size=ranks)]
    cells = np.column_stack(
        [values, *(random.integers(0, level, size=n) for level in levels), random.integers(0, 4, size=(n, codes))]
    ).astype(np.float64)
    cells[random.random(cells.shape) < missing] = np.nan
    means = ("mean", "median")
    medians = ("median", "convex_median", "mode")
    given = {"running": None, "given": (-1.5, 1.0), "constant": (0.5, 0.5)}[bounds]
    settings = StreamSettings(
        k=k,
        max_delay=max_delay,
        position_weight=position_weight,
        sweeps=sweeps,
        subjects=people is not None,
        coords=tuple(
            ContinuousSetting(weight=float(random.choice([1.0, 0.5, 3.0])), bounds=given, operator=means[j % 2])  # type: ignore[arg-type]
            for j in range(coords)
        ),
        ranks=tuple(
            OrdinalSetting(levels=level, weight=1.5, operator=medians[j % 3])  # type: ignore[arg-type]
            for j, level in enumerate(levels)
        ),
        codes=tuple(NominalSetting(weight=0.7) for _ in range(codes)),
        impute=missing > 0,
        confidential=tuple(
            ClosenessSetting(t=(t or 0) + 0.1 * j, nominal=kind == "nominal") for j, kind in enumerate(confidential)
        ),
        on_unclose=on_unclose,  # type: ignore[arg-type]
    )
    hidden = np.column_stack(
        [np.empty((n, 0)), *(random.integers(0, 3 if kind == "nominal" else 9, size=n) for kind in confidential)]
    )
    who = None if people is None else random.integers(0, people, size=n)
    return Stream(settings, cells, who, hidden)


@st.composite
def streams(draw: st.DrawFn, *, most: int = 60, closeness: bool = True) -> Stream:
    """Streams with every feature, most of them small and full of ties."""
    k = draw(st.integers(2, 5))
    t: float | None = None
    confidential: tuple[str, ...] = ()
    on_unclose = "drop"
    if closeness and draw(st.booleans()):
        t = draw(st.sampled_from([0.1, 0.25, 0.5]))
        confidential = draw(st.sampled_from([("ordered",), ("nominal",), ("ordered", "nominal")]))
        on_unclose = draw(st.sampled_from(["drop", "merge"]))
    return make_stream(
        draw(st.integers(0, 2**32)),
        n=draw(st.integers(0, most)),
        k=k,
        max_delay=draw(st.integers(k - 1, 25)),
        kinds=draw(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)).filter(any)),
        position_weight=draw(st.sampled_from([0.0, 0.01, 0.3, 10.0])),
        sweeps=draw(st.integers(0, 3)),
        people=draw(st.sampled_from([None, 2, 6, 40])),
        bounds=draw(st.sampled_from(["running", "given", "constant"])),
        missing=draw(st.sampled_from([0.0, 0.2])),
        t=t,
        confidential=confidential,
        on_unclose=on_unclose,
        grid=draw(st.sampled_from([0, 1, 3])),
    )


def groups_of(parts: list[Released]) -> list[dict[str, Any]]:
    """The released groups one by one, as the twin lists them."""
    groups = []
    for part in parts:
        ends = part.sizes.cumsum()
        for g, (end, size) in enumerate(zip(ends, part.sizes, strict=True)):
            groups.append(
                {
                    "positions": part.positions[end - size : end].tolist(),
                    "class": int(part.classes[g]),
                    "at": int(part.at[g]),
                    "coords": part.coords[g].tolist(),
                    "ranks": part.ranks[g].tolist(),
                    "modes": part.modes[g].tolist(),
                }
            )
    return groups
