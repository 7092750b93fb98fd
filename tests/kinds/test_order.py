"""The declared order of an ordinal column, in columns of every type."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import DataError, Plan

ORDERS = {"numbers": [1, 2, 3], "floats": [1.0, 2.0, 3.0], "text": ["1", "2", "3"]}
COLUMNS = {
    "integers": pl.Series([1, 1, 3, 3]),
    "floats": pl.Series([1.0, 1.0, 3.0, 3.0]),
    "decimals": pl.Series([1, 1, 3, 3]).cast(pl.Decimal(5, 2)),
}


def masked(frame, order, k=4):
    attribute = {"role": "quasi_identifier", "kind": "ordinal", "order": order, "aggregate": "convex_median"}
    return shoal.anonymize(frame, Plan(k=k, attributes={"x": attribute})).data["x"]


LIBRARIES = [pl.DataFrame.clone, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
# pandas has decimals only as Python objects, which shoal does not mask.
CASES = [(c, to) for c in COLUMNS for to in LIBRARIES if (c, to) != ("decimals", pl.DataFrame.to_pandas)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("column", "convert"), CASES)
def test_numbers_are_categories_by_value_and_the_one_between_need_not_occur(order, column, convert):
    frame = convert(COLUMNS[column].alias("x").to_frame())
    values = masked(frame, ORDERS[order])
    assert (values.to_pylist() if isinstance(frame, pa.Table) else values.to_list()) == [2] * 4
    assert (values.type if isinstance(frame, pa.Table) else values.dtype) == (
        frame["x"].type if isinstance(frame, pa.Table) else frame["x"].dtype
    )


def test_a_pandas_column_with_gaps_is_one_of_floats_and_still_has_its_order():
    attribute = {"role": "quasi_identifier", "kind": "ordinal", "order": [1, 2, 3], "missing": "impute"}
    frame = pd.DataFrame({"x": [1, None, 3, 3]})
    assert shoal.anonymize(frame, Plan(k=4, attributes={"x": attribute})).data["x"].tolist() == [3.0] * 4


@pytest.mark.parametrize("order", [[1, 2, 3], ["1", "2", "3"]])
def test_text_is_compared_as_it_is_written(order):
    assert masked(pl.DataFrame({"x": ["1", "1", "3", "3"]}), order).to_list() == ["2"] * 4
    with pytest.raises(DataError, match="4 values outside its declared order"):
        masked(pl.DataFrame({"x": ["1.0", "1.0", "3.0", "3.0"]}), order)


@pytest.mark.parametrize(
    ("values", "order", "words"),
    [
        ([1, 1, 3, 3], [1, "two", 3], "holds whole numbers, and its declared order lists something else"),
        ([1, 1, 3, 3], [1, 2.5, 3], "holds whole numbers, and its declared order lists something else"),
        ([1.0, 1.0, 3.0, 3.0], [1, "two", 3], "holds numbers, and its declared order lists something else"),
    ],
)
def test_an_order_of_something_else_than_numbers_is_refused_for_numbers(values, order, words):
    with pytest.raises(DataError, match=words):
        masked(pl.DataFrame({"x": values}), order)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["1", "1", "3", "3"], dtype=pl.Enum(["1", "3"])),
        pd.Series(pd.Categorical(["1", "1", "3", "3"], ordered=True)),
    ],
    ids=["polars", "pandas"],
)
def test_an_ordered_type_that_lacks_a_category_of_the_order_is_refused(column):
    frame = pl.DataFrame({"x": column}) if isinstance(column, pl.Series) else pd.DataFrame({"x": column})
    with pytest.raises(DataError, match="'x' has ordered categories of its own, and '2'"):
        masked(frame, ["1", "2", "3"])


@pytest.mark.parametrize("frame", [pd.DataFrame({"x": pd.Categorical(["1", "1", "3", "3"])})], ids=["pandas"])
def test_a_type_without_an_order_takes_the_category_in_between(frame):
    assert masked(frame, ["1", "2", "3"]).tolist() == ["2"] * 4
