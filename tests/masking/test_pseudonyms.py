"""Subjects that leave as pseudonyms: rows can be followed, nobody is named, and whole histories look alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.masking.pseudonyms import pseudonyms
from shoal.measures import assess, measure
from shoal.protect.history_k_anonymity import alike_histories
from shoal.stream import StreamAnonymizer

K = 4
KEY = bytes(range(32))
ATTRIBUTES = {
    "visit": {"role": "identifier"},
    "person": {"role": "identifier"},
    "born": {"role": "quasi_identifier", "kind": "numeric"},
    "town": {"role": "quasi_identifier", "kind": "nominal"},
    "cost": {"role": "confidential", "kind": "numeric"},
    "year": {"role": "other"},
}
CONVERT = {"polars": pl.DataFrame, "pandas": pl.DataFrame.to_pandas, "pyarrow": pl.DataFrame.to_arrow}


def panel(persons=60, years=3, seed=0):
    """Every person in each of some years, in no order."""
    rng = np.random.default_rng(seed)
    n = persons * years
    born, town = rng.integers(1930, 2010, persons), rng.choice(["Vic", "Olot", "Reus"], persons)
    who, year = np.repeat(np.arange(persons), years), np.tile(2020 + np.arange(years), persons)
    frame = pl.DataFrame(
        {
            "visit": rng.permutation(n),
            "person": [f"person {i}" for i in who],
            "born": born[who],
            "town": town[who],
            "cost": rng.lognormal(5, 1, n),
            "year": year,
        }
    )
    return frame[rng.permutation(n)]


def plan(**changes):
    return shoal.Plan(**{"k": K, "subject": "person", "keep_subject": "pseudonym", "attributes": ATTRIBUTES, **changes})


def released(frame=None, key=KEY, **changes):
    return shoal.anonymize(panel() if frame is None else frame, plan(**changes), key=key)


def histories(data):
    """What each pseudonym's rows say of the quasi-identifiers, as a reader puts them together."""
    found = {}
    for row in data.iter_rows(named=True):
        found.setdefault(row["person"], set()).add((row["born"], row["town"]))
    return found


@pytest.mark.parametrize("method", ["mdav", "vmdav", "projected"])
def test_whole_histories_are_alike(method):
    towns = ATTRIBUTES | ({"town": {"role": "other"}} if method == "projected" else {})
    data = released(method=method, attributes=towns).data
    assert data.columns == ["person", "born", "town", "cost", "year"]
    quasi = ["born"] if method == "projected" else ["born", "town"]
    per_person = data.group_by("person").agg(pl.struct(quasi).n_unique().alias("classes"), pl.len())
    assert per_person["classes"].to_list() == [1] * 60
    assert per_person["len"].to_list() == [3] * 60
    assert data.group_by(quasi).agg(pl.col("person").n_unique())["person"].min() >= K


def test_the_guarantee_is_said():
    release = released()
    judged = release.guarantees["history_k_anonymity"]
    assert judged.holds
    assert judged.achieved >= K
    assert "followed" not in release.guarantees["k_anonymity"].definition
    assert release.manifest["dropped_columns"] == ["visit"]
    assert release.manifest["warnings"] == []


def test_a_pseudonym_says_nothing_of_its_subject():
    frame = panel()
    release = released(frame)
    names = release.data["person"]
    assert names.dtype == pl.String
    assert names.str.len_chars().unique().to_list() == [13]
    assert names.str.contains(r"^[a-z2-7]+$").all()
    assert not set(names) & set(frame["person"])
    back = pl.DataFrame({"before": frame["person"], "after": names})
    assert len(back.unique()) == back["before"].n_unique() == back["after"].n_unique() == 60
    assert "person 1" not in str(release.manifest.content)


def test_the_key_decides_and_is_forgotten_if_none_is_given():
    assert released().data.equals(released().data)
    assert not released(key=bytes(32)).data["person"].equals(released().data["person"])
    once, again = released(key=None), released(key=None)
    assert not set(once.data["person"]) & set(again.data["person"])
    assert once.data.drop("person").equals(again.data.drop("person"))


def test_a_later_release_has_the_same_pseudonyms():
    frame = panel()
    first = dict(zip(frame["person"], released(frame).data["person"], strict=True))
    later = panel(persons=80, years=2, seed=5).with_columns(pl.col("person") + " ")  # written in another way
    second = released(later).data["person"]
    for name, pseudonym in zip(later["person"], second, strict=True):
        assert pseudonym == first.get(name.strip(), pseudonym)
    assert len(set(second) & set(first.values())) == 60


TYPES = {
    "text": pl.String,
    "categories": pl.Categorical,
    "numbers": pl.Int64,
    "levels": pl.Enum([str(i) for i in range(60)]),
}


@pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
@pytest.mark.parametrize("kind", TYPES)
def test_subjects_of_every_type_become_text_of_the_same_key(kind, convert):
    frame = panel().with_columns(pl.col("person").str.strip_prefix("person ").cast(TYPES[kind]))
    data = released(convert(frame)).data
    assert type(data) is type(convert(frame))
    cells = data["person"].to_pylist() if hasattr(data["person"], "to_pylist") else data["person"].to_list()
    wanted = dict(zip(map(str, range(60)), pseudonyms([str(i) for i in range(60)], KEY), strict=True))
    assert cells == [wanted[str(person)] for person in frame["person"]]
    if isinstance(data, pd.DataFrame):
        assert not isinstance(data["person"].dtype, pd.CategoricalDtype)


def test_two_subjects_never_share_a_pseudonym(monkeypatch):
    made = []

    def colliding(subjects, key):
        made.append(key)
        names = pseudonyms(subjects, key)
        return (names[0], *names[:-1]) if len(made) == 1 or key == KEY else names

    monkeypatch.setattr("shoal.masking.pseudonyms.pseudonyms", colliding)
    assert released(key=None).data["person"].n_unique() == 60
    assert len(made) == 2
    with pytest.raises(DataError, match="two subjects of 'person' have one pseudonym by this key"):
        released()


@pytest.mark.parametrize(
    ("changes", "names", "them"),
    [
        ({"cost": {"role": "quasi_identifier", "kind": "numeric"}}, "'cost' differs", "make it constant"),
        (
            {
                "cost": {"role": "quasi_identifier", "kind": "numeric"},
                "year": {"role": "quasi_identifier", "kind": "numeric"},
            },
            "'cost', 'year' differ",
            "make them constant",
        ),
    ],
    ids=["one", "two"],
)
def test_what_varies_inside_a_subject_is_refused(changes, names, them):
    with pytest.raises(DataError) as caught:
        released(attributes=ATTRIBUTES | changes)
    assert names in str(caught.value)
    assert them in str(caught.value)
    assert "leave keep_subject out" in str(caught.value)
    assert "person " not in str(caught.value)


def test_a_domain_that_parts_a_subject_is_refused():
    with pytest.raises(DataError, match="'year' differs"):
        released(attributes=ATTRIBUTES | {"year": {"role": "other", "kind": "numeric"}}, by="year")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"subject": None}, "needs subject to name a column"),
        ({"subject": "record"}, "needs subject to name a column"),
        ({"release": "permute"}, 'release = "permute" gives them the confidential values of others'),
        (
            {
                "method": "individual",
                "guarantee": False,
                "attributes": ATTRIBUTES
                | {"town": {"role": "other"}, "year": {"role": "quasi_identifier", "kind": "numeric"}},
            },
            "k must be guaranteed",
        ),
        ({"keep_subject": "number"}, "keep_subject must be"),
    ],
    ids=["none", "record", "permute", "blocks", "word"],
)
def test_plans_that_cannot_follow_are_refused(changes, said):
    with pytest.raises(PlanError, match=said):
        plan(**changes)


@pytest.mark.parametrize("key", [b"short", "a" * 32, bytes(33)])
def test_a_key_is_thirty_two_bytes(key):
    with pytest.raises(PlanError, match="key must be 32 random bytes"):
        released(key=key)


def test_a_key_without_pseudonyms_is_refused():
    with pytest.raises(PlanError, match="key makes pseudonyms, and the plan does not ask for any"):
        released(keep_subject=None)


def test_streams_do_not_follow():
    with pytest.raises(PlanError, match="leave keep_subject out of the plan"):
        StreamAnonymizer(plan())


def test_the_number_of_rows_is_warned_of():
    frame = panel()
    odd = frame.filter(~((pl.col("person") == "person 7") & (pl.col("year") == 2020)))
    # In a class of four, the three others are then three of whom one can know the number of rows.
    (warned,) = released(odd).manifest["warnings"]
    assert warned.startswith(f"4 of 60 subjects (person) have a number of rows that fewer than k = {K} of their class")
    assert "person 7" not in warned


# The order of rows, where rows are followed anyway.


def test_rows_of_a_subject_may_stand_together():
    rng = np.random.default_rng(3)
    order = pl.DataFrame({"person": [f"person {i}" for i in rng.permutation(60)], "place": range(60)})
    together = panel().join(order, on="person").sort("place", "year").drop("place")
    assert not released(together).manifest["order"]["shuffled"]
    assert released(together, keep_subject=None, key=None).manifest["order"]["shuffled"]
    assert released(panel().sort("person", "year")).manifest["order"]["followed"] == ["person"]
    assert released(panel().sort("born")).manifest["order"]["followed"] == ["born"]


def test_pseudonyms_go_with_their_rows():
    frame = panel().sort("born")
    release = released(frame)
    names = dict(zip(frame["person"], released(frame, order="keep").data["person"], strict=True))
    assert release.data["person"].to_list() == [names[frame["person"][int(row)]] for row in release.rows]
    assert release.data["cost"].to_list() == [frame["cost"][int(row)] for row in release.rows]


# The judgement of a release, by whoever it was made.


def test_a_release_is_assessed():
    frame = panel()
    release = released(frame)
    assert assess(frame, release.data, plan()).guarantees.holds
    assert measure(frame, release.data, plan(), keys=["k_linked"])["k_linked"].value >= K


def test_histories_that_stand_out_break_it():
    frame = panel()
    data = released(frame).data
    others = data["born"].unique().sort()
    moved = data.with_columns(
        born=pl.when(pl.int_range(pl.len()) == 0)
        .then(others[0] if data["born"][0] != others[0] else others[1])
        .otherwise("born")
    )
    judged = assess(frame, moved, plan()).guarantees["history_k_anonymity"]
    assert not judged.holds
    assert judged.achieved == 1


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (lambda frame, data: frame["person"], "60 subjects are released by the name they had"),
        (lambda frame, data: pl.int_range(len(data), eager=True).cast(pl.String), "A subject has several pseudonyms"),
        (lambda frame, data: pl.Series(["one"] * len(data)), "A pseudonym stands for several subjects"),
    ],
    ids=["names", "rows", "one"],
)
def test_pseudonyms_that_are_none_break_it(names, note):
    frame = panel()
    data = released(frame).data
    judged = assess(frame, data.with_columns(person=names(frame, data)), plan()).guarantees["history_k_anonymity"]
    assert not judged.holds
    assert note in judged.note


def test_a_release_without_pseudonyms_is_refused():
    frame = panel()
    with pytest.raises(DataError, match="does not have 'person', which the plan says holds pseudonyms"):
        assess(frame, released(frame).data.drop("person"), plan())


def test_alike_histories_are_counted_as_by_hand():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(1, 40))
        who, classes = np.unique(rng.integers(0, 8, n), return_inverse=True)[1], rng.integers(0, 3, n)
        sets = [frozenset(classes[who == person]) for person in range(who.max() + 1)]
        assert alike_histories(who, classes).tolist() == [sets.count(own) for own in sets]
