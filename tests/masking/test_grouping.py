"""Persons, not rows: k counts subjects, and what is constant of a subject is masked once."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, GuaranteeError
from shoal.masking.average_points import subject_averages
from shoal.points import Points

ATTRIBUTES = {
    "who": {"role": "identifier"},
    "born": {"role": "quasi_identifier", "kind": "date"},
    "sex": {"role": "quasi_identifier", "kind": "nominal"},
    "stay": {"role": "quasi_identifier", "kind": "numeric"},
    "cost": {"role": "confidential", "kind": "numeric"},
}


def stays(patients=60, each=4, seed=0):
    """A table of patients with about ``each`` stays; birth date and sex are theirs, the rest is of the stay."""
    rng = np.random.default_rng(seed)
    who = np.concatenate([np.arange(patients), rng.integers(0, patients, patients * (each - 1))])
    rng.shuffle(who)
    born = np.datetime64("1950-01-01") + rng.integers(0, 20_000, patients)
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in who],
            "born": born[who],
            "sex": rng.choice(["f", "m"], patients)[who],
            "stay": rng.exponential(5, len(who)).round(2),
            "cost": rng.integers(0, 1000, len(who)),
        }
    )


def plan(**options):
    return shoal.Plan(**{"k": 5, "subject": "who", "attributes": ATTRIBUTES, **options})


def persons(frame, release):
    """The released table with the subject of each row, for who has the original."""
    return release.data.with_columns(frame["who"][release.rows.tolist()])


def fewest(frame, release, names=("born", "sex", "stay")):
    return persons(frame, release).group_by(*names).agg(pl.col("who").n_unique())["who"].min()


@pytest.mark.parametrize("method", ["mdav", "vmdav"])
def test_every_class_holds_k_subjects_and_constants_stay_constant(method):
    frame = stays()
    release = shoal.anonymize(frame, plan(method=method))
    assert fewest(frame, release) >= 5
    of_one = persons(frame, release).group_by("who").agg(pl.col("born", "sex", "stay").n_unique())
    assert of_one.select(pl.col("born", "sex").max()).row(0) == (1, 1)
    assert of_one["stay"].max() > 1  # stays of one subject may be in different classes
    judgement = release.guarantees["k_anonymity"]
    assert judgement.achieved == fewest(frame, release)
    assert "records of at least 5 different subjects (who)" in judgement.definition
    assert release.manifest["subjects"]["count"] == 60


def test_rows_would_have_broken_it():
    frame = stays()
    rows = shoal.anonymize(frame, plan(subject="record"))
    assert fewest(frame, rows) < 5
    judged = shoal.measures.assess(frame, rows.data[np.argsort(rows.rows).tolist()], plan())
    assert not judged.guarantees["k_anonymity"].holds


def test_constants_that_were_parted_break_the_guarantee_of_any_release():
    frame = stays()
    one = shoal.anonymize(frame, plan())
    data = one.data[np.argsort(one.rows).tolist()]
    other = data.with_columns(
        pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("f")).otherwise(pl.lit("m")).alias("sex")
    )
    judged = shoal.measures.assess(frame, other, plan(k=2)).guarantees["k_anonymity"]
    assert not judged.holds
    assert "'sex' is the same in all records of a subject, but not in the release" in judged.note


def test_where_all_is_constant_subjects_are_grouped():
    frame = stays().drop("stay")
    attributes = {name: entry for name, entry in ATTRIBUTES.items() if name != "stay"}
    release = shoal.anonymize(frame, plan(attributes=attributes))
    assert fewest(frame, release, ("born", "sex")) >= 5
    assert persons(frame, release).group_by("who").agg(pl.col("born").n_unique())["born"].max() == 1
    assert release.manifest["subjects"]["most_in_a_group"] < 10


def test_a_plan_that_forgot_is_refused_with_both_ways_out():
    with pytest.raises(DataError, match=r"identifier 'who' repeats, 240 records have 60 different") as found:
        shoal.anonymize(stays(), plan(subject=None))
    assert "subject = 'who'" in str(found.value)
    assert 'subject = "record"' in str(found.value)
    once = stays().unique("who", maintain_order=True)
    assert shoal.anonymize(once, plan(subject=None)).guarantees.holds


def test_fewer_than_k_subjects_are_refused():
    with pytest.raises(DataError, match=r"k is 61 but the table has only 60 different subjects \(who\)"):
        shoal.anonymize(stays(), plan(k=61))
    wards = stays().with_columns((pl.col("who") == "p1").cast(pl.String).alias("ward"))
    attributes = {**ATTRIBUTES, "ward": {"role": "other"}}
    with pytest.raises(GuaranteeError, match=r"by = 'ward' has 1 of 2 values with fewer than k = 5 different subjects"):
        shoal.anonymize(wards, plan(by="ward", attributes=attributes))


def test_by_that_parts_a_subject_with_constants_is_refused():
    wards = stays().with_columns((pl.int_range(pl.len()) % 2).cast(pl.String).alias("ward"))
    attributes = {**ATTRIBUTES, "ward": {"role": "other"}}
    with pytest.raises(DataError, match=r"by = 'ward' differs between records of one subject.*'born', 'sex' are"):
        shoal.anonymize(wards, plan(by="ward", attributes=attributes))
    varying = {**attributes, "born": {"role": "other"}, "sex": {"role": "other"}}
    release = shoal.anonymize(wards, plan(by="ward", attributes=varying))
    assert fewest(wards, release, ("stay", "ward")) >= 5


@pytest.mark.parametrize("way", ["t_first", "k_first", "merge", "steered"])
def test_closeness_and_subjects_hold_together(way):
    frame = stays(80, 3, seed=3)
    release = shoal.anonymize(frame, plan(k=3, closeness={"t": 0.25, "method": way}))
    assert release.guarantees.holds
    assert fewest(frame, release) >= 3


@pytest.mark.parametrize("way", ["t_first", "k_first"])
def test_the_first_record_of_a_subject_need_not_be_like_the_table(way):
    visits = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(60) for _ in range(3)],
            "age": [20 + i for i in range(60) for _ in range(3)],
            "cost": [10 * visit + i % 10 for i in range(60) for visit in range(3)],
        }
    )
    attributes = {"age": {"role": "quasi_identifier", "kind": "numeric"}, **{n: ATTRIBUTES[n] for n in ("who", "cost")}}
    chosen = plan(attributes=attributes, closeness={"t": 0.2, "method": way})
    release = shoal.anonymize(visits, chosen)
    assert release.guarantees.holds
    assert fewest(visits, release, ("age",)) >= 5


def test_gaps_do_not_end_what_is_constant():
    frame = stays().with_columns(pl.when(pl.int_range(pl.len()) % 11 > 0).then("born").alias("born"))
    release = shoal.anonymize(frame, plan(missing="impute"))
    assert "born" in release.manifest["subjects"]["constant"]
    assert persons(frame, release).group_by("who").agg(pl.col("born").n_unique())["born"].max() == 1


def test_an_identifier_of_bytes_repeats_too():
    frame = stays().with_columns(pl.col("who").cast(pl.Binary))
    with pytest.raises(DataError, match="identifier 'who' repeats, 240 records have 60 different"):
        shoal.anonymize(frame, plan(subject=None))


def test_a_permutation_keeps_groups_of_subjects():
    frame = stays()
    release = shoal.anonymize(frame, plan(release="permute"))
    groups = pl.DataFrame({"group": release.labels, "who": frame["who"][release.rows.tolist()]})
    assert groups.group_by("group").agg(pl.col("who").n_unique())["who"].min() >= 5
    assert "different subjects (who)" in release.guarantees["probabilistic_k_anonymity"].definition


def test_an_average_of_a_subject_is_its_mean_median_and_mode():
    points = Points.build(
        coords=[[0.1], [0.2], [0.3], [0.1], [0.1]],
        ranks=[[0], [2], [1], [1], [0]],
        rank_steps=[0.5],
        rank_levels=[3],
        rank_convex=[False],
        codes=[[1], [1], [0], [1], [0]],
        code_weights=[1.0],
        code_levels=[2],
    ).about(["a", "a", "a", "b", "b"])
    average = subject_averages(points)
    assert average.coords[:, 0] == pytest.approx([0.2, 0.1])
    assert average.coords[1, 0] == 0.1  # a constant is not rounded
    assert average.ranks[:, 0].tolist() == [1, 0]
    assert average.codes[:, 0].tolist() == [1, 0]
