"""What a release does by itself: save, report, measure, attack, plot."""

import gc
import json
from dataclasses import replace

import polars as pl
import pytest

import command
import shoal
from shoal.errors import DataError, GuaranteeError, OutputError, PlanError
from shoal.files import read
from shoal.run.source_parsing import parsed


@pytest.fixture(scope="module")
def frame():
    return shoal.examples.discharges(300, patients=150, seed=3)


@pytest.fixture(scope="module")
def plan(frame):
    return shoal.propose(frame, refine="none")


@pytest.fixture(scope="module")
def release(frame, plan):
    return shoal.anonymize(frame, plan)


def without_times(path):
    return {key: value for key, value in json.loads(path.read_text()).items() if key != "seconds"}


def test_it_is_saved_as_the_command_line_saves_it(frame, plan, tmp_path):
    frame.write_csv(tmp_path / "data.csv")
    plan.save(tmp_path / "plan.toml")
    done = command.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "theirs.csv", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    source = parsed(read(tmp_path / "data.csv"), plan)
    release = shoal.anonymize(source.frame, plan)
    content = release.save(tmp_path / "ours.csv", like=source)
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    theirs = without_times(tmp_path / "theirs.manifest.json")
    assert without_times(tmp_path / "ours.manifest.json") == theirs
    assert content["output"]["file_sha256"] == theirs["output"]["file_sha256"]


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow"])
def test_frames_of_any_library_are_saved(frame, plan, tmp_path, kind):
    given = {"polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow()}[kind]
    release = shoal.anonymize(given, plan)
    release.save(tmp_path / "out.parquet", manifest=tmp_path / "m.json")
    assert pl.read_parquet(tmp_path / "out.parquet").height == 300
    assert json.loads((tmp_path / "m.json").read_text())["guarantees"][0]["holds"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.json", "out.parquet"]


def test_a_release_that_misses_its_guarantee_is_not_saved(frame, plan, tmp_path):
    broken = shoal.measures.assess(frame, frame, plan)
    assert not broken.guarantees.holds
    with pytest.raises(GuaranteeError, match="does not satisfy k_anonymity"):
        broken.save(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_was_changed_after_the_check_is_neither_saved_nor_vouched_for(frame, plan, tmp_path):
    pandas = frame.to_pandas()
    names_back = shoal.anonymize(pandas, plan)
    names_back.data["name"] = pandas["name"].to_numpy()
    ages_back = shoal.anonymize(pandas, plan)
    ages_back.data["age"] = pandas["age"].to_numpy()
    shuffled = shoal.anonymize(pandas, plan.with_(order="shuffle"))
    for changed in (names_back, ages_back, shuffled.in_original_order()):
        with pytest.raises(GuaranteeError, match="not the table that the guarantees were checked on"):
            changed.save(tmp_path / "out.csv")
        with pytest.raises(GuaranteeError, match="not the table that the guarantees were checked on"):
            changed.report(tmp_path / "out.md", attacks=["none"])
        with pytest.raises(GuaranteeError, match="not the table that the guarantees were checked on"):
            _ = changed.model
    assert list(tmp_path.iterdir()) == []
    shuffled.save(tmp_path / "out.csv")


def test_a_release_accepted_beside_an_earlier_one_is_saved_and_says_so(frame, plan, release, tmp_path):
    accepted = shoal.anonymize(frame, plan.with_(k=7), after=[release], after_anyway=True)
    assert not accepted.guarantees["intersection"].holds
    content = accepted.save(tmp_path / "out.csv")
    assert any("that was accepted" in warning for warning in content["warnings"])


def test_a_file_that_it_was_not_made_from_lends_no_cells(frame, plan, tmp_path):
    frame.write_csv(tmp_path / "data.csv")
    frame.reverse().write_csv(tmp_path / "other.csv")
    source, other = (parsed(read(tmp_path / name), plan) for name in ("data.csv", "other.csv"))
    release = shoal.anonymize(source.frame, plan)
    with pytest.raises(DataError, match=r"like is .*other\.csv, which holds another table"):
        release.save(tmp_path / "out.csv", like=other)
    with pytest.raises(DataError, match=r"as shoal\.files\.read returns it, not a str"):
        release.save(tmp_path / "out.csv", like="data.csv")
    assert not (tmp_path / "out.csv").exists()


def test_the_label_of_a_file_is_warned_of_where_it_leaves(tmp_path):
    readstat = pytest.importorskip("pyreadstat")
    frame = pl.DataFrame({"age": [1.0, 2.0, 3.0, 4.0]})
    readstat.write_sav(frame.to_pandas(), tmp_path / "data.sav", file_label="Patients of Dr Jones")
    source = read(tmp_path / "data.sav")
    plan = shoal.Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    release = shoal.anonymize(source.frame, plan)
    labelled, plain = release.save(tmp_path / "out.sav", like=source), release.save(tmp_path / "out.csv", like=source)
    assert "file_label" in [giveaway["name"] for giveaway in labelled["giveaways"]]
    assert "file_label" not in [giveaway["name"] for giveaway in plain["giveaways"]]


def test_an_original_that_was_changed_meanwhile_is_not_compared_with(frame, plan):
    pandas = frame.to_pandas()
    release = shoal.anonymize(pandas, plan)
    loss = release.measure(keys=["il_percent"])["il_percent"].value
    pandas["age"] = pandas["age"].to_numpy()[::-1]
    for work in (release.measure, release.attack, release.summary, lambda: release.plot("age")):
        with pytest.raises(DataError, match="which was changed after it was anonymized: give it as it was"):
            work()
    assert release.measure(frame.to_pandas(), keys=["il_percent"])["il_percent"].value == loss


def test_nothing_is_left_where_one_of_the_files_cannot_be_written(release, tmp_path):
    with pytest.raises(OutputError):
        release.save(tmp_path / "out.csv", manifest=tmp_path / "none" / "m.json")
    assert list(tmp_path.iterdir()) == []


def test_formulas_are_warned_of_or_escaped(tmp_path):
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "note": ["=1+1", "a", "b", "c"]})
    attributes = {"age": {"role": "quasi_identifier", "kind": "numeric"}, "note": {"role": "other"}}
    release = shoal.anonymize(frame, shoal.Plan(k=2, attributes=attributes))
    told = release.save(tmp_path / "out.csv")
    assert "formulas" in [giveaway["name"] for giveaway in told["giveaways"]]
    quiet = release.save(tmp_path / "escaped.csv", escape_formulas=True)
    assert "formulas" not in [giveaway["name"] for giveaway in quiet["giveaways"]]
    assert "'=1+1" in (tmp_path / "escaped.csv").read_text()


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_a_report_is_written_with_its_json(release, tmp_path, edition):
    pytest.importorskip("altair")
    found = release.report(tmp_path / "report.html", edition=edition, attacks=["none"])
    page = (tmp_path / "report.html").read_text()
    assert f"{edition} edition" in page
    assert json.loads((tmp_path / "report.json").read_text())["edition"] == found.edition.value == edition
    release.report(tmp_path / "page.md", edition=edition, attacks=["none"])
    assert (tmp_path / "page.md").read_text().startswith("#")
    with pytest.raises(PlanError, match=r"must end in .html or .md"):
        release.report(tmp_path / "report.pdf")


def test_charts_of_a_report_are_altair_objects(frame, release):
    alt = pytest.importorskip("altair")
    charts = shoal.report.collect(frame, release, release.plan, attacks=["none"]).charts()
    assert {"sizes", "age", "sex", "admitted", "correlations", "closeness of charge"} <= set(charts)
    for chart in charts.values():
        assert isinstance(chart, alt.TopLevelMixin)
        config = chart.to_dict()["config"]
        assert config["background"] == "#ffffff"
        assert config["axis"]["titleFontWeight"] == "normal", "as in the report"


def test_a_column_is_drawn_as_in_the_report(frame, release):
    pytest.importorskip("altair")
    charts = shoal.report.collect(frame, release, release.plan, attacks=["none"]).charts()
    for name in ("age", "sex", "charge"):
        assert release.plot(name).to_dict() == charts[name].to_dict()
    external = shoal.report.collect(frame, release, release.plan, edition="external", attacks=["none"]).charts()
    assert release.plot("age", edition="external").to_dict() == external["age"].to_dict() != charts["age"].to_dict()
    with pytest.raises(PlanError, match=r"nothing to draw of 'agee': .*; did you mean 'age'"):
        release.plot("agee")
    with pytest.raises(PlanError, match="'name'"):
        release.plot("name")


def test_it_is_measured_and_attacked_as_its_tables_are(frame, release):
    plan = release.plan
    scores = release.measure(keys=["il_percent", "dld"])
    assert isinstance(scores, shoal.measures.Scores)
    by_tables = shoal.measure(frame, release.data, plan, rows=release.rows, keys=["il_percent", "dld"])
    assert {key: score.value for key, score in scores.items()} == {key: each.value for key, each in by_tables.items()}
    attempts = release.attack(attacks=["linkage"], seed=4)
    assert attempts == shoal.attack(frame, release.data, plan, rows=release.rows, attacks=["linkage"], seed=4)


def test_the_plan_of_a_release_is_at_hand(plan, release):
    assert release.plan == plan


def test_what_compares_with_the_original_asks_for_it_once_it_is_gone(plan, tmp_path):
    made = shoal.anonymize(shoal.examples.discharges(300, patients=150, seed=3), plan)
    gc.collect()
    assert made.origin() is None
    for call, work in {
        "measure(frame)": made.measure,
        "attack(frame)": made.attack,
        "summary(frame)": made.summary,
        "plot(column, frame)": lambda: made.plot("age"),
        "report(path, frame)": lambda: made.report(tmp_path / "r.md"),
    }.items():
        with pytest.raises(DataError) as caught:
            work()
        assert str(caught.value).endswith(f"which is gone: give it, as release.{call}")
    assert list(tmp_path.iterdir()) == []
    again = shoal.examples.discharges(300, patients=150, seed=3)
    assert made.measure(again, keys=["k_min"])["k_min"].value >= plan.k
    assert replace(made, origin=None).measure(again, keys=["k_min"])["k_min"].value >= plan.k


def test_wrong_arguments_are_told_in_a_sentence(release, tmp_path):
    for work in (release.summary, lambda **how: release.plot("age", **how)):
        with pytest.raises(PlanError, match="edition must be internal or external, not 'extern'; did you mean"):
            work(edition="extern")
    for work in (release.attack, release.summary, lambda **how: release.report(tmp_path / "page.md", **how)):
        with pytest.raises(PlanError, match=r"attacks must list names, such as \[\"linkage\"\], not 'linkage'"):
            work(attacks="linkage")
    with pytest.raises(PlanError, match=r"keys must list names, such as \[\"dld\"\], not 'dld'"):
        release.measure(keys="dld")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", ["save", "report"])
def test_a_frame_in_the_place_of_a_path_is_not_shown(frame, release, method):
    with pytest.raises(TypeError, match="not DataFrame") as refused:
        getattr(release, method)(frame)
    assert "shape" not in str(refused.value)


def test_how_it_was_grouped_is_told_without_the_group_of_every_record(release):
    assert len(repr(release.partition)) < 400
