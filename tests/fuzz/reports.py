"""Reports on random releases: both editions come whole, and the external one does not follow what it must not.

The judge moves the values of a class whose column is grouped by itself as far as the release leaves them: an outsider
must read the same.
"""

from __future__ import annotations

import json
import warnings

import polars as pl

import shoal
from fuzz import tables
from fuzz.judging import Found
from shoal.errors import ShoalError
from shoal.frames.exact_names import column_of, with_columns_of
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
    """Release a table, and report on it in both editions."""
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
            json.loads(collect(None, release, plan, edition="external").to_json())
        except Exception as error:
            return Found(f"seed {seed}: {type(error).__name__}: {error}\n{case.plan}", taken=True)
    return Found("", taken=True)
