"""One category or subject written in several ways."""

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NUMERIC, found

N = 120
SECRET = {"role": "confidential", "kind": "nominal"}


def plan(**more):
    return shoal.Plan(k=4, attributes={"age": NUMERIC, "illness": SECRET}, **more)


def ill(*words):
    rng = np.random.default_rng(0)
    return pl.DataFrame({"age": rng.integers(0, 90, N), "illness": rng.choice(words, N)})


DIVERSITY = {"diversity": {"distinct": 2}}


@pytest.mark.parametrize(
    "variant", ["HIV ", " HIV", "hiv", "Hiv", "ＨＩＶ"], ids=["after", "before", "small", "mixed", "wide"]
)
@pytest.mark.parametrize("asked", [DIVERSITY, {"closeness": {"t": 0.5, "method": "merge"}}], ids=["diverse", "close"])
def test_what_a_guarantee_counts_twice(variant, asked):
    frame = ill("HIV", "HIV", "HIV", variant, "flu", "flu")
    (giveaway,) = found(frame, plan(**asked))
    records = int((frame["illness"] == variant).sum())
    section = next(iter(asked))
    assert giveaway.sentence == (
        f"'illness' has 1 category that differs from another only in spaces or letter case, in {records} records, and "
        f"{section} counts it as a value of its own: write each in one way first"
    )
    assert (giveaway.name, giveaway.columns, giveaway.records) == ("category_spellings", ("illness",), records)
    assert giveaway.remedy == ""


def test_spaces_inside_and_several_variants():
    frame = ill("lung cancer", "lung  cancer", "Lung cancer", "flu", "FLU")
    (giveaway,) = found(frame, plan(**DIVERSITY, closeness={"t": 0.5, "method": "merge"}))
    assert "has 3 categories that differ from another" in giveaway.sentence
    assert "closeness and diversity count each" in giveaway.sentence or "diversity and closeness" in giveaway.sentence
    counts = frame["illness"].value_counts(sort=True)
    lung = counts.filter(pl.col("illness").str.to_lowercase().str.starts_with("lung"))["count"].to_list()
    flu = counts.filter(pl.col("illness").str.to_lowercase() == "flu")["count"].to_list()
    assert giveaway.records == sum(lung) - max(lung) + sum(flu) - max(flu)


def test_none_where_nothing_counts_them_or_they_differ():
    assert found(ill("HIV", "HIV "), plan()) == []
    assert found(ill("HIV", "HIV-2", "HIV 2", "flu"), plan(**DIVERSITY)) == []
    numbers = pl.DataFrame({"age": np.arange(N) % 17, "illness": np.arange(N) % 5})
    assert found(numbers, plan(**DIVERSITY)) == []


def test_a_label_that_no_record_has_is_no_variant():
    frame = ill("HIV", "flu").with_columns(pl.col("illness").cast(pl.Enum(["HIV", "hiv", "flu"])))
    assert found(frame, plan(**DIVERSITY)) == []


def test_only_protected_attributes_are_looked_at():
    frame = ill("HIV", "hiv").with_columns(town=pl.Series(["Vic", "vic", "Olot"] * (N // 3)))
    about = {"age": NUMERIC, "illness": SECRET, "town": SECRET}
    chosen = shoal.Plan(k=4, attributes=about, diversity={"distinct": 2, "attributes": ["town"]})
    assert [giveaway.columns for giveaway in found(frame, chosen)] == [("town",)]


def persons(*names):
    rng = np.random.default_rng(1)
    return pl.DataFrame({"person": [names[i % len(names)] for i in range(N)], "age": rng.integers(0, 90, N)})


SUBJECT = shoal.Plan(k=4, subject="person", attributes={"person": {"role": "identifier"}, "age": NUMERIC})


def test_subjects_that_differ_only_in_letter_case():
    frame = persons("p-a1", "P-A1", "p-b", "p-c", "p-d", "p-e", "p-f", "p-g")
    (giveaway,) = found(frame, SUBJECT, "subject_spellings")
    assert giveaway.sentence == (
        "1 subject of 'person' differs from another only in letter case, in 15 records, and k counts it as a subject "
        "of its own: write each in one way first"
    )
    assert giveaway.columns == ("person",)
    assert giveaway.records == 15


def test_subjects_that_are_the_same_or_different_anyway():
    assert found(persons("p-a", "p-b", "p-c", "p-d", " p-d"), SUBJECT, "subject_spellings") == []
    assert found(persons("p-a", "p-b", "p-c", "p-d", "p-e"), SUBJECT, "subject_spellings") == []
