"""Tables that attacks are tried on."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal import Plan

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
PLAN: dict[str, Any] = {
    "k": 4,
    "attributes": {
        "name": {"role": "identifier"},
        "age": NUMBER,
        "stay": NUMBER,
        "town": {"role": "quasi_identifier", "kind": "nominal"},
        "illness": {"role": "confidential", "kind": "nominal"},
        "charge": {"role": "confidential", "kind": "numeric"},
    },
}


def people(n: int, seed: int, prefix: str = "p") -> pl.DataFrame:
    """People whose confidential values have nothing to do with anything."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"{prefix}{number}" for number in draw.permutation(n)],
            "age": draw.normal(50, 15, n).round(2),
            "stay": draw.gamma(2, 3, n).round(2),
            "town": draw.choice(["Vic", "Olot", "Ripoll"], n),
            "illness": draw.choice(["a", "b", "c", "d"], n),
            "charge": draw.normal(1000, 200, n).round(),
        }
    )


def plan(**changes: Any) -> Plan:
    """The plan of these people."""
    return Plan.from_mapping({**PLAN, **changes})
