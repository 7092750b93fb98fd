"""Records and confidential values that make algorithms stumble: ties, duplicates, constants, every kind."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from reference import emd
from shoal.kinds.hierarchy import Hierarchy
from shoal.points import Points
from shoal.protect import Confidential

TREE = Hierarchy.of({"a": {"aa": ["p", "q"], "ab": ["r"]}, "b": ["s", "t"], "c": {"ca": {"caa": ["v", "w"]}}})


def mixed_points(rng, n, coords, ordinal, nominal, *, distinct=4):
    rank_levels = rng.integers(1, 6, ordinal)
    code_levels = rng.integers(1, 5, nominal)
    return Points.build(
        coords=rng.integers(0, distinct, (n, coords)) / 3,
        ranks=rng.integers(0, rank_levels, (n, ordinal)),
        rank_steps=1.0 / rank_levels,
        rank_levels=rank_levels,
        rank_convex=rng.random(ordinal) < 0.5,
        codes=rng.integers(0, code_levels, (n, nominal)),
        code_weights=rng.choice([0.5, 1.0, 2.0], nominal),
        code_levels=code_levels,
    )


@st.composite
def points(draw, n):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        return Points.of(rng.normal(size=(n, draw(st.integers(1, 3)))) * 10.0 ** rng.integers(-3, 4))
    coords, ordinal, nominal = draw(st.integers(0, 2)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    if coords + ordinal + nominal == 0:
        coords = 1
    return mixed_points(rng, n, coords, ordinal, nominal, distinct=draw(st.integers(1, 6)))


@st.composite
def attributes(draw, n):
    """An attribute, its values and its distance in the twin."""
    kind = draw(st.sampled_from(["distinct", "ties", "constant", "nominal", "tree"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if kind == "nominal":
        values = rng.choice(list("xyz"), n).tolist()
        return Confidential.nominal(values), values, emd.equal
    if kind == "tree":
        values = rng.choice(list(TREE.leaves), n).tolist()
        return (
            Confidential.hierarchical(values, TREE),
            values,
            lambda group, table: emd.hierarchical(group, table, TREE),
        )
    values = {
        "distinct": rng.permutation(n),
        "ties": rng.integers(0, max(n // 4, 2), n),
        "constant": np.zeros(n),
    }[kind].tolist()
    return Confidential.ordered(values), values, emd.ordered
