"""What a report says, and that it is right."""

import numpy as np
import polars as pl
import pytest

import shoal
from report.tables import people, plan
from shoal.comparison.grid import chosen_plan
from shoal.errors import DataError, PlanError
from shoal.measures import measure
from shoal.measures.loss_bound import bound_loss
from shoal.partitioners.registry import METHODS
from shoal.report import assess, collect


@pytest.fixture(scope="module")
def frame():
    return people()


@pytest.fixture(scope="module")
def data(frame):
    return collect(frame, shoal.anonymize(frame, plan()), plan(), name="people.csv")


def test_bins_count_the_records(frame, data):
    for distribution in data.distributions:
        assert sum(bin.before for bin in distribution.bins) == len(frame)
        assert sum(bin.after for bin in distribution.bins) == len(frame)
    age = next(d for d in data.distributions if d.name == "age")
    first = age.bins[1]
    assert first.before == frame.filter((pl.col("age") >= first.low) & (pl.col("age") < first.high)).height


def test_summaries_are_the_columns_own(frame, data):
    age = next(d for d in data.distributions if d.name == "age")
    written = {name: before for name, before, _ in age.summary}
    assert written["mean"] == pytest.approx(frame["age"].mean())
    assert written["standard deviation"] == pytest.approx(frame["age"].std())
    assert (written["smallest"], written["greatest"]) == (frame["age"].min(), frame["age"].max())


def test_scores_are_those_of_the_measures(frame, data):
    scores = measure(frame, shoal.anonymize(frame, plan()).data, plan())
    assert {row.key: row.value for row in data.scores} == {key: score.value for key, score in scores.items()}


def test_correlations_are_pearsons(frame, data):
    i, j = data.drift.columns.index("age"), data.drift.columns.index("pay")
    assert data.drift.before[i][j] == pytest.approx(np.corrcoef(frame["age"], frame["pay"])[0, 1])
    assert "changes most" in data.drift.sentence


def test_the_riskiest_class_comes_first(data):
    worst = [(min(group.distinct.values()) > 1, -max(group.distances.values())) for group in data.riskiest]
    assert worst == sorted(worst)
    assert all(group.size >= 5 for group in data.riskiest)
    assert set(data.riskiest[0].values) == {"age", "grade", "county", "seen"}


def classes_of(data):
    return next(fact.value for fact in data.facts if fact.name == "classes")


def test_group_sizes_add_up(data):
    assert sum(bar.amount for bar in data.sizes.bars) == classes_of(data)


def test_distances_add_up_and_name_what_was_asked(data):
    for histogram in data.closeness:
        assert sum(bar.amount for bar in histogram.bars) == classes_of(data)
    assert [histogram.name for histogram in data.closeness] == ["pay", "illness"]


def test_closeness_is_measured_as_the_plan_asks(frame):
    tree = {"illness": {"catching": ["flu", "mumps"], "other": ["gout"]}}
    chosen = plan(closeness={"t": 0.35, "attributes": ["illness"], "hierarchy": tree, "method": "merge"})
    release = shoal.anonymize(frame, chosen)
    data = collect(frame, release, chosen)
    written = {histogram.name: histogram for histogram in data.closeness}
    assert (written["illness"].limit, written["pay"].limit) == (0.35, None)
    farthest = max(group.distances["illness"] for group in data.riskiest)
    assert farthest <= release.guarantees["t_closeness"].achieved
    assert "(asked: at most 0.35)" in written["illness"].sentence


def test_a_column_that_tells_people_apart_is_a_caution(frame):
    telling = frame.with_columns(ward=pl.Series([f"bed {i}" for i in range(len(frame))]))
    data = collect(telling, shoal.anonymize(telling, plan()), plan())
    assert any(text.startswith("'ward' is released as it is, and 400 of its values") for text in data.cautions)


def test_groups_that_share_a_confidential_value_are_a_caution(frame):
    alike = frame.with_columns(illness=pl.lit("flu"))
    data = collect(alike, shoal.anonymize(alike, plan()), plan())
    assert any("share one value of illness" in text for text in data.cautions)


def test_categories_that_vanish_are_said(frame):
    rare = frame.with_columns(
        county=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("Atlantis")).otherwise(pl.col("county"))
    )
    data = collect(rare, shoal.anonymize(rare, plan()), plan())
    county = next(d for d in data.distributions if d.name == "county")
    assert "1 category is not in the release any more" in county.sentence


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_reported(method):
    names = ["age"] if METHODS[method].attributes == "one" else ["age", "pay"]
    frame = people(n=60).select(*names, "illness")
    chosen = chosen_plan(
        shoal.Plan(
            k=4,
            attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in names}
            | {"illness": {"role": "confidential", "kind": "nominal"}},
        ),
        {"method": method},
    )
    data = collect(frame, shoal.anonymize(frame, chosen), chosen)
    assert data.guarantees[0]["holds"] == chosen.guarantee
    assert any("does not hold" in text for text in data.cautions) != chosen.guarantee
    assert [d.name for d in data.distributions] == [*names, "illness"]
    for edition in ("internal", "external"):
        collect(frame, shoal.anonymize(frame, chosen), chosen, edition=edition).to_json()


def test_a_permutation_has_the_groups_of_its_partition(frame):
    chosen = plan(release="permute")
    release = shoal.anonymize(frame, chosen)
    data = collect(frame, release, chosen)
    assert sum(bar.amount for bar in data.sizes.bars) == release.labels.max() + 1
    assert all("Released as it is" in d.sentence for d in data.distributions if d.role == "quasi_identifier")


def test_missing_cells_are_counted(frame):
    gaps = frame.with_columns(age=pl.when(pl.int_range(pl.len()) < 9).then(None).otherwise(pl.col("age")))
    chosen = plan(missing="impute")
    data = collect(gaps, shoal.anonymize(gaps, chosen), chosen)
    age = next(d for d in data.distributions if d.name == "age")
    assert age.summary[0] == ("missing", 9, 0)


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_other_frames_say_the_same(frame, library):
    convert = pl.DataFrame.to_pandas if library == "pandas" else pl.DataFrame.to_arrow
    other = convert(frame)
    data = collect(other, shoal.anonymize(other, plan()), plan())
    native = collect(frame, shoal.anonymize(frame, plan()), plan())
    assert data.distributions == native.distributions
    assert data.scores == native.scores


class TestAssess:
    """Releases that another tool made."""

    def test_a_release_that_keeps_less_than_was_asked_is_told(self, frame):
        release = assess(frame, frame.drop("name"), plan())
        data = collect(frame, release, plan())
        assert not data.guarantees[0]["holds"]
        assert "does not hold" in data.cautions[0]

    def test_shoals_own_release_is_told_alike(self, frame):
        made = shoal.anonymize(frame, plan())
        again = assess(frame, made.data, plan())
        assert again.guarantees == made.guarantees
        mine, theirs = collect(frame, made, plan()), collect(frame, again, plan())
        assert mine.distributions == theirs.distributions
        assert mine.scores == theirs.scores

    def test_records_are_matched_by_a_key(self, frame):
        made = shoal.anonymize(frame, plan()).data.with_columns(name=frame["name"])
        shuffled = made.sample(fraction=1, shuffle=True, seed=1)
        right = collect(frame, assess(frame, made, plan()), plan())
        matched = collect(frame, assess(frame, shuffled, plan(), key_column="name"), plan())
        assert matched.scores == right.scores
        with pytest.raises(DataError, match="not those of the original in its order"):
            assess(frame, shuffled, plan())

    def test_a_permutation_cannot_be_told_from_tables(self, frame):
        with pytest.raises(PlanError, match="permute"):
            assess(frame, frame, plan(release="permute"))

    def test_other_records_are_refused(self, frame):
        with pytest.raises(DataError, match="399"):
            assess(frame, frame.head(399), plan())


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_numbers_whose_squares_overflow_are_reported(edition):
    rng = np.random.default_rng(2)
    frame = people(n=120).with_columns(age=pl.Series(rng.choice([4e299, -4e299, 1e-300, 7.0], 120)))
    with np.errstate(over="raise", invalid="raise"):
        found = collect(frame, shoal.anonymize(frame, plan()), plan(), edition=edition)
    age = next(d for d in found.distributions if d.name == "age")
    if edition == "internal":
        written = {name: before for name, before, _ in age.summary}
        assert written["standard deviation"] == pytest.approx(4e299 * (frame["age"] / 4e299).std())
        assert np.isfinite(found.drift.before).all()
    assert age.bins


@pytest.mark.parametrize("suppress", [None, 0.2])
def test_a_certificate_says_how_far_the_loss_is_from_the_best(frame, suppress):
    """Of the records that left: some may have been dropped, and the others shuffled."""
    columns = ["age", "pay"]
    numbers = {name: {"role": "quasi_identifier", "kind": "numeric"} for name in columns}
    table = frame.select(columns).head(40)
    asked = shoal.Plan(k=4, suppress=suppress, order="shuffle", attributes=numbers)
    release = shoal.anonymize(table, asked)
    facts = dict(collect(table, release, asked, certificate=True).provenance)
    assert facts["loss"] == bound_loss(table, asked, released=release.data, rows=release.rows).sentence
    assert "loss" not in dict(collect(table, release, asked).provenance)
