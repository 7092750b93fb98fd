"""Dropping the records that cost most: which they are, what holds for the others, and what is said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from command import shoal as run
from reference import suppress as slow
from shoal.errors import DataError, PlanError
from shoal.masking.suppression import budget, costliest, squared_error
from shoal.measures import measure, measure_release
from shoal.points import Points

QUASI = {"role": "quasi_identifier", "kind": "numeric"}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("of", ["records", "subjects", "domains"])
def test_the_rows_are_those_of_the_slow_way(seed, of):
    rng = np.random.default_rng(seed)
    values = rng.lognormal(0, 1, (60, 2))
    labels = np.sort(np.append(np.repeat(np.arange(10), 4), rng.integers(0, 10, 20)))
    subjects = rng.integers(0, 30, 60) if of == "subjects" else np.arange(60)
    domains = labels // 4 if of == "domains" else None
    for most in (0, 1, 5, 13, 29):
        options = {"k": 3, "subjects": subjects, "domains": domains}
        fast = costliest(Points.of(values), labels, most, **options)
        assert sorted(fast.tolist()) == sorted(slow.costliest(values, labels, most, **options))
        assert len(fast) <= most


def test_ties_go_to_the_first_row_and_what_costs_nothing_stays():
    values = np.array([[0.0], [2.0], [0.0], [2.0], [5.0], [5.0]])
    labels = np.array([0, 0, 1, 1, 2, 2])
    options = {"k": 2, "subjects": np.arange(6)}
    assert costliest(Points.of(values), labels, 2, **options).tolist() == [0, 1]
    assert costliest(Points.of(values), labels, 6, **options).tolist() == [0, 1, 2, 3]


def test_a_group_above_k_gives_single_records():
    values = np.array([[0.0], [0.1], [0.2], [9.0], [50.0], [50.1]])
    labels = np.array([0, 0, 0, 0, 1, 1])
    assert costliest(Points.of(values), labels, 1, k=2, subjects=np.arange(6)).tolist() == [3]
    # Three records of one person are needed for nothing; those of two persons are for k.
    assert costliest(Points.of(values), labels, 1, k=2, subjects=np.array([0, 0, 0, 1, 2, 3])).tolist() != [3]


def test_a_share_is_read_as_it_is_written():
    plan = plan_of(suppress=0.29)
    assert [budget(plan, n) for n in (10, 100, 3)] == [2, 29, 0]


def frame_of(n=300, seed=2):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"p{i // 2}" for i in range(n)],
            "pay": rng.lognormal(8, 1.2, n).round(2),
            "age": rng.integers(18, 90, n),
            "ward": rng.choice(["a", "b"], n),
            "ill": rng.choice(["flu", "gout", "none"], n, p=[0.3, 0.1, 0.6]),
            "w": rng.integers(1, 9, n),
        }
    )


def plan_of(**changes):
    attributes = {
        "name": {"role": "identifier"},
        "pay": QUASI,
        "age": QUASI,
        "ward": {"role": "other"},
        "ill": {"role": "confidential", "kind": "nominal"},
        "w": {"role": "other"},
    }
    return shoal.Plan(**{"k": 4, "subject": "record", "order": "keep", "attributes": attributes, **changes})


def test_dropping_saves_and_says_so():
    frame = frame_of()
    plan = plan_of(suppress=0.05)
    release = shoal.anonymize(frame, plan)
    about = release.manifest["suppressed"]
    assert about["records"] == 300 - len(release.data) == 300 - len(release.rows) > 0
    assert about["records"] <= 15
    assert about["saved_percent"] > 20
    assert release.manifest["input"]["rows"] == 300
    assert release.manifest["output"]["rows"] == len(release.data)
    assert len(set(release.rows.tolist())) == len(release.rows)
    assert release.data["w"].equals(frame["w"][release.rows])
    assert release.guarantees.holds
    assert release.data.group_by("pay", "age").len()["len"].min() >= 4
    assert shoal.Plan.parse(plan.to_toml()) == plan
    assert "suppressed" not in shoal.anonymize(frame, plan_of()).manifest


def test_what_is_saved_is_the_error_of_the_groups():
    frame = frame_of()
    release = shoal.anonymize(frame, plan_of(suppress=0.05))
    values = frame.select("pay", "age").to_numpy().astype(float)
    points = Points.of((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))
    before = squared_error(points, shoal.anonymize(frame, plan_of()).labels)
    after = squared_error(points.take(release.rows), release.labels)
    assert release.manifest["suppressed"]["saved_percent"] == pytest.approx(100 * (1 - after / before), abs=0.01)


GUARANTEED = {
    "subjects": {"subject": "name"},
    "by": {"by": "ward"},
    "closeness": {"closeness": {"t": 0.3}},
    "diversity": {"diversity": {"distinct": 2}},
    "dominance": {"weights": "w", "dominance": 0.6},
    "vmdav": {"method": "vmdav"},
    "shuffled": {"order": "shuffle"},
    "recoded": {"round": True},
    "pseudonyms": {"subject": "name", "keep_subject": "pseudonym"},
}


@pytest.mark.parametrize("case", GUARANTEED)
def test_guarantees_hold_for_the_rows_that_leave(case):
    frame = frame_of()
    if case == "pseudonyms":
        frame = frame.with_columns(pl.col("pay", "age").first().over("name"))
    plan = plan_of(suppress=0.06, **GUARANTEED[case])
    release = shoal.anonymize(frame, plan)
    assert release.manifest["suppressed"]["records"] > 0
    assert release.guarantees.holds
    judged = shoal.measures.assess(frame, release.data, plan, rows=release.rows)
    assert judged.guarantees.holds
    names = {judgement.name: judgement.achieved for judgement in judged.guarantees.values()}
    assert names == pytest.approx({each.name: each.achieved for each in release.guarantees.values()})


def test_closeness_is_to_the_released_table():
    frame = frame_of()
    release = shoal.anonymize(frame, plan_of(suppress=0.06, closeness={"t": 0.3}))
    shares = dict(release.data["ill"].value_counts(normalize=True).iter_rows())
    worst = 0.0
    for _, group in release.data.group_by("pay", "age"):
        own = dict(group["ill"].value_counts(normalize=True).iter_rows())
        worst = max(worst, sum(abs(own.get(level, 0) - share) for level, share in shares.items()) / 2)
    assert release.guarantees["t_closeness"].achieved == pytest.approx(worst)


def test_measures_and_report_take_fewer_rows():
    frame, plan = frame_of(), plan_of(suppress=0.05, weights="w", dominance=0.9, order="shuffle")
    release = shoal.anonymize(frame, plan)
    dropped = 300 - len(release.rows)
    scores = measure(frame, release.data, plan, rows=release.rows)
    kept = frame[np.sort(release.rows)]
    back = release.in_original_order()
    expected = measure(kept, back.data, plan)
    assert scores["il_percent"].value == pytest.approx(expected["il_percent"].value)
    assert scores["il_percent"].parts == {"dropped records": dropped}
    assert measure_release(frame, release, plan)["dld"].value == pytest.approx(expected["dld"].value)
    data = shoal.report.collect(frame, release, plan)
    assert ("records dropped", dropped) in [(fact.name, fact.value) for fact in data.facts]
    assert any("finds no class near" in caution for caution in data.cautions)
    people = data.population[0]
    assert (people.before, people.after) == (frame["w"].sum(), kept["w"].sum())


def test_rows_that_are_no_map_of_a_smaller_release_are_refused():
    frame, plan = frame_of(), plan_of(suppress=0.05)
    release = shoal.anonymize(frame, plan)
    for rows in (release.rows + 300, release.rows * 0, release.rows.astype(float)):
        with pytest.raises(DataError, match="each at most once"):
            measure(frame, release.data, plan, rows=rows)


def test_nothing_is_dropped_where_that_would_break_the_plan_or_save_nothing():
    few = shoal.anonymize(frame_of(20), plan_of(suppress=0.01)).manifest["suppressed"]
    assert (few["records"], few["why"]) == (0, "the share allows less than one, or none costs anything")
    alike = pl.DataFrame({"age": [1, 1, 1, 1, 9, 9, 9, 9]})
    same = shoal.anonymize(alike, shoal.Plan(k=2, suppress=0.4, attributes={"age": QUASI}))
    assert same.manifest["suppressed"]["records"] == 0
    assert len(same.data) == 8


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"suppress": 0}, "above 0"),
        ({"suppress": 0.5}, "below 0.5"),
        ({"release": "permute"}, "suppress changes nothing with release"),
        ({"method": "individual", "guarantee": False}, "masked together"),
        ({"blocks": [["pay"], ["age"]], "guarantee": False}, "masked together"),
    ],
)
def test_shares_and_methods_that_cannot_be(changes, sentence):
    with pytest.raises(PlanError, match=sentence):
        plan_of(**{"suppress": 0.1, **changes})


def test_earlier_releases_are_not_compared_with_fewer_rows():
    frame = frame_of()
    earlier = shoal.anonymize(frame, plan_of())
    with pytest.raises(PlanError, match="suppress drops records, and after compares releases row by row"):
        shoal.anonymize(frame, plan_of(suppress=0.05), after=[earlier])


def test_the_command_line_drops_measures_and_verifies(tmp_path):
    frame_of().write_csv(tmp_path / "data.csv")
    plan_of(order="shuffle", subject="name").save(tmp_path / "plan.toml")
    files = ("data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "map.csv", "--suppress", "0.05")
    done = run("anonymize", *files, "--report", "report.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert "of 300 records were dropped, which saved" in done.stderr.decode()
    checked = run("check", "data.csv", "--plan", "plan.toml", "--suppress", "0.05", cwd=tmp_path)
    assert "At most 15 records may be dropped" in checked.stdout.decode()
    rows = pl.read_csv(tmp_path / "map.csv")["original_row"].to_numpy() - 1
    assert pl.read_csv(tmp_path / "out.csv")["ill"].equals(pl.read_csv(tmp_path / "data.csv")["ill"][rows])
    tables = ("data.csv", "out.csv", "--plan", "plan.toml", "--row-map", "map.csv")
    assert run("measure", *tables, "-m", "il_percent", cwd=tmp_path).returncode == 0
    assert run("report", *tables, "-o", "again.html", cwd=tmp_path).returncode == 0
    against = ("--original", "data.csv", "--row-map", "map.csv")
    judged = run("verify", "out.csv", "--plan", "plan.toml", *against, cwd=tmp_path)
    assert judged.returncode == 3, "this plan lets no record be dropped"
    assert "✗ suppress: " in judged.stdout.decode()
    plan_of(order="shuffle", subject="name", suppress=0.05).save(tmp_path / "allowed.toml")
    judged = run("verify", "out.csv", "--plan", "allowed.toml", *against, cwd=tmp_path)
    assert judged.returncode == 0, judged.stdout.decode()
    alone = run("measure", *tables[:4], cwd=tmp_path)
    assert alone.returncode == 2
