"""New records are masked by groups that k share already, and a model is a file that is not mistaken for another."""

from __future__ import annotations

import hashlib
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from people import ADMITTED, COUNTY, attributes, people, plan
from shoal import DataError, Model, PlanError

QUASI = ["age", "grade", "county", "admitted"]


def model(**changes):
    return shoal.anonymize(people(), plan(**changes)).model


def slow_distance(release, new, frame):
    """Squared distances of new records to the classes of a release, column by column, as the docs say."""
    deviation = {name: np.std(as_numbers(frame[name]), ddof=1) for name in ("age", "admitted")}
    order = {name: place for place, name in enumerate(["low", "mid", "high", "top"])}
    total = 0.0
    for name in ("age", "admitted"):
        before, after = as_numbers(release[name]), as_numbers(new[name])
        total = total + ((after[:, None] - before[None, :]) / deviation[name]) ** 2
    ranks = [np.array([order[value] for value in table["grade"]]) / 4 for table in (release, new)]
    total = total + (ranks[1][:, None] - ranks[0][None, :]) ** 2
    return total + (new["county"].to_numpy()[:, None] != release["county"].to_numpy()[None, :])


def as_numbers(series):
    return (series.cast(pl.Int32) if series.dtype == pl.Date else series).to_numpy().astype(float)


def test_a_new_record_gets_the_values_of_the_nearest_class():
    frame, new = people(), people(60, seed=9)
    release = shoal.anonymize(frame, plan())
    masked = release.model.apply(new).data
    distances = slow_distance(release.data, new, frame)
    chosen = slow_distance(release.data, new, frame).argmin(axis=1)
    for row in range(len(new)):
        given = masked.select(QUASI).row(row)
        shared = [given == other for other in release.data.select(QUASI).iter_rows()]
        assert sum(shared) >= 4
        assert distances[row][shared].min() == pytest.approx(distances[row][chosen[row]])


def test_other_columns_stay_and_identifiers_go():
    new = people(20, seed=3)
    masked = model().apply(new).data
    assert masked.columns == [name for name in new.columns if name != "name"]
    assert masked.select("pay", "ward").equals(new.select("pay", "ward"))
    assert masked.schema["admitted"] == pl.Date


def test_a_model_holds_no_records_and_says_what_is_promised():
    frame = people()
    release = shoal.anonymize(frame, plan())
    text = release.model.to_json()
    assert not any(name in text for name in frame["name"])
    assert not any(repr(pay) in text for pay in frame["pay"])
    applied = release.model.apply(people(20, seed=3))
    assert "one of k + 1" in applied.promise
    assert "knows who is new" in applied.not_promised
    assert "20 new records" in repr(applied)


def test_it_goes_through_a_file_for_its_owner_alone(tmp_path):
    first, new = model(), people(30, seed=4)
    first.save(tmp_path / "m.json")
    assert (tmp_path / "m.json").stat().st_mode & 0o077 == 0
    again = Model.load(tmp_path / "m.json")
    assert again.apply(new).data.equals(first.apply(new).data)
    assert pickle.loads(pickle.dumps(first)).apply(new).data.equals(first.apply(new).data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda whole: whole.update(version=2), "is of version 2"),
        (lambda whole: whole["content"]["groups"]["subjects"].__setitem__(0, 99), "its hash differs"),
        (lambda whole: whole["content"]["groups"]["subjects"].__setitem__(0, float("inf")), "its hash differs"),
        (lambda whole: whole.update(format="other"), "is no model"),
    ],
    ids=["version", "hash", "infinite", "format"],
)
def test_what_was_changed_is_refused(tmp_path, change, said):
    path = tmp_path / "m.json"
    model().save(path)
    whole = json.loads(path.read_text())
    change(whole)
    path.write_text(json.dumps(whole))
    with pytest.raises(DataError, match=said):
        Model.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("encoder"),
        lambda content: content["groups"]["columns"].pop(),
        lambda content: content["groups"]["columns"][2]["values"].__setitem__(0, 77),
        lambda content: content["groups"]["confidential"]["pay"]["places"].__setitem__(0, -3),
        lambda content: content["groups"]["subjects"].append(4),
        lambda content: content["plan"].update(k="four"),
        lambda content: content["encoder"]["attributes"][0].update(weight="much"),
        lambda content: content["encoder"]["attributes"][0]["scaling"].update(unit=[]),
        lambda content: content["encoder"]["attributes"][2].update(weight=[1.0]),
        lambda content: content["encoder"]["attributes"][3].update(unit="weeks"),
        lambda content: content["encoder"]["attributes"][3].update(origin=10**30),
    ],
    ids=["encoder", "column", "code", "count", "size", "plan", "weight", "scaling", "weights", "unit", "origin"],
)
def test_a_model_that_shoal_did_not_write_is_refused(tmp_path, change):
    content = model(closeness={"t": 0.3}).to_dict()
    change(content)
    path = tmp_path / "m.json"
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    whole = {"format": "shoal model", "version": 3, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(json.dumps({**whole, "content": content}))
    path.chmod(0o600)
    with pytest.raises(DataError, match="is no model that shoal wrote"):
        Model.load(path)


def test_a_model_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "m.json"
    model().save(path)
    path.chmod(0o644)
    with pytest.raises(DataError, match="can be read or written by others"):
        Model.load(path)
    with pytest.raises(DataError, match="is not there"):
        Model.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (lambda frame: frame.drop("age"), "does not have column 'age'"),
        (lambda frame: frame.with_columns(pl.lit(1).alias("more")), "does not declare column 'more'"),
        (lambda frame: frame.with_columns(pl.col("age").cast(pl.String)), "not numbers"),
        (lambda frame: frame.with_columns(pl.lit("peak").alias("grade")), "order"),
        (lambda frame: frame.clear(), "no records"),
        (lambda frame: frame.with_columns(pl.col("name").alias("pay")), "'pay' holds text, not numbers"),
    ],
    ids=["fewer", "more", "kind", "order", "empty", "confidential"],
)
def test_frames_that_do_not_match_are_refused(new, said):
    with pytest.raises(DataError, match=said):
        model().apply(new(people(10, seed=2)))


def test_confidential_cells_of_new_records_may_be_missing():
    new = people(3, seed=2).with_columns(pl.lit(None, dtype=pl.Float64).alias("pay"))
    assert model().apply(new).data["pay"].null_count() == 3


def test_a_category_that_was_not_there_is_like_none_of_those():
    new = people(10, seed=2).with_columns(pl.lit("Moianes").alias("county"))
    masked = model().apply(new).data
    assert set(masked["county"]) <= {"Osona", "Bages", "Anoia"}


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_the_same_kind_of_frame_comes_back(library):
    new = people(12, seed=5)
    expected = model().apply(new).data
    if library == "pandas":
        masked = pl.from_pandas(model().apply(new.to_pandas()).data)
    else:
        masked = pl.from_arrow(model().apply(new.to_arrow()).data)
    assert masked.select(QUASI).cast(expected.select(QUASI).schema).equals(expected.select(QUASI))


def test_groups_stay_inside_a_value_of_by():
    by = model(by="ward", attributes=attributes(ward={"role": "quasi_identifier", "kind": "nominal"}))
    new = people(40, seed=6)
    assert by.apply(new).data["ward"].to_list() == new["ward"].to_list()
    with pytest.raises(DataError, match="that no group of the model has"):
        by.apply(new.with_columns(pl.lit("C").alias("ward")))


def test_a_subject_is_masked_by_one_group():
    subject = model(subject="name")
    new = people(30, seed=7).with_columns(name=pl.Series([f"new {i // 3}" for i in range(30)]))
    masked = subject.apply(new).data.with_columns(new["name"])
    assert masked.group_by("name").agg(pl.struct(QUASI).n_unique())["age"].max() == 1


def emd(values, table):
    """Earth mover's distance of numbers, by steps between distinct values (Soria-Comas et al. 2015)."""
    levels = np.unique(table)
    shares = [np.searchsorted(np.sort(part), levels, side="right") / len(part) for part in (values, table)]
    return float(np.abs(shares[0] - shares[1]).sum() / (len(levels) - 1))


def test_close_groups_stay_within_t_with_the_new_records():
    t, frame = 0.15, people()
    release = shoal.anonymize(frame, plan(closeness={"t": t}))
    new = people(60, seed=8).with_columns(pay=pl.col("pay") + 9e4)  # more than anybody had
    applied = release.model.apply(new, close=True)
    free = release.model.apply(new)
    assert applied.left_out + len(applied.data) == 60
    assert not np.array_equal(free.groups[applied.rows], applied.groups)  # the option changes something
    whole = np.concatenate([frame["pay"], new["pay"]])
    taken = applied.data.select(QUASI).unique()
    assert 0 < len(taken) < len(release.model)
    for part in pl.concat([release.data, applied.data]).join(taken, on=QUASI, how="semi").partition_by(QUASI):
        assert emd(part["pay"].to_numpy(), whole) <= t + 1e-9


def share_distance(values, table):
    """Half the sum of what the shares of categories differ by."""
    return sum(abs((values == label).mean() - (table == label).mean()) for label in np.unique(table)) / 2


@pytest.mark.parametrize(
    ("t", "seed"), [(0.1, 9), (0.15, 8), (0.15, 18), (0.18, 5), (0.2, 4), (0.2, 10), (0.25, 15), (0.25, 20)]
)
def test_close_compares_with_all_that_leaves_and_not_with_who_is_left_out(t, seed):
    """New records that are nearly all alike: with those who are left out in the whole, groups of them looked close."""
    random = np.random.default_rng(seed)
    old, new = (
        pl.DataFrame({"x": random.random(rows), "c": random.choice(list(values), rows)})
        for rows, values in ((60, "aab"), (80, random.choice(["b", "bbbbba", "bbbc"])))
    )
    kinds = {"x": {"role": "quasi_identifier", "kind": "numeric"}, "c": {"role": "confidential", "kind": "nominal"}}
    release = shoal.anonymize(old, shoal.Plan(k=4, subject="record", closeness={"t": t}, attributes=kinds))
    applied = release.model.apply(new, close=True)
    assert 0 < applied.left_out < 80, "or nothing was at stake"
    whole = pl.concat([release.data, applied.data])
    for part in whole.join(applied.data.select("x").unique(), on="x", how="semi").partition_by("x"):
        assert share_distance(part["c"].to_numpy(), whole["c"].to_numpy()) <= t + 1e-9
    assert "within t of all that leaves" in applied.promise


def test_what_leaves_beside_the_cells_of_new_records_is_told():
    made, new = model(), people(30, seed=4)
    assert made.apply(new).giveaways == ()
    named = new.to_pandas().set_index(pd.Index([f"person {i}" for i in range(30)]))
    named.attrs["source"] = "ward 7"
    applied = made.apply(named)
    assert [giveaway.name for giveaway in applied.giveaways] == ["index", "metadata"]
    assert "warning: the frame's index leaves with it" in repr(applied)
    noted = new.to_arrow().replace_schema_metadata({"source": "ward 7"})
    assert [giveaway.name for giveaway in made.apply(noted).giveaways] == ["metadata"]
    (order,) = made.apply(new.sort("age")).giveaways
    assert (order.name, order.columns, order.records) == ("row_order", ("age",), 30)


def test_close_reads_every_kind_of_confidential_attribute():
    kinds = attributes(
        pay={"role": "other"},
        ward={"role": "confidential", "kind": "nominal"},
        admitted={**ADMITTED, "role": "confidential"},
    )
    made = model(attributes=kinds, closeness={"t": 0.45})
    again = Model.from_dict(json.loads(json.dumps(made.to_dict())))
    new = people(25, seed=8)
    assert again.apply(new, close=True).data.equals(made.apply(new, close=True).data)
    with pytest.raises(PlanError, match="asks for no t-closeness"):
        model().apply(new, close=True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"release": "permute"}, "permute"),
        ({"blocks": [["age", "grade"], ["county", "admitted"]], "guarantee": False}, "leave blocks out"),
    ],
    ids=["permute", "blocks"],
)
def test_plans_without_groups_have_no_model(changes, said):
    with pytest.raises(PlanError, match=said):
        model(**changes)


def test_what_is_learnt_of_the_whole_table_is_refused():
    rare = model(attributes=attributes(county={**COUNTY, "rare": {"below": 5}}))
    with pytest.raises(PlanError, match="asks something of the whole table"):
        rare.apply(people(10, seed=2))


def test_a_release_that_was_only_read_has_no_model():
    release = shoal.anonymize(people(), plan(order="keep"))
    read = shoal.measures.assess(people(), release.data, plan(order="keep"))
    with pytest.raises(PlanError, match="has no model"):
        _ = read.model
