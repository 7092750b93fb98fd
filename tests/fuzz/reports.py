"""Reports on random releases: both editions come whole, and the external one does not follow what it must not.

The judge moves the values of a class whose column is grouped by itself as far as the release leaves them: an outsider
must read the same.
"""

from __future__ import annotations

import json
import random
import warnings
from typing import Any

import polars as pl

import shoal
from fuzz import tables
from fuzz.judging import Found
from shoal.errors import ShoalError
from shoal.frames.exact_names import column_of, with_columns_of
from shoal.kinds.numeric import WIDEST
from shoal.report import collect


def frame_of(case: tables.Case) -> pl.DataFrame:
    """Return the table of a case with typed columns; empty cells are missing."""
    names, *rows = case.table
    cells = pl.DataFrame(
        [[cell or None for cell in row] for row in rows], schema=dict.fromkeys(names, pl.String), orient="row"
    )
    kinds = {**case.kinds, "cost": "numeric"}
    typed = {name: column_of(cells, name).cast(pl.Float64) for name in names if kinds.get(name) == "numeric"}
    typed |= {name: column_of(cells, name).str.to_date() for name in names if kinds.get(name) == "date"}
    return with_columns_of(cells, typed)


def trouble(seed: int) -> Found:
    """Release a table, report on it in both editions, and move what an outsider cannot see."""
    case = tables.make(seed)
    frame = frame_of(case)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            plan = shoal.Plan.parse(case.plan)
            release = shoal.anonymize(frame, plan)
        except ShoalError:
            return Found("", taken=False)
        try:
            json.loads(collect(frame, release, plan).to_json())
            told = collect(frame, release, plan, edition="external")
            json.loads(told.to_json())
            moved = _moved(case, frame, release, random.Random(seed))
            if moved is not None and collect(moved, release, plan, edition="external") != told:
                return Found(f"seed {seed}: the external edition follows one class\n{case.plan}", taken=True)
        except Exception as error:
            return Found(f"seed {seed}: {type(error).__name__}: {error}\n{case.plan}", taken=True)
    return Found("", taken=True)


def _moved(case: tables.Case, frame: pl.DataFrame, release: Any, dice: random.Random) -> pl.DataFrame | None:
    """Put all values of a class but one at the smallest released one, and keep the mean; None where it is not alone."""
    alone = list(case.kinds.items()) == [("q0", "numeric")] and case.exact and not case.permuted and not case.median
    if not alone or frame["q0"].null_count():
        return None
    released = pl.DataFrame(release.in_original_order().data)["q0"].to_list()
    mean, low = dice.choice(released), min(released)
    places = [place for place, value in enumerate(released) if value == mean]
    values = frame["q0"].to_list()
    for place in places:
        values[place] = low
    values[places[0]] = mean + (len(places) - 1) * (mean - low)
    if max(values) - min(values) > WIDEST:  # further apart than any table may have its numbers
        return None
    return frame.with_columns(q0=pl.Series(values, dtype=pl.Float64))
