"""A growing table is released three times: an intruder with all releases takes classes from classes, and fails."""

from __future__ import annotations

import hashlib
import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import DataError, GuaranteeError, PlanError
from shoal.report.cautions import compared_with, decisions, limits_of
from shoal.run.model.model import VERSION

K = 4
KEY, OTHER = bytes(range(32)), bytes(32)
ATTRIBUTES = {
    "person": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "income": {"role": "quasi_identifier", "kind": "numeric"},
    "score": {"role": "confidential", "kind": "numeric"},
}


def plan(**changes):
    return shoal.Plan(**{"k": K, "subject": "person", "attributes": ATTRIBUTES, **changes})


def everybody(n=90, seed=11):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "person": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(10, 0.5, n).round(2),
            "score": rng.permutation(n) + 1000,  # a different one for everybody: rows can be followed
        }
    )


def differences(releases, people):
    """Return the persons whom an intruder singles out, or knows among fewer than k.

    The intruder has the released tables, follows rows by their score, and knows who was in the table when. Any class,
    or the persons who were not there yet, may be taken from or met with any other, and what is left again with those of
    a third release. Nothing of shoal is used.
    """
    known = []
    for data in releases:
        classes = [frozenset(part["score"]) for part in data.partition_by("age", "income")]
        known.append([*classes, frozenset(people["score"]) - frozenset(data["score"])])
    sets = {frozenset(part) for parts in known for part in parts if part}
    for first, second in combinations(known, 2):
        for one in first:
            for two in second:
                sets |= {one & two, one - two, two - one}
    for third in known:
        sets |= {part & one for part in list(sets) for one in third} | {
            part - one for part in list(sets) for one in third
        }
    return sorted(len(part) for part in sets if 0 < len(part) < K)


def subtracted_ages(first, second, people):
    """Solve for the age of a person who joined or left a class: the sum of one class less that of the other."""
    found = 0
    age_of = dict(zip(people["score"], people["age"], strict=True))
    for one in first.partition_by("age", "income"):
        for two in second.partition_by("age", "income"):
            new = set(two["score"]) - set(one["score"])
            if len(new) == 1 and set(one["score"]) < set(two["score"]):
                age = two["age"].sum() - one["age"].sum()
                found += abs(age - age_of[new.pop()]) < 1e-6
    return found


def three(**changes):
    people, releases, model = everybody(), [], None
    for size in (40, 65, 90):
        release = shoal.anonymize(people[:size], plan(**changes), remember=KEY, previous=model)
        releases.append(release)
        model = release.model
    return people, releases


def test_three_releases_of_a_growing_table_leave_nobody_among_fewer_than_k():
    people, releases = three()
    assert differences([release.data for release in releases], people) == []
    assert all(release.guarantees.holds for release in releases)
    assert releases[2].guarantees["intersection"].achieved >= K
    assert releases[2].manifest["previous"]["stayed"] == 65
    assert releases[2].manifest["previous"]["releases"] == 2


def test_the_same_attack_succeeds_without():
    people = everybody()
    alone = [shoal.anonymize(people[:size], plan()).data for size in (40, 65, 90)]
    found = differences(alone, people)
    assert found.count(1) > 20


def test_one_newcomer_is_found_by_subtraction_and_refused_with_previous():
    people = everybody()
    tight = [people[:40], people[:41]]
    alone = [shoal.anonymize(part, plan()).data for part in tight]
    grown = shoal.anonymize(people[:40], plan(), remember=KEY).model
    # Put the newcomer into the nearest class and average anew, as who appends records to a release would.
    naive = grown.apply(people[40:41])
    class_of = alone[0].filter((pl.col("age") == naive.data["age"][0]) & (pl.col("income") == naive.data["income"][0]))
    members = people.filter(pl.col("score").is_in([*class_of["score"], people["score"][40]]))
    again = members.with_columns(age=pl.lit(members["age"].mean()), income=pl.lit(members["income"].mean()))
    assert subtracted_ages(class_of, again, people) == 1
    with pytest.raises(GuaranteeError, match="1 subject is new since the previous release, fewer than k = 4"):
        shoal.anonymize(people[:41], plan(), remember=KEY, previous=grown)


def test_who_stays_keeps_the_same_values_while_nobody_of_the_group_leaves():
    _, (first, second, _) = three()
    before = {row["score"]: (row["age"], row["income"]) for row in first.data.iter_rows(named=True)}
    after = {row["score"]: (row["age"], row["income"]) for row in second.data.iter_rows(named=True)}
    assert all(after[score] == values for score, values in before.items())


def test_rules_merge_cells_and_leave_k_of_each():
    people, releases = three(closeness={"t": 0.2}, refine="quick")
    assert differences([release.data for release in releases], people) == []
    assert all(release.guarantees["t_closeness"].holds for release in releases)


def test_the_model_of_the_next_release_remembers_all_before_it(tmp_path):
    people, releases = three()
    releases[2].model.save(tmp_path / "m.json")
    again = shoal.Model.load(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    assert not any(f'"{name}"' in text for name in people["person"])
    assert again.ledger is not None
    assert again.ledger.releases == 3
    assert int(again.ledger.sizes.min()) >= K
    assert int(again.ledger.sizes.sum()) == 90


def test_who_leaves_alone_is_refused_held_back_or_accepted():
    people = everybody()
    first = shoal.anonymize(people[:60], plan(), remember=KEY)
    without = people[1:80]
    with pytest.raises(GuaranteeError, match="fewer than k = 4"):
        shoal.anonymize(without, plan(), remember=KEY, previous=first.model)
    held = shoal.anonymize(without, plan(), remember=KEY, previous=first.model, hold_back=True)
    assert differences([first.data, held.data], people) == []
    assert held.manifest["previous"]["held_back"] == len(without) - len(held.data) > 0
    assert held.manifest["input"]["rows"] == len(without)
    assert without["score"].to_numpy()[held.rows].tolist() == held.data["score"].to_list()
    taken = shoal.anonymize(without, plan(), remember=KEY, previous=first.model, after_anyway=True)
    assert not taken.guarantees["intersection"].holds
    assert differences([first.data, taken.data], people) != []


def test_one_changed_value_is_refused_and_those_of_a_whole_group_are_not():
    people = everybody(60)
    first = shoal.anonymize(people, plan(), remember=KEY)
    one = people.with_columns(age=pl.when(pl.col("person") == "person 7").then(17).otherwise("age"))
    with pytest.raises(GuaranteeError, match="release changed values of k of a group at once"):
        shoal.anonymize(one, plan(), remember=KEY, previous=first.model)
    older = people.with_columns(pl.col("age") + 1)
    second = shoal.anonymize(older, plan(), remember=KEY, previous=first.model)
    assert second.manifest["previous"]["changed"] == 60
    assert second.guarantees.holds


def test_newcomers_wait_until_there_are_k():
    people = everybody()
    first = shoal.anonymize(people[:60], plan(), remember=KEY)
    waiting = shoal.anonymize(people[:62], plan(), remember=KEY, previous=first.model, hold_back=True)
    assert len(waiting.data) == 60
    then = shoal.anonymize(people[:64], plan(), remember=KEY, previous=waiting.model)
    assert len(then.data) == 64
    assert differences([first.data, waiting.data, then.data], people) == []


def test_by_keeps_newcomers_of_each_value_apart():
    wards = {**ATTRIBUTES, "ward": {"role": "quasi_identifier", "kind": "nominal"}}
    people = everybody().with_columns(ward=pl.Series(["east"] * 60 + ["west"] * 28 + ["east"] * 2))
    by = plan(by="ward", attributes=wards)
    first = shoal.anonymize(people[:70], by, remember=KEY)
    with pytest.raises(GuaranteeError, match="2 subjects are new since the previous release inside a value of by"):
        shoal.anonymize(people, by, remember=KEY, previous=first.model)
    held = shoal.anonymize(people, by, remember=KEY, previous=first.model, hold_back=True)
    assert len(held.data) == 88


def test_who_alone_moves_to_another_value_of_by_is_refused_or_held_back():
    wards = {**ATTRIBUTES, "ward": {"role": "quasi_identifier", "kind": "nominal"}}
    people = everybody(60).with_columns(ward=pl.Series(["east"] * 30 + ["west"] * 30))
    by = plan(by="ward", attributes=wards)
    first = shoal.anonymize(people, by, remember=KEY)
    moved = people.with_columns(ward=pl.when(pl.col("person") == "person 3").then(pl.lit("west")).otherwise("ward"))
    with pytest.raises(GuaranteeError, match="of a group of the previous release have a value of by together"):
        shoal.anonymize(moved, by, remember=KEY, previous=first.model)
    held = shoal.anonymize(moved, by, remember=KEY, previous=first.model, hold_back=True)
    assert people["score"][3] not in held.data["score"].to_list()
    assert 60 - 2 * K < len(held.data) < 60


def test_hold_back_does_not_advise_itself():
    """Cells of two groups or more may be parted, and then a change that the cell shares is not shared by a group."""
    people = everybody(60)
    first = shoal.anonymize(people, plan(k=20), remember=KEY)
    some = people.with_columns(age=pl.when(pl.int_range(60) % 4 == 0).then(pl.col("age") + 1).otherwise("age"))
    with pytest.raises(GuaranteeError, match="column by column, or accept it"):
        shoal.anonymize(some, plan(), remember=KEY, previous=first.model, hold_back=True)
    with pytest.raises(GuaranteeError, match="or hold back who cannot be released"):
        shoal.anonymize(some, plan(), remember=KEY, previous=first.model)


@pytest.mark.parametrize(
    ("changes", "options", "error", "said"),
    [
        ({"subject": "record"}, {"remember": KEY}, PlanError, "recognised by subject"),
        ({"guarantee": False, "method": "individual"}, {"remember": KEY}, PlanError, "groups of whole records"),
        ({"suppress": 0.1}, {"remember": KEY}, PlanError, "leave suppress"),
        ({}, {"remember": b"short"}, PlanError, "remember must be 32 random bytes"),
        ({}, {"hold_back": True}, PlanError, "give previous"),
    ],
    ids=["record", "method", "suppress", "key", "hold back"],
)
def test_what_cannot_be_remembered_is_refused(changes, options, error, said):
    with pytest.raises(error, match=said):
        shoal.anonymize(everybody(), plan(**changes), **options)


def test_previous_needs_its_key_its_columns_and_a_memory():
    people = everybody()
    first = shoal.anonymize(people[:60], plan(), remember=KEY).model
    with pytest.raises(PlanError, match="previous needs the key"):
        shoal.anonymize(people, plan(), previous=first)
    with pytest.raises(DataError, match="key is not the one"):
        shoal.anonymize(people, plan(), previous=first, remember=OTHER)
    with pytest.raises(DataError, match="remembers nobody"):
        shoal.anonymize(people, plan(), previous=shoal.anonymize(people[:60], plan()).model, remember=KEY)
    with pytest.raises(PlanError, match="previous takes the model"):
        shoal.anonymize(people, plan(), previous={}, remember=KEY)
    fewer = {**ATTRIBUTES, "income": {"role": "other"}}
    with pytest.raises(PlanError, match="they must be the same"):
        shoal.anonymize(people, plan(attributes=fewer), previous=first, remember=KEY)


def test_another_subject_column_and_a_table_of_nobody_known_are_refused():
    people = everybody().with_columns(number=pl.Series([f"no. {i}" for i in range(90)]))
    numbered = {**ATTRIBUTES, "number": {"role": "identifier"}}
    first = shoal.anonymize(people[:60], plan(attributes=numbered), remember=KEY).model
    with pytest.raises(PlanError, match="subject of the previous release is 'person', and that of the plan 'number'"):
        shoal.anonymize(people, plan(attributes=numbered, subject="number"), previous=first, remember=KEY)
    others = people.with_columns(pl.col("person") + " again")
    with pytest.raises(GuaranteeError, match="60 subjects of earlier releases is in the table by 'person'"):
        shoal.anonymize(others, plan(attributes=numbered), previous=first, remember=KEY)
    with pytest.raises(GuaranteeError, match="nobody of the 60 subjects"):
        shoal.anonymize(others, plan(attributes=numbered), previous=first, remember=KEY, hold_back=True)
    taken = shoal.anonymize(others, plan(attributes=numbered), previous=first, remember=KEY, after_anyway=True)
    assert taken.manifest["previous"]["stayed"] == 0


def test_columns_that_are_compared_otherwise_are_other_columns():
    where = {"lat": pl.Series(range(60)) / 2.0, "lon": pl.Series(range(60)) / 3.0}
    people = everybody(60).with_columns(**where)
    degrees = {"role": "quasi_identifier", "kind": "numeric"}
    apart = plan(attributes={**ATTRIBUTES, "lat": degrees, "lon": degrees})
    first = shoal.anonymize(people, apart, remember=KEY).model
    place = {"role": "quasi_identifier", "kind": "place", "longitude": "lon"}
    together = plan(attributes={**ATTRIBUTES, "lat": place})
    with pytest.raises(PlanError, match="has means of 'age', 'income', 'lat', 'lon' and the plan of"):
        shoal.anonymize(people, together, previous=first, remember=KEY)


@pytest.mark.parametrize(
    "change",
    [
        lambda ledger: ledger["cells"].__setitem__(0, -1),
        lambda ledger: ledger["cells"].__setitem__(0, 10**30),
        lambda ledger: ledger["cells"].__setitem__(0, None),
        lambda ledger: ledger["cells"].__setitem__(0, "0"),
        lambda ledger: ledger.update(releases=0),
        lambda ledger: ledger.update(releases=-3),
        lambda ledger: ledger.update(releases=10**9),
        lambda ledger: ledger.update(check="é"),
        lambda ledger: ledger["values"].__setitem__(0, []),
        lambda ledger: ledger["values"][0][0].__setitem__(0, 2),
        lambda ledger: ledger["values"][0][0].__setitem__(1, "00"),
        lambda ledger: ledger["subjects"].__setitem__(0, ledger["subjects"][1]),
        lambda ledger: ledger["columns"].pop(),
        lambda ledger: ledger.update(subjects=[], cells=[], values=[], shown=[]),
        lambda ledger: ledger["shown"].pop(),
        lambda ledger: ledger["shown"][0].__setitem__(0, -1),
    ],
    ids=[
        *("negative cell", "huge cell", "no cell", "text", "no release", "negative release", "releases", "check"),
        *("no values", "later value", "short value", "twice", "column", "nobody", "shown", "none shown"),
    ],
)
def test_a_ledger_that_shoal_did_not_write_is_refused_though_its_hash_agrees(tmp_path, change):
    content = shoal.anonymize(everybody(), plan(), remember=KEY).model.to_dict()
    change(content["ledger"])
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    whole = {"format": "shoal model", "version": VERSION, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**whole, "content": content}))
    path.chmod(0o600)
    with pytest.raises(DataError, match="is no model that shoal wrote, though its hash agrees"):
        shoal.Model.load(path)


def test_a_report_says_what_the_release_was_compared_with():
    people = everybody()
    first = shoal.anonymize(people[:60], plan(), remember=KEY)
    second = shoal.anonymize(people, plan(), remember=KEY, previous=first.model)
    assert any("compared with no other" in line for line in decisions(first, plan(), (), ()))
    assert not any("compared" in line for line in decisions(second, plan(), (), ()))
    assert "compared with 1 earlier release, and with no other" in limits_of(plan(), compared_with(second.manifest))[0]


def test_records_of_a_subject_that_differ_are_refused():
    people = everybody(40).with_columns(person=pl.Series([f"person {i // 2}" for i in range(40)]))
    with pytest.raises(DataError, match="differs between records of one subject"):
        shoal.anonymize(people, plan(), remember=KEY)


@pytest.mark.parametrize("seed", range(4))
def test_who_comes_goes_and_comes_back_is_never_among_fewer_than_k(seed):
    """Five releases of a table with churn and changes: every signature of classes is shared by k, whoever it is."""
    rng = np.random.default_rng(seed)
    people, model, releases, held_back = everybody(120, seed), None, [], 0
    there = rng.random(120) < 0.6
    for _ in range(5):
        older = rng.random(120) < 0.03
        people = people.with_columns(age=pl.col("age") + pl.Series(older.astype(int)))
        table = people.filter(pl.Series(there))
        release = shoal.anonymize(table, plan(seed=seed), remember=KEY, previous=model, hold_back=model is not None)
        held_back += len(table) - len(release.data)
        releases.append(release.data)
        model = release.model
        there = np.where(rng.random(120) < 0.1, ~there, there)
    signatures: dict[object, list[tuple[float, float] | None]] = {score: [] for score in people["score"]}
    for data in releases:
        classes = {row["score"]: (row["age"], row["income"]) for row in data.iter_rows(named=True)}
        for score, signature in signatures.items():
            signature.append(classes.get(score))
    released = [tuple(signature) for signature in signatures.values() if any(signature)]
    assert held_back > 0
    assert len(set(released)) > 1
    assert min(released.count(signature) for signature in set(released)) >= K
