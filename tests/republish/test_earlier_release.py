"""Several releases of one table: what their classes leave of a person together is counted, and refused below k."""

from __future__ import annotations

import json
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, GuaranteeError, PlanError
from shoal.republish.earlier_release import require_fingerprints, unchanged_columns
from shoal.run import Earlier

QUASI = {"role": "quasi_identifier", "kind": "numeric"}
NOMINAL = {"kind": "nominal"}
ATTRIBUTES = {
    "name": {"role": "identifier"},
    "age": QUASI,
    "income": QUASI,
    "illness": {"role": "confidential", **NOMINAL},
    "ward": {"role": "other"},
}


def patients(n=40, seed=5):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": rng.integers(10, 90, n),
            "illness": rng.choice(["flu", "gout", "ulcer"], n),
            "ward": rng.choice(["east", "west"], n),
        }
    )


def plan(**changes):
    return shoal.Plan(**{"k": 4, "order": "keep", "attributes": ATTRIBUTES, **changes})


def left(frame, releases, columns=("age", "income"), whose=None):
    """For every record, those that share the released values with it in every release: an independent reader."""
    rows = [tuple(release[name][i] for release in releases for name in columns) for i in range(len(frame))]
    who = range(len(frame)) if whose is None else whose
    return [{who[j] for j, other in enumerate(rows) if other == row} for row in rows]


def same_class(frame, releases):
    rows = left(frame, releases)
    return [len({frame["illness"][j] for j in candidates}) for candidates in rows]


def test_classes_that_each_hold_k_meet_in_fewer_and_the_release_is_refused():
    frame = patients()
    first, second = shoal.anonymize(frame, plan()), shoal.anonymize(frame, plan(k=5))
    assert min(map(len, left(frame, [first.data]))) >= 4
    sizes = [len(candidates) for candidates in left(frame, [first.data, second.data])]
    assert min(sizes) == 1
    with pytest.raises(GuaranteeError, match="fewer than k = 5 where their classes meet, 1 at worst") as error:
        shoal.anonymize(frame, plan(k=5), after=[first])
    below = sum(size < 5 for size in sizes)
    assert f"{below} of 40 records are left with fewer than 5, {sizes.count(1)} of them alone" in str(error.value)
    assert error.value.reached == 1


def test_what_is_accepted_is_said_in_the_release_and_its_manifest():
    frame = patients()
    first = shoal.anonymize(frame, plan())
    release = shoal.anonymize(frame, plan(k=5), after=[first], after_anyway=True)
    verdict = release.guarantees["intersection"]
    assert (verdict.asked, verdict.achieved, verdict.holds) == (5, 1, False)
    sizes = [len(candidates) for candidates in left(frame, [first.data, release.data])]
    assert verdict.detail["below_k"] == sum(size < 5 for size in sizes)
    assert verdict.detail["singled_out"] == sizes.count(1)
    assert verdict.detail["determined illness"] == same_class(frame, [first.data, release.data]).count(1)
    assert verdict.detail["determined illness alone"] == same_class(frame, [release.data]).count(1)
    assert release.manifest["guarantees"][-1] == verdict.to_dict()
    assert release.manifest["after"] == [{"name": "earlier release 1", "sha256": first.manifest["output"]["sha256"]}]
    assert release.manifest["warnings"][-1].endswith("that was accepted (after_anyway)")
    assert "does not hold" in repr(release)
    assert release.data.equals(shoal.anonymize(frame, plan(k=5)).data)


def test_the_same_plan_again_leaves_what_it_left():
    frame = patients()
    first = shoal.anonymize(frame, plan())
    again = shoal.anonymize(frame, plan(), after=[first, first])
    assert again.guarantees["intersection"].achieved == again.guarantees["k_anonymity"].achieved
    assert again.guarantees.holds
    assert "warnings" in again.manifest
    assert not any("accepted" in warning for warning in again.manifest["warnings"])


def test_all_earlier_releases_are_intersected():
    frame = patients(200)
    earlier = [shoal.anonymize(frame, plan(k=k)) for k in (4, 5, 6)]
    found = []
    for count in (1, 2, 3):
        release = shoal.anonymize(frame, plan(k=7), after=earlier[:count], after_anyway=True)
        sizes = [len(who) for who in left(frame, [*(each.data for each in earlier[:count]), release.data])]
        assert release.guarantees["intersection"].detail["below_k"] == sum(size < 7 for size in sizes)
        assert release.guarantees["intersection"].detail["singled_out"] == sizes.count(1)
        found.append(sizes.count(1))
    assert found[0] < found[2]


def test_a_column_that_an_earlier_release_left_as_it_was_counts_as_it_stood_there():
    frame = patients()
    lax = {**ATTRIBUTES, "income": {"role": "other"}}
    first = shoal.anonymize(frame, plan(attributes=lax))
    release = shoal.anonymize(frame, plan(), after=[first], after_anyway=True)
    sizes = [len(who) for who in left(frame, [first.data, release.data])]
    assert release.guarantees["intersection"].achieved == min(sizes) == 1
    assert release.guarantees["intersection"].detail["below_k"] == sum(size < 4 for size in sizes)


def test_values_of_by_are_known_too():
    frame = patients()
    first = shoal.anonymize(frame, plan(by="ward"))
    release = shoal.anonymize(frame, plan(), after=[first], after_anyway=True)
    sizes = [len(who) for who in left(frame, [first.data, release.data], ("age", "income", "ward"))]
    assert release.guarantees["intersection"].detail["below_k"] == sum(size < 4 for size in sizes)


def test_subjects_are_counted_where_they_are_named():
    people = patients(30).drop("illness", "ward")
    stays = people.select(pl.col("name").repeat_by(2).explode())
    frame = stays.join(people, on="name", maintain_order="left").with_columns(
        illness=pl.Series(["flu", "gout", "ulcer"] * 20), ward=pl.Series(["east", "west"] * 30)
    )
    first = shoal.anonymize(frame, plan(subject="name"))
    release = shoal.anonymize(frame, plan(subject="name", k=5), after=[first], after_anyway=True)
    found = left(frame, [first.data, release.data], whose=frame["name"])
    verdict = release.guarantees["intersection"]
    assert verdict.achieved == min(map(len, found))
    below = {frame["name"][row] for row, who in enumerate(found) if len(who) < 5}
    assert verdict.detail["below_k"] == len(below)
    assert f"{len(below)} of 30 subjects (name)" in verdict.note


def test_the_groups_of_a_permutation_are_formed_again():
    frame = patients()
    first = shoal.anonymize(frame, plan(release="permute"))
    release = shoal.anonymize(frame, plan(k=5, release="permute"), after=[first], after_anyway=True)
    cells = list(zip(first.labels.tolist(), release.labels.tolist(), strict=True))
    assert release.guarantees["intersection"].achieved == min(map(cells.count, cells))
    changed = dict(first.manifest) | {"plan": {**first.manifest["plan"], "seed": 7}}
    with pytest.raises(DataError, match=r"permutation, and its groups, .* cannot be formed again"):
        Earlier.of(frame, first.data, changed)


def test_rows_that_were_shuffled_are_matched_by_their_map():
    frame = patients()
    first = shoal.anonymize(frame, plan())
    rows = np.random.default_rng(1).permutation(len(frame))
    shuffled = first.data[rows.tolist()]
    manifest = json.loads(first.manifest.to_json())
    manifest["output"]["sha256"] = shoal.frames.Table.of(shuffled).sha256()
    straight = Earlier.of(frame, first.data, first.manifest)
    mapped = Earlier.of(frame, shuffled, manifest, rows=rows)
    assert np.array_equal(mapped.classes(["age", "income"]), straight.classes(["age", "income"]))
    for given in (first, mapped):
        release = shoal.anonymize(frame, plan(k=5), after=[given], after_anyway=True)
        assert release.guarantees["intersection"].detail["singled_out"] == 7
    with pytest.raises(DataError, match=r"cannot be matched .* give the row map"):
        Earlier.of(frame, shuffled, manifest)
    with pytest.raises(DataError, match="and not that of another release"):
        Earlier.of(frame, shuffled, manifest, rows=rows[::-1])
    with pytest.raises(DataError, match="must name each of the 40 original rows once"):
        Earlier.of(frame, shuffled, manifest, rows=np.zeros(40, dtype=np.int64))


def test_rows_that_shoal_shuffled_are_shuffled_again():
    frame = patients()
    shuffled = shoal.anonymize(frame, plan(order="shuffle"))
    straight = shoal.anonymize(frame, plan())
    assert not shuffled.data.equals(straight.data)
    classes = Earlier.of(frame, straight.data, straight.manifest).classes(["age", "income"])
    for rows in (None, shuffled.rows):
        found = Earlier.of(frame, shuffled.data, shuffled.manifest, rows=rows).classes(["age", "income"])
        assert np.array_equal(found, classes)
    release = shoal.anonymize(frame, plan(k=5, order="shuffle"), after=[shuffled], after_anyway=True)
    assert release.guarantees["intersection"].detail["singled_out"] == 7
    permuted = shoal.anonymize(frame, plan(release="permute", order="shuffle"))
    groups = Earlier.of(frame, permuted.data, permuted.manifest).classes(["age"])
    assert np.array_equal(groups, shoal.anonymize(frame, plan(release="permute")).labels)


def test_where_no_column_stays_as_it_was_shuffled_rows_need_their_map():
    frame = patients().select("age", "income")
    masked = shoal.Plan(k=4, order="shuffle", attributes={"age": QUASI, "income": QUASI})
    release = shoal.anonymize(frame, masked)
    with pytest.raises(DataError, match=r"cannot be matched .* give the row map"):
        Earlier.of(frame, release.data, release.manifest)
    assert Earlier.of(frame, release.data, release.manifest, rows=release.rows).classes(["age"]).max() > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.sort("age"), "was not made of this table: .* rows were sorted or changed since"),
        (lambda frame: frame.with_columns(pl.col("age") + 1), "was not made of this table"),
        (lambda frame: frame.head(30), "was not made of this table"),
    ],
    ids=["sorted", "changed", "fewer"],
)
def test_a_release_of_another_table_is_refused(change, words):
    frame = patients()
    first = shoal.anonymize(frame, plan())
    with pytest.raises(DataError, match=words):
        shoal.anonymize(change(frame), plan(), after=[first])
    with pytest.raises(DataError, match="is not the release that its manifest speaks of"):
        Earlier.of(frame, change(first.data), first.manifest)


def test_what_is_no_release_is_refused():
    frame = patients()
    first = shoal.anonymize(frame, plan())
    nameless = {**first.manifest, "input": {**first.manifest["input"], "columns": ["age"]}}
    for wrong in ({}, {**first.manifest, "output": 1}, {**first.manifest, "input": None}, nameless):
        with pytest.raises(DataError, match="is none that shoal wrote"):
            Earlier.of(frame, first.data, wrong)
    of_another_version = {**first.manifest, "plan": {**first.manifest["plan"], "mystery": 1}}
    with pytest.raises(DataError, match="the plan in the manifest of the earlier release cannot be read: mystery"):
        Earlier.of(frame, first.data, of_another_version)
    with pytest.raises(DataError, match="cannot be matched"):
        Earlier.of(frame, first.data, {**first.manifest, "order": {"shuffled": True}})
    with pytest.raises(DataError, match="after takes releases"):
        shoal.anonymize(frame, plan(), after=[first.data])
    other = patients(50)
    release = shoal.anonymize(other, plan())
    elsewhere = Earlier.of(other, release.data, release.manifest)
    with pytest.raises(DataError, match="matched with another table"):
        shoal.anonymize(frame, plan(), after=[elsewhere])
    with pytest.raises(PlanError, match="after names none"):
        shoal.anonymize(frame, plan(), after_anyway=True)


def agreements(before, after, places=(0, 1, 2), **roles):
    """Whether each column that can be compared agrees, of tables of three records."""
    tables = [shoal.frames.Table.of(pl.DataFrame(columns)) for columns in (before, after)]
    roles = {"age": QUASI, **{name: {"role": "other"} for name in before if name != "age"}, **roles}
    asked = shoal.Plan(k=2, attributes=roles)
    found = list(unchanged_columns(*tables, asked, np.array(places)))
    assert all(codes.dtype == np.int64 for pair in found for codes in pair)
    return [np.array_equal(*pair) for pair in found]


DAY, HOUR = date(2024, 1, 1), timedelta(hours=1)
WORDS = ["b", "a", None]


@pytest.mark.parametrize(
    ("before", "after", "agrees"),
    [
        ([3, 1, None], [3, 1, None], [True]),
        ([3, 1, None], [3, 1, 2], [False]),
        ([3, 1, 2], [3, 1, None], [False]),
        ([3, 1, None], [1, 3, None], [False]),
        ([3, 1, 2], [3.0, 1.0, 2.0], [True]),
        ([3, 1, None], [3.0, 1.0, 3.0], [False]),
        ([3, 1, None], [3.0, 1.0, None], [True]),
        ([3.5, 1, 2], [3, 1, 2], [False]),
        ([1, 2, 3], ["1", "2", "3"], []),
        ([True, False, None], [1, 0, None], []),
        (WORDS, WORDS, [True]),
        (WORDS, ["b", "c", None], [False]),
        (WORDS, pl.Series(WORDS, dtype=pl.Enum(["b", "a"])), [True]),
        (WORDS, pl.Series(["b", "b", None], dtype=pl.Enum(["b"])), [False]),
        (WORDS, pl.Series(["1", "0", None], dtype=pl.Enum(["0", "1"])), []),
        (WORDS, pl.Series(["b", "a", "c"], dtype=pl.Enum(["a", "b", "c"])), []),
        ([DAY, None, DAY], [DAY, None, DAY], [True]),
        ([DAY, None, DAY], [DAY, DAY, None], [False]),
        ([HOUR] * 3, [HOUR] * 3, []),
        ([[1]] * 3, [[1]] * 3, []),
    ],
)
def test_columns_that_leave_as_they_were_are_compared_where_both_tables_can_tell(before, after, agrees):
    ages, more = {"age": [1, 2, 3]}, {"z": [1, 2, 3]}
    assert agreements({**ages, "x": before, **more}, {**ages, "x": after, **more}) == [*agrees, True]


def test_columns_that_only_one_table_or_the_plan_lacks_and_names_are_passed_over():
    before = {"who": [1, 2, 3], "age": [1, 2, 3], "gone": [1, 2, 3], "z": [1, 2, 3]}
    after = {"who": [1, 2, 3], "age": [2, 2, 3], "z": [2, 3, 1]}
    who = {"role": "identifier"}
    assert agreements(before, after, who=who) == [False]
    assert agreements(before, after, (2, 0, 1), who=who) == [True]
    tables = [shoal.frames.Table.of(pl.DataFrame(columns)) for columns in (before, {**after, "new": [1, 2, 3]})]
    asked = shoal.Plan(k=2, attributes={"age": QUASI, "z": {"role": "other"}})
    assert len(list(unchanged_columns(*tables, asked, np.arange(3)))) == 1


@pytest.mark.parametrize("rows", [np.arange(40)[:, None], np.arange(39), np.array(3), np.arange(40) / 1])
def test_a_map_of_rows_is_one_column_of_their_numbers(rows):
    frame = patients()
    first = shoal.anonymize(frame, plan())
    with pytest.raises(DataError, match="the row map of last year's must name each of the 40 original rows once"):
        Earlier.of(frame, first.data, first.manifest, rows=rows, name="last year's")


@pytest.mark.parametrize(
    ("original", "released", "refused"),
    [
        (["t"], ["r"], None),
        (["a", "file t"], ["b", "file r"], None),
        (["t"], ["b"], "x is not the release that its manifest speaks of"),
        (["a"], ["r"], "x was not made of this table"),
        (["r"], ["t"], "x is not the release that its manifest speaks of"),
    ],
)
def test_fingerprints_are_those_of_a_table_or_of_its_file(original, released, refused):
    plan_of = shoal.Plan(k=2, attributes={"age": QUASI}).to_dict()
    manifest = {
        "plan": plan_of,
        "input": {"sha256": "t", "file_sha256": "file t", "columns": ["age"]},
        "output": {"sha256": "r", "file_sha256": "file r"},
    }
    if refused is None:
        require_fingerprints(manifest, "x", original=original, released=released)
    else:
        with pytest.raises(DataError, match=refused):
            require_fingerprints(manifest, "x", original=original, released=released)


def test_cells_that_the_plan_calls_missing_are_missing_in_the_table_of_an_earlier_release():
    frame = patients().with_columns(ward=pl.lit("?"))
    first = shoal.anonymize(frame, plan(missing_values=["?"]))
    assert Earlier.of(frame, first.data, first.manifest).classes(["age"]).max() > 0


def test_a_release_that_says_nothing_of_its_order_has_that_of_the_table_and_of_no_column_no_classes():
    frame = patients()
    first = shoal.anonymize(frame, plan())
    unsaid = {section: content for section, content in first.manifest.items() if section != "order"}
    earlier = Earlier.of(frame, first.data, unsaid)
    assert np.array_equal(earlier.places, np.arange(40))
    assert earlier.classes(["name"]).tolist() == [0] * 40
    assert earlier.parted(earlier.classes(["age"]), 4).tolist() == []


def test_the_groups_of_a_permutation_inside_of_by_are_formed_again():
    frame = patients()
    first = shoal.anonymize(frame, plan(release="permute", by="ward"))
    assert np.array_equal(Earlier.of(frame, first.data, first.manifest).classes(["age"]), first.labels)
    changed = dict(first.manifest) | {"plan": {**first.manifest["plan"], "seed": 7}}
    with pytest.raises(DataError, match=r"^last year's was released by permutation"):
        Earlier.of(frame, first.data, changed, name="last year's")
