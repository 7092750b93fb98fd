"""Tables for reports: ordinary people, and one who stands out."""

import numpy as np
import polars as pl

import shoal

ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "grade": {"role": "quasi_identifier", "kind": "ordinal", "order": ["low", "mid", "high", "emeritus"]},
    "county": {"role": "quasi_identifier", "kind": "nominal"},
    "seen": {"role": "quasi_identifier", "kind": "date"},
    "pay": {"role": "confidential", "kind": "numeric"},
    "illness": {"role": "confidential", "kind": "nominal"},
    "ward": {"role": "other"},
}


def people(n=400, seed=5):
    """Records of whom nobody stands out."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person-{i}" for i in np.random.default_rng(seed).permutation(n)],
            "age": rng.integers(18, 80, n).astype(float),
            "grade": rng.choice(["low", "mid", "high"], n),
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "seen": np.datetime64("2024-01-01") + rng.integers(0, 365, n),
            "pay": np.round(rng.normal(300, 40, n), 2),
            "illness": rng.choice(["flu", "gout", "mumps"], n),
            "ward": [f"ward {i % 7}" for i in range(n)],
        }
    ).with_columns(pl.col("seen").cast(pl.Date))


def with_first(frame, **values):
    """Return the table with other values in its first record."""
    return frame.with_columns(
        [
            pl.Series(name, [value, *frame[name].to_list()[1:]], dtype=frame[name].dtype)
            for name, value in values.items()
        ]
    )


def plan(**choices):
    return shoal.Plan(**{"k": 5, "attributes": ATTRIBUTES, **choices})
