"""shoal.check: what `shoal check` says, as values."""

import polars as pl
import pytest

import command
import shoal
from shoal.errors import DataError, PlanError


@pytest.fixture(scope="module")
def frame():
    return shoal.examples.discharges(300, seed=1)


@pytest.fixture(scope="module")
def plan(frame):
    return shoal.propose(frame)


def test_a_table_and_a_plan_that_go_together(frame, plan):
    found = shoal.check(frame, plan)
    assert found
    assert found.ok
    assert found.errors == ()
    assert (found.records, found.group_size, found.most_groups) == (300, 5, 60)
    assert [fate.column for fate in found.columns] == frame.columns
    assert found.columns[0].what == "dropped"
    assert any("groups of k" in sentence for sentence in found.forecast)


def test_it_says_what_the_command_says(frame, plan, tmp_path):
    frame.write_parquet(tmp_path / "data.parquet")
    plan.save(tmp_path / "plan.toml")
    done = command.shoal("check", "data.parquet", "--plan", "plan.toml", "--t", "0.4", cwd=tmp_path)
    said = done.stdout.decode() + done.stderr.decode()
    found = shoal.check(frame, plan.with_(t=0.4))
    assert found.forecast
    assert all(sentence in said for sentence in found.forecast[1:])
    assert all(giveaway.sentence in said for giveaway in found.giveaways)
    assert f"At most {found.most_groups:,} groups" in said


def test_everything_that_is_wrong_is_a_problem_of_its_own(frame, plan):
    gaps = pl.when(pl.int_range(pl.len()) == 7)
    found = shoal.check(frame.with_columns(gaps.then(None).otherwise(pl.col("age", "sex")).name.keep()), plan)
    assert not found
    assert ["'age'" in found.errors[0].sentence, "'sex'" in found.errors[1].sentence] == [True, True]
    assert len(found.errors) == 2
    (undeclared,) = shoal.check(frame.with_columns(extra=1), plan).errors
    assert "does not declare column 'extra'" in undeclared.sentence
    assert found.columns == ()
    assert found.group_size is None


def test_what_no_groups_can_keep_is_an_error(frame, plan):
    found = shoal.check(frame, plan.with_(k=301))
    assert not found.ok
    assert found.errors[0].sentence.startswith("k is 301 but")
    assert not shoal.check(frame, plan.with_(diversity_distinct=290)).ok


def test_giveaways_come_with_the_lines_that_end_them(frame, plan):
    ages = frame["age"].to_list()
    telling = frame.with_columns(copy=pl.Series([age * 2 + 1 for age in ages]))
    found = shoal.check(telling, plan.with_({"attributes.copy": {"role": "other"}}))
    assert found.ok
    assert found.giveaways
    assert any("copy" in giveaway.sentence for giveaway in found.giveaways)
    assert set(found.problems) == {*found.cautions, *found.giveaways}


def test_a_plan_that_gives_k_up_is_cautioned(frame, plan):
    numbers = plan.with_({"attributes.sex.role": "other", "attributes.postcode.role": "other"})
    numbers = numbers.with_({"attributes.ward.role": "other", "refine": None, "method": "mic1d", "guarantee": False})
    found = shoal.check(frame, numbers)
    assert found.ok
    assert "k is not guaranteed" in found.cautions[0].sentence


def test_what_is_no_table_or_no_plan_is_refused(frame, plan):
    with pytest.raises(DataError, match="is not a table in memory"):
        shoal.check(frame.lazy(), plan)
    with pytest.raises(PlanError, match=r"plan must be a shoal.Plan, not a dict"):
        shoal.check(frame, {})
