"""Rows of a release beside those of its original: told where they do not belong together, and only there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from shoal.frames import Table
from shoal.measures.matching import require_same_records
from shoal.plan import Plan
from shoal.republish.earlier_release import unchanged_columns

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


def test_a_release_of_other_rows_is_not_judged_by_the_persons_of_these() -> None:
    persons = [f"person {row // 5}" for row in range(100)]
    original = pl.DataFrame(
        {"who": persons, "stay": [row // 5 * 100 + row % 5 for row in range(100)], "note": range(100)}
    )
    plan = shoal.Plan(
        k=3,
        subject="who",
        attributes={
            "who": {"role": "identifier"},
            "stay": {"role": "quasi_identifier", "kind": "numeric"},
            "note": {"role": "other"},
        },
    )
    released = original.select(pl.col("stay") // 100 * 100, "note")  # every class is one person
    order = np.random.default_rng(1).permutation(100)
    assert not shoal.report.assess(original, released, plan).guarantees.holds
    with pytest.raises(shoal.DataError, match="not those of the original in its order"):
        shoal.report.assess(original, released[order], plan)
    assert not shoal.report.assess(original, released[order], plan, rows=order).guarantees.holds
    assert not shoal.report.assess(original, released[order], plan, key_column="note").guarantees.holds


def test_categories_of_a_typed_table_are_those_of_a_release_that_has_words() -> None:
    words = [str(place % 7) + "x" for place in range(60)]
    before, after = tables(words, words[3:] + words[:3])
    typed = Table.of(before.data.with_columns(pl.col("ill").cast(pl.Categorical)))
    with pytest.raises(DataError, match="not those of the original in its order"):
        require_same_records(typed, after, PLAN, perturbed=True)
    assert require_same_records(typed, before, PLAN, perturbed=True) is None


def test_labels_of_a_codebook_are_not_compared_with_its_codes() -> None:
    labelled, coded = tables([f"label {place % 7}" for place in range(60)], [str(place % 7) for place in range(60)])
    typed = Table.of(labelled.data.with_columns(pl.col("ill").cast(pl.Categorical)))
    assert list(unchanged_columns(typed, coded, PLAN, np.arange(60))) == []
    assert len(list(unchanged_columns(typed, labelled, PLAN, np.arange(60)))) == 1


@pytest.mark.parametrize("judge", [shoal.report.assess, shoal.utility, shoal.measures.identification_risks])
def test_tables_without_records_are_refused_in_a_sentence(judge: Callable[..., Any]) -> None:
    empty = pl.DataFrame(schema={"age": pl.Float64, "ill": pl.String})
    with pytest.raises(DataError, match="the tables have no records"):
        judge(empty, empty, PLAN)


@pytest.mark.parametrize("judge", [shoal.measure, shoal.utility, shoal.measures.identification_risks])
def test_nothing_is_measured_row_by_row_where_rows_stand_in_another_order(judge: Callable[..., Any]) -> None:
    dice = np.random.default_rng(1)
    original = pl.DataFrame({"age": dice.permutation(60) + 20.0, "ill": list(map(str, dice.permutation(60)))})
    release = shoal.anonymize(original, PLAN)
    order = dice.permutation(60)
    shuffled = release.data[order]
    with pytest.raises(DataError, match="not those of the original in its order"):
        judge(original, shuffled, PLAN)
    by_place = judge(original, shuffled, PLAN, rows=release.rows[order])
    assert str(by_place) == str(judge(original, release.data, PLAN, rows=release.rows))
