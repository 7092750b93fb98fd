"""Points that make every record a tie, or float images one point: what was slow before trees knew of it."""

from __future__ import annotations

import numpy as np

from shoal.points import Points


def nominal(codes, weights=None):
    codes = np.asarray(codes)
    levels = codes.max(axis=0) + 1
    return Points.build(
        codes=codes, code_weights=np.ones(len(levels)) if weights is None else weights, code_levels=levels
    )


def ordinal(n, seed, *, convex, spread=1):
    ranks = spread * np.random.default_rng(seed).permutation(n)[:, None]
    levels = [int(ranks.max()) + 1]
    return Points.build(ranks=ranks, rank_steps=[1 / levels[0]], rank_levels=levels, rank_convex=[convex])


def all_different(n, seed):
    return nominal(np.random.default_rng(seed).permutation(n)[:, None])


def three_columns(n, seed):
    return nominal(np.random.default_rng(seed).integers(0, max(n // 20, 2), (n, 3)), [1.0, 0.5, 1.0])


def twelve_columns(n, seed):
    return nominal(np.random.default_rng(seed).integers(0, 3, (n, 12)))


def half_common(n, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n, 2)) < 0.4, 0, rng.integers(0, n, (n, 2)))
    return nominal(codes)


def decades(n, seed):
    return Points.of(10.0 ** np.random.default_rng(seed).uniform(-130, 130, (n, 2)))


def outlier(n, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3))
    values[n // 2] = 1e12
    return Points.of(values)


def decades_and_codes(n, seed):
    rng = np.random.default_rng(seed)
    return Points.build(
        coords=10.0 ** rng.uniform(-100, 100, (n, 1)),
        codes=rng.integers(0, 70, (n, 1)),
        code_weights=[1e20],
        code_levels=[70],
    )


SHAPES = {
    "all different": all_different,
    "three columns": three_columns,
    "twelve columns": twelve_columns,
    "half common": half_common,
    "decades": decades,
    "outlier": outlier,
    "decades and codes": decades_and_codes,
    "levels as records": lambda n, seed: ordinal(n, seed, convex=True),
    "levels far apart": lambda n, seed: ordinal(n, seed, convex=True, spread=7),
    "medians of many levels": lambda n, seed: ordinal(n, seed, convex=False, spread=3),
}
