"""Every algorithm, k, t, kind of attribute, ties or none, n a multiple of k or not: the table keeps k and t."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import released
import shoal
from reference import emd
from shoal import Plan

QUASI = ["age", "height"]
GRADES = [f"grade {i:03}" for i in range(130)]
DISTANCES = {"numeric": emd.ordered, "date": emd.ordered, "ordinal": emd.ordered, "nominal": emd.equal}


def table(kind, n, *, ties):
    rng = np.random.default_rng(n)
    values = rng.integers(0, 6, n) if ties else rng.permutation(n)
    column = {
        "numeric": values * 1.5,
        "date": [dt.date(2020, 1, 1) + dt.timedelta(days=int(value)) for value in values],
        "ordinal": [GRADES[value] for value in values],
        "nominal": [f"code {value}" for value in values],
    }[kind]
    # Near people have near values: the hard case for closeness.
    age = values * 0.5 + rng.normal(size=n)
    return pl.DataFrame({"age": age, "height": rng.normal(size=n), "secret": column})


def plan(kind, k, t, method):
    secret = {"role": "confidential", "kind": kind, **({"order": GRADES} if kind == "ordinal" else {})}
    quasi = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in QUASI}
    return Plan(k=k, attributes={**quasi, "secret": secret}, closeness={"t": t, "method": method})


SIZES = (2, 5, 10, 30)
BOUNDS = (0.01, 0.05, 0.1, 0.25)
CORNERS = [(k, t) for k in SIZES[::3] for t in BOUNDS[::3]]
INNER = [(k, t) for k in SIZES for t in BOUNDS if (k, t) not in CORNERS]


@pytest.mark.parametrize("cases", [CORNERS, pytest.param(INNER, marks=pytest.mark.nightly)], ids=["corners", "inner"])
@pytest.mark.parametrize("kind", ["numeric", "ordinal", "nominal", "date"])
@pytest.mark.parametrize("method", ["t_first", "k_first", "merge", "steered"])
def test_the_released_table_keeps_k_and_t(method, kind, cases):
    for ties in (False, True):
        for n in (60, 67):
            frame = table(kind, n, ties=ties)
            for k, t in cases:
                release = shoal.anonymize(frame, plan(kind, k, t, method))
                case = f"{ties=} {n=} {k=} {t=}"
                assert release.data["secret"].equals(frame["secret"]), case
                assert released.smallest_class(release.data, QUASI) >= k, case
                largest = released.largest_distance(release.data, QUASI, "secret", DISTANCES[kind])
                assert largest <= Fraction(str(t)), case
                guarantee = release.guarantees["t_closeness"]
                assert guarantee.holds, case
                assert guarantee.achieved == pytest.approx(float(largest), abs=1e-12), case
