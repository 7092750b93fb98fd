"""A table of people with every kind of attribute, and a plan for it."""

import datetime as dt

import numpy as np
import polars as pl

from shoal import Plan

NAME = {"role": "identifier"}
AGE = {"role": "quasi_identifier", "kind": "numeric"}
GRADE = {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high", "top"]}
COUNTY = {"role": "quasi_identifier", "kind": "nominal"}
ADMITTED = {"role": "quasi_identifier", "kind": "date"}
PAY = {"role": "confidential", "kind": "numeric"}
ATTRIBUTES = {
    "name": NAME,
    "age": AGE,
    "grade": GRADE,
    "county": COUNTY,
    "admitted": ADMITTED,
    "pay": PAY,
    "ward": {"role": "other"},
}
K = 4


def people(n=203, seed=1):
    """People whose rows follow no column."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in np.random.default_rng(seed).permutation(n)],
            "age": rng.integers(0, 90, n),
            "grade": rng.choice(["low", "mid", "high", "top"], n),
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "admitted": [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 700, n)],
            "pay": rng.lognormal(10, 0.4, n),
            "ward": rng.choice(["A", "B"], n),
        }
    )


def plan(**changes):
    return Plan(**{"k": K, "attributes": ATTRIBUTES, **changes})


def attributes(**changes):
    return {name: {**value, **changes.get(name, {})} for name, value in ATTRIBUTES.items()}


def smallest_class(frame, names=("age", "grade", "county", "admitted")):
    return frame.group_by(names).len()["len"].min()
