"""Every measure moves the right way when a release gets coarser or noisier."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from shoal.measures import MEASURES, Pair, compute
from shoal.partitioners import mdav

KINDS = {"grade": [0, 1, 2, 3, 4, 5], "town": "nominal", "illness": "nominal", "severity": [0, 1, 2]}


@cache
def table():
    rng = np.random.default_rng(7)
    n = 400
    numbers = rng.gamma(4.0, 2.0, (n, 3)) + 1.0
    numbers[:, 1] += numbers[:, 0]
    grade = np.clip(numbers[:, 0] // 3, 0, 5).astype(int)
    town = (numbers[:, 1] > 16).astype(int) + 2 * (rng.random(n) < 0.3)
    quasi = {"a": numbers[:, 0], "b": numbers[:, 1], "c": numbers[:, 2], "grade": grade, "town": town}
    secret = {
        "charge": (numbers[:, 0] * 10 + rng.normal(0, 5, n)).round(),
        "illness": np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), numbers[:, 2] // 4).astype(int),
        "severity": rng.integers(0, 3, n),
    }
    return quasi, secret


@cache
def grouped(k):
    """Release the group's mean, lower median or mode."""
    quasi, secret = table()
    labels = mdav(np.column_stack([quasi[name] for name in ("a", "b", "c")]), k)
    released = {}
    for name, column in quasi.items():
        groups = [column[labels == g] for g in range(labels.max() + 1)]
        if name == "town":
            centres = [np.bincount(group).argmax() for group in groups]
        elif name == "grade":
            centres = [np.sort(group)[(len(group) - 1) // 2] for group in groups]
        else:
            centres = [group.mean() for group in groups]
        released[name] = np.array(centres)[labels]
    return Pair.of(quasi, released, confidential=secret, kinds=KINDS, subjects=np.arange(400), weights=np.ones(400))


@cache
def noisy(scale):
    """Add noise to the numbers, and replace categories at random."""
    quasi, secret = table()
    rng = np.random.default_rng(11)
    released = {}
    for name, column in quasi.items():
        noise = rng.normal(0, 1, len(column))
        if name in ("a", "b", "c"):
            released[name] = column + scale * noise
        else:
            released[name] = np.where(np.abs(noise) < scale, rng.permutation(column), column)
    return Pair.of(quasi, released, confidential=secret, kinds=KINDS)


@pytest.mark.parametrize("key", [key for key, measure in MEASURES.items() if measure.definition.aspect != "balance"])
def test_a_coarser_release_is_safer_and_worse(key):
    fine, coarse = (compute(grouped(k), [key])[key] for k in (3, 40))
    what = fine.definition
    gain = coarse.value - fine.value if what.better == "higher" else fine.value - coarse.value
    assert gain > 0 if what.aspect == "risk" else gain < 0


@pytest.mark.parametrize("key", [key for key, measure in MEASURES.items() if "dld" in key or "id" in key])
def test_noise_lowers_the_risk_of_linkage(key):
    assert compute(noisy(0.01), [key])[key].value > compute(noisy(3.0), [key])[key].value


@pytest.mark.parametrize("key", ["sse", "il_percent", "normalised_sse", "mse", "mae", "il", "il1s", "d_x"])
def test_noise_loses_information(key):
    values = [compute(noisy(scale), [key])[key].value for scale in (0.0, 0.01, 0.5, 5.0)]
    assert values[0] == 0
    assert values == sorted(values)
    assert values[-1] > values[1] > 0


def test_the_score_likes_neither_the_table_itself_nor_mere_noise():
    as_it_is, some, mere = (compute(noisy(scale), ["score"])["score"].value for scale in (0.0, 0.3, 100.0))
    assert as_it_is == 50
    assert some < as_it_is < mere
