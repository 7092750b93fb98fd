"""Pairs: kinds, missing values, dates, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.measures import (
    ConfidentialColumn,
    Pair,
    compute,
    dld,
    id,
    il_percent,
    k_min,
    k_prime,
    l_avg,
    l_distinct,
    mse,
    sse,
)


def test_an_ordinal_column_counts_steps_of_its_order():
    order = ["none", "primary", "secondary", "degree"]
    pair = Pair.of({"e": ["none", "degree"]}, {"e": ["primary", "primary"]}, kinds={"e": order})
    assert mse(pair).value == pytest.approx((0.25**2 + 0.5**2) / 2)
    longer = Pair.of({"e": ["none", "degree"]}, {"e": ["primary", "primary"]}, kinds={"e": [*order, "doctor"]})
    assert mse(longer).value < mse(pair).value


def test_a_nominal_column_counts_changes():
    pair = Pair.of({"t": ["a", "b", "b", "c"]}, {"t": ["a", "b", "c", "new"]}, kinds={"t": "nominal"})
    assert sse(pair).value == 2.0
    assert il_percent(pair).value == pytest.approx(100.0)  # the mode misses two of four as well


def test_a_suppressed_column_has_lost_its_variance_and_no_more():
    values = np.array([1.0, 2.0, 4.0, 9.0])
    assert il_percent(Pair.of(values, np.full(4, np.nan))).value == pytest.approx(100.0)
    assert il_percent(Pair.of([1, None, 4, 9], [1, None, 4, 9])).value == 0.0


def test_missing_cells_are_one_value_to_tell_records_apart_by():
    pair = Pair.of([1.0, 2.0, 3.0, 4.0], [np.nan, np.nan, 2.5, 2.5])
    assert k_min(pair).value == 2
    assert k_prime(pair).value == 2


def test_a_missing_category_is_a_category():
    nominal = Pair.of({"t": ["a", None]}, {"t": [None, None]}, kinds={"t": "nominal"})
    assert sse(nominal).value == 1.0
    ordinal = Pair.of({"t": ["a", None, "b"]}, {"t": ["a", "a", "b"]}, kinds={"t": ["a", "b"]})
    assert sse(ordinal).value == pytest.approx((1 / 3) ** 2)


def test_dates_are_counted_in_a_common_unit():
    days = np.array(["2024-01-01", "2024-01-03", "2024-01-05"], dtype="datetime64[D]")
    seconds = days.astype("datetime64[s]") + np.timedelta64(86_400, "s")
    pair = Pair.of({"d": days}, {"d": seconds}, kinds={"d": "date"})
    assert mse(pair).value == pytest.approx(0.25**2)
    assert k_min(pair).value == 1
    assert id(pair).columns == ("d",)


def test_missing_confidential_values_are_a_value():
    same = [0.0] * 4
    pair = Pair.of(same, same, confidential=[5.0, 5.0, np.nan, np.nan])
    assert l_distinct(pair).value == 2
    assert l_avg(pair).value == 2
    words = Pair.of(same, same, confidential={"w": ["x", None, None, "x"]}, kinds={"w": "nominal"})
    assert l_distinct(words).value == 2
    ranks = ConfidentialColumn.of("r", ["low", None, "high", "low"], kind=["low", "high"])
    assert ranks.codes.tolist() == [0, 2, 1, 0]


def test_only_keeps_some_quasi_identifiers():
    pair = Pair.of(np.arange(12.0).reshape(6, 2), np.repeat([[1.0, 7.0], [2.0, 8.0]], 3, axis=0))
    assert pair.only(["1"]).names == ("1",)
    with pytest.raises(DataError, match="not among the quasi-identifiers"):
        pair.only(["2"])


def test_integers_and_float32_are_numbers():
    x = np.array([[1, 2], [3, 5], [9, 9]])
    as_int, as_float = Pair.of(x, x[::-1]), Pair.of(x.astype(np.float32), x[::-1].astype(np.float32))
    assert sse(as_int).value == pytest.approx(sse(as_float).value)
    assert dld(as_int).value == dld(as_float).value


@pytest.mark.parametrize("exponent", [-1000, -400, 400, 1000])
def test_the_unit_of_a_column_changes_nothing(exponent):
    rng = np.random.default_rng(8)
    x = rng.normal(5, 1, (40, 2))
    y = x.reshape(10, 4, 2).mean(axis=1).repeat(4, axis=0)
    plain = compute(Pair.of(x, y, confidential=x[:, 0].round(1)))
    tiny_or_huge = Pair.of(
        np.ldexp(x, exponent), np.ldexp(y, exponent), confidential=np.ldexp(x[:, 0].round(1), exponent)
    )
    for key, score in compute(tiny_or_huge).items():
        assert score.value == pytest.approx(plain[key].value), key


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"original": [1.0, 2.0], "released": [1.0]}, "same records, but column '0' has 2 and 1"),
        ({"original": {"a": [1.0]}, "released": {"b": [1.0]}}, r"same columns, but they are \['a'\] and \['b'\]"),
        ({"original": {}, "released": {}}, "at least one quasi-identifier"),
        ({"original": [], "released": []}, "at least one record"),
        ({"original": [[[1.0]]], "released": [[[1.0]]]}, "not an array of 3 dimensions"),
        ({"original": {"a": [[1.0]]}, "released": {"a": [[1.0]]}}, "one value per record"),
        ({"original": [1.0], "released": [np.inf]}, "infinite"),
        ({"original": ["x"], "released": ["y"]}, "not numbers"),
        ({"original": [1.0], "released": [1.0], "kinds": {"z": "nominal"}}, "no table has"),
        ({"original": [1.0], "released": [1.0], "kinds": {"0": "ordinal"}}, "list the categories"),
        ({"original": ["a"], "released": ["b"], "kinds": {"0": ["a"]}}, "row 1 that is not in its order"),
        ({"original": ["a"], "released": ["a"], "kinds": {"0": ["a", "a"]}}, "each category once"),
        (
            {"original": [1.0], "released": [1.0], "confidential": [1.0, 2.0]},
            "has 2 records, but the first column has 1",
        ),
        ({"original": [1.0], "released": [1.0], "confidential": {"c": [[1.0]]}}, "one value per record"),
        (
            {"original": [1.0], "released": [1.0], "confidential": {"c": ["a"]}, "kinds": {"c": "odd"}},
            "cannot be of kind 'odd'",
        ),
    ],
)
def test_what_cannot_be_paired_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Pair.of(**arguments)


def test_subsets_that_read_alike_are_two():
    released = {"a": [1, 2, 1, 2], "b": [1, 1, 2, 2], "a + b": [7, 7, 7, 7]}
    assert k_min(Pair.of(released, released), subsets=[["a", "b"], ["a + b"]]).value == 1
    assert k_min(Pair.of(released, released), subsets=[["a + b"], ["a", "b"]]).value == 1
