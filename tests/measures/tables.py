"""Random pairs of tables for the tests of measures, as the package and as the slow twins take them."""

from __future__ import annotations

import numpy as np

from reference.measures import Column, Secret
from shoal.measures import Pair


def pair_and_twin(rng, n, kinds, secret_kinds=(), *, few=False):
    """Return a Pair and the twin's columns and secrets; ``few`` draws few distinct values, so that ties abound."""
    original, released, secrets, columns, hidden, orders = {}, {}, {}, [], [], {}
    for j, kind in enumerate(kinds):
        name = f"{kind} {j}"
        levels = int(rng.integers(1, 5))
        if kind in ("numeric", "date"):
            x = rng.integers(-2, 3, n).astype(float) if few else rng.normal(rng.normal() * 3, 1 + rng.random(), n)
            y = rng.permutation(x) if few else x + rng.normal(0, 0.3, n)
            y = np.where(rng.random(n) < 0.5, x.mean().round(3), y)
        else:
            x, y = rng.integers(0, levels, n), rng.integers(0, levels, n)
            y = np.where(rng.random(n) < 0.6, x, y)
        original[name], released[name] = x, y
        columns.append(Column(name, kind, x.tolist(), y.tolist(), levels))
        orders[name] = list(range(levels)) if kind == "ordinal" else kind
    for j, kind in enumerate(secret_kinds):
        name = f"secret {kind} {j}"
        values = rng.integers(0, 4, n) if few or kind not in ("numeric", "date") else rng.normal(5, 2, n).round(1)
        secrets[name] = values
        hidden.append(Secret(name, kind, values.tolist()))
        orders[name] = list(range(4)) if kind == "ordinal" else kind
    return Pair.of(original, released, confidential=secrets or None, kinds=orders), columns, hidden


def zscore(values):
    """Standardise as the package does, so that ties of distances are ties on both sides."""
    from shoal.moments import moments

    array = np.asarray(values, dtype=float)
    found = moments([array])
    if found.deviation[0] == 0:
        return [0.0] * len(values)
    return ((array - found.mean[0]) / found.deviation[0]).tolist()
