"""Rows of a release beside those of its original: told where they do not belong together, and only there."""

import polars as pl
import pytest

from shoal.attack.same_records import require_same_records
from shoal.errors import DataError
from shoal.frames import Table
from shoal.plan import Plan

PLAN = Plan(
    k=2,
    attributes={
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "ill": {"role": "confidential", "kind": "nominal"},
    },
)


def tables(before: list[str], after: list[str]) -> tuple[Table, Table]:
    return tuple(
        Table.of(pl.DataFrame({"age": [30.0 + place for place in range(len(ill))], "ill": ill}))
        for ill in (before, after)
    )


@pytest.mark.parametrize("perturbed", [False, True])
@pytest.mark.parametrize("ill", [["a", "b"], ["a", "b", "b"], ["a", "b", "c", "d"]])
def test_few_records_that_all_agree_are_taken(ill: list[str], perturbed: bool) -> None:
    before, after = tables(ill, ill)
    assert require_same_records(before, after, PLAN, perturbed=perturbed) is None


@pytest.mark.parametrize("perturbed", [False, True])
def test_the_same_records_in_another_order_are_refused(perturbed: bool) -> None:
    ill = [str(place) for place in range(40)]
    before, after = tables(ill, ill[1:] + ill[:1])
    with pytest.raises(DataError, match="not those of the original in its order"):
        require_same_records(before, after, PLAN, perturbed=perturbed)
