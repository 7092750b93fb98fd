"""The external edition is a function of the released table, the plan and the guarantees, and of nothing else."""

import hashlib
import inspect
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import command
import shoal
from report.tables import people, plan, with_first
from shoal.measures import MEASURES
from shoal.report import assess, collect, external_edition

PLAN = """
k = 4
seed = 918273645
closeness = { t = 0.6, method = "merge" }
[about]
title = "Pay and illness"
[attributes]
name    = { role = "identifier" }
age     = { role = "quasi_identifier", kind = "numeric", clip = { high = 70 } }
grade   = { role = "quasi_identifier", kind = "ordinal", order = ["low", "mid", "high"] }
county  = { role = "quasi_identifier", kind = "nominal" }
seen    = { role = "quasi_identifier", kind = "date" }
pay     = { role = "confidential", kind = "numeric" }
illness = { role = "confidential", kind = "nominal" }
ward    = { role = "other" }
"""

ALONE = """
import hashlib, json, sys
from pathlib import Path
import shoal
from shoal.protect import Judgement
from shoal.report import external_edition
from shoal.run.source_parsing import parsed

plan = shoal.Plan.load("plan.toml")
released = parsed(shoal.files.read("out.csv"), plan, released=True)
guarantees = [Judgement(**each) for each in json.loads(Path("guarantees.json").read_text())]
fingerprint = hashlib.sha256(Path("out.csv").read_bytes()).hexdigest()
edition = external_edition(released.frame, plan, guarantees, file_sha256=fingerprint)
Path("alone.html").write_text(edition.to_html())
Path("alone.json").write_text(edition.to_json())
Path("alone.md").write_text(edition.summary.markdown)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A release with its external report, and beside it a folder with what recipients have, in which one is made."""
    folder = tmp_path_factory.mktemp("release")
    people(n=150).write_csv(folder / "data.csv")
    (folder / "plan.toml").write_text(PLAN)
    run = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv")
    assert command.shoal(*run, "--report", "first.html", "--edition", "external", cwd=folder).returncode == 0
    later = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "--row-map", "rows.csv", "--edition", "external")
    for page in ("later.html", "later.md"):
        done = command.shoal(*later, "-o", page, cwd=folder)
        assert done.returncode == 0, done.stderr.decode()
    outside = tmp_path_factory.mktemp("outside")
    for name in ("out.csv", "plan.toml"):
        (outside / name).write_bytes((folder / name).read_bytes())
    guarantees = json.loads((folder / "out.manifest.json").read_text())["guarantees"]
    (outside / "guarantees.json").write_text(json.dumps(guarantees))
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=outside, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, outside


@pytest.mark.parametrize("ending", ["html", "json", "md"])
def test_a_process_that_has_never_seen_the_original_makes_the_same(files, ending):
    folder, outside = files
    alone = (outside / f"alone.{ending}").read_bytes()
    assert alone == (folder / f"later.{ending}").read_bytes()
    assert ending == "md" or alone == (folder / f"first.{ending}").read_bytes()


def test_it_is_bound_to_the_released_file(files):
    folder, _ = files
    told = dict(json.loads((folder / "later.json").read_text())["provenance"])
    assert told["released file, SHA-256"] == hashlib.sha256((folder / "out.csv").read_bytes()).hexdigest()


def test_nothing_else_is_asked_for():
    assert list(inspect.signature(external_edition).parameters) == ["released", "plan", "guarantees", "file_sha256"]


def edition(release, chosen):
    return external_edition(release.data, chosen, release.guarantees.values())


@pytest.mark.parametrize("frame_of", [lambda frame: frame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_a_release_reports_by_itself(frame_of):
    release, chosen = shoal.anonymize(frame_of(people()), plan()), plan()  # its original is gone
    by_release = release._collected(None, "report", edition="external")
    assert by_release.to_json() == edition(release, chosen).to_json()
    assert release.summary(edition="external") == by_release.summary
    assert collect(None, release, chosen, edition="external") == by_release


def test_the_order_of_rows_says_nothing():
    release = shoal.anonymize(people(), plan())
    mixed = release.data.sample(fraction=1.0, shuffle=True, seed=3)
    assert edition(release, plan()) == external_edition(mixed, plan(), release.guarantees.values())


def test_it_tells_what_the_internal_edition_measures_on_the_release():
    frame, chosen = people(), plan(closeness={"t": 0.5, "method": "merge"})
    release = shoal.anonymize(frame, chosen)
    inside, outside = collect(frame, release, chosen), edition(release, chosen)
    values = {row.key: row.value for row in inside.scores}
    for row in outside.scores:
        assert row.value == pytest.approx(values[row.key])
    assert outside.sizes == inside.sizes
    assert outside.guarantees == inside.guarantees
    assert [each.bars for each in outside.closeness] == [each.bars for each in inside.closeness]
    released = {each.name: each for each in outside.distributions}
    for each in inside.distributions:
        if not each.changed:
            assert [bin.after for bin in released[each.name].bins] == [bin.after for bin in each.bins]
        assert all(bin.before is None for bin in released[each.name].bins)
        assert sum(bin.after for bin in released[each.name].bins) == len(frame)


def test_whatever_compares_with_the_original_is_withheld():
    data = edition(shoal.anonymize(people(), plan()), plan())
    assert (data.attempts, data.drift, data.population, data.riskiest, data.remedies) == ((), None, (), (), {})
    assert (data.summary.tried, data.summary.kept) == ((), ())
    assert data.summary.untried.startswith("What was tried against this release, and what it lost, compares with")
    assert all(before is None for each in data.distributions for _, before, _ in each.summary)
    assert data.to_html().count("compares with the original") == 2


def test_measures_are_shown_to_outsiders_by_decision():
    # Whoever changes one of these words changes what strangers learn: change it here too, and say why.
    words = {key: measure.definition.external for key, measure in MEASURES.items()}
    assert {key for key, word in words.items() if word == "withheld"} == {
        *("sse", "il", "il1s", "il_percent", "d_x", "normalised_sse", "mse", "mae"),  # these compare with the original
        *(
            "id",
            "id_sd",
            "dr",
            "dld",
            "score",
            "k_linked",
            "subject_risk",
        ),  # these count values and people that are found
        *("population_il", "population_error"),
    }
    data = edition(shoal.anonymize(people(), plan()), plan())
    assert {row.key for row in data.scores} <= {key for key, word in words.items() if word != "withheld"}


def test_rare_values_of_the_original_that_did_not_leave_are_not_named():
    frame = with_first(people(), county="Atlantis", grade="emeritus")
    data = edition(shoal.anonymize(frame, plan()), plan())
    for rare in ("Atlantis", "emeritus"):
        assert rare not in data.to_html() + data.to_json()


def test_names_seeds_and_hashes_of_the_original_stay_inside():
    frame, chosen = people(), plan(seed=918273645)
    release = shoal.anonymize(frame, chosen)
    data = collect(frame, release, chosen, edition="external", name="secret-name.csv")
    for secret in ("918273645", release.manifest["input"]["sha256"], "secret-name", "person-1"):
        assert secret not in data.to_html() + data.to_json()


def test_trees_of_categories_stay_inside():
    tree = {"illness": {"catching": ["flu", "mumps"], "prion": ["kuru"], "other": ["gout"]}}
    chosen = plan(closeness={"t": {"pay": 0.4, "illness": 0.5}, "method": "merge", "hierarchy": tree})
    data = edition(shoal.anonymize(people(), chosen), chosen)
    for name in ("kuru", "prion", "catching"):
        assert name not in data.to_html() + data.to_json()
    assert "[closeness]" in data.plan
    assert "t = { pay = 0.4, illness = 0.5 }" in data.plan


def test_the_groups_of_a_permutation_are_not_seen():
    chosen = plan(release="permute", seed=77_345_881)
    data = edition(shoal.anonymize(people(), chosen), chosen)
    assert "77345881" not in data.to_html()
    assert data.guarantees[0]["name"] == "probabilistic_k_anonymity"
    assert (data.sizes.bars, data.closeness, data.scores) == ((), (), ())
    assert [fact.name for fact in data.facts] == ["records"]


def test_all_records_in_one_class_are_told():
    frame = people(n=60).with_columns(age=30.0, grade=pl.lit("low"), county=pl.lit("Osona"), seen=pl.date(2024, 1, 1))
    data = edition(shoal.anonymize(frame, plan(k=20)), plan(k=20))
    assert any("one group" in caution for caution in data.cautions)
    assert not any("one group" in c for c in edition(shoal.anonymize(people(), plan()), plan()).cautions)


def test_what_the_plan_recoded_is_said_without_counts():
    attributes = {**plan().to_dict()["attributes"]}
    attributes["age"] = {**attributes["age"], "round_to": 5, "clip": {"high": 70}}
    chosen = shoal.Plan(k=5, attributes=attributes)
    rows = edition(shoal.anonymize(people(), chosen), chosen).recoding
    inside = collect(people(), shoal.anonymize(people(), chosen), chosen).recoding
    assert [(row.column, row.what) for row in rows] == [(row.column, row.what) for row in inside]
    assert {(row.cells, row.of, row.lost) for row in rows} == {(None, None, None)}


def test_nodes_of_trees_and_gaps_are_read_as_they_were_released():
    tree = {"north": ["Osona", "Bages"], "south": ["Anoia"]}
    attributes = {**plan().to_dict()["attributes"]}
    attributes["county"] = {"role": "quasi_identifier", "kind": "nominal", "hierarchy": tree, "aggregate": "ancestor"}
    chosen = shoal.Plan(k=7, missing="keep", attributes=attributes)
    frame = people().with_columns(age=pl.when(pl.int_range(pl.len()) % 9 > 0).then("age"))
    data = edition(shoal.anonymize(frame, chosen), chosen)
    labels = {bin.label for each in data.distributions if each.name == "county" for bin in each.bins}
    assert labels & {"north", "*"} or labels <= {"Osona", "Bages", "Anoia"}


def test_another_original_of_the_same_release_changes_nothing():
    """Values inside a class move around its mean: no guarantee sees it, and so no reader."""
    frame = people()
    released = pl.DataFrame(shoal.anonymize(frame, plan()).in_original_order().data)
    one, other = np.flatnonzero(released["age"] == released["age"][0])[:2].tolist()
    ages = frame["age"].to_list()
    ages[one], ages[other] = ages[one] + 40, ages[other] - 40
    editions = [
        collect(each, assess(each, released, plan()), plan(), edition="external").to_json()
        for each in (frame, frame.with_columns(age=pl.Series(ages)))
    ]
    assert editions[0] == editions[1]
