"""Every measure equals its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.tables import pair_and_twin, zscore
from reference import measures as reference
from shoal.measures import MEASURES, compute

QUASI = ("sse", "il_percent", "normalised_sse", "mse", "mae", "il", "il1s", "id", "id_sd", "k_min", "k_prime")
SECRET = (
    "emd_max",
    "emd_avg",
    "d_y",
    "l_avg",
    "l_distinct",
    "l_entropy",
    "l_recursive",
    "delta_disclosure",
    "mutual_information",
)

kinds = st.lists(st.sampled_from(["numeric", "date", "ordinal", "nominal"]), min_size=1, max_size=4)


def assert_equals_twin(pair, columns, secrets):
    scores = compute(pair)
    for key, score in scores.items():
        if key in QUASI:
            expected = getattr(reference, key)(columns)
        elif key in SECRET:
            expected = getattr(reference, key)(columns, secrets)
        elif key == "p_sensitive":
            expected = reference.l_distinct(columns, secrets)
        elif key == "d_x":
            expected = reference.il_percent(columns) / 100
        elif key == "dld":
            expected = reference.dld(columns, zscore)
        elif key == "dr":
            expected = (reference.dld(columns, zscore) + reference.id(columns)) / 2
        else:
            assert key == "score"
            expected = reference.il(columns) / 2 + (reference.dld(columns, zscore) + reference.id(columns)) / 4
        assert score.value == pytest.approx(expected, rel=1e-9, abs=1e-9), key
        assert score.definition.low <= score.value <= score.definition.high * (1 + 1e-9), key
    return scores


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 40), quasi=kinds, secret=kinds, few=st.booleans())
def test_measures_equal_their_twins(seed, n, quasi, secret, few):
    assert_equals_twin(*pair_and_twin(np.random.default_rng(seed), n, quasi, secret, few=few))


@pytest.mark.parametrize("few", [True, False])
def test_all_measures_apply_to_a_table_of_every_kind(few):
    every = ("numeric", "numeric", "date", "ordinal", "nominal")
    scores = assert_equals_twin(*pair_and_twin(np.random.default_rng(5), 150, every, every, few=few))
    others = ("subject", "weights")
    assert list(scores) == [key for key, measure in MEASURES.items() if measure.definition.role not in others]


def test_blocks_of_records_add_up(monkeypatch):
    import shoal.moments

    rng = np.random.default_rng(3)
    pair, columns, secrets = pair_and_twin(rng, 100, ("numeric", "ordinal", "nominal", "numeric"), ("numeric",))
    monkeypatch.setattr(shoal.moments, "BLOCK", 7)
    assert_equals_twin(pair, columns, secrets)


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.7e5])
def test_constant_columns(constant):
    rng = np.random.default_rng(1)
    pair, columns, secrets = pair_and_twin(rng, 30, ("numeric", "numeric"), ("numeric",))
    from shoal.measures import Pair

    columns[0].x = columns[0].y = [constant] * 30
    pair = Pair.of(
        {c.name: c.x for c in columns}, {c.name: c.y for c in columns}, confidential={s.name: s.values for s in secrets}
    )
    scores = assert_equals_twin(pair, columns, secrets)
    assert scores["il"].attributes[columns[0].name] == 0.0
