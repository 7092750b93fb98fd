"""Closeness on the command line: said before, said after, refused with exit code 3."""

import polars as pl

import released

QUASI = ["age", "grade", "county", "seen"]


def test_the_size_is_said_before_and_the_distance_after(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--t", "0.1", "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    messages = done.stderr.decode()
    assert messages.index("groups of 5 or more records keep pay within t = 0.1") < messages.index("t_closeness = ")
    assert "by t_first" in messages
    assert released.largest_distance(pl.read_csv(folder.path / "out.csv"), QUASI, "pay") <= 0.1
    quiet = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--t", "0.1", "-o", "again.csv", "--quiet")
    assert quiet.stderr == b""


def test_check_says_what_groups_will_be(folder):
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--t", "0.02", "--closeness-method", "merge")
    assert b"No group of 4 records without equal values is closer than" in done.stdout
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--t", "0.05")
    assert b"Groups of 10 or more records keep pay within t = 0.05" in done.stdout
    assert b"At most 6 groups" in done.stdout


def test_what_cannot_be_kept_ends_with_code_3_and_no_file(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--diversity-distinct", "500", "-o", "out.csv")
    assert done.returncode == 3
    assert b"cannot have distinct l-diversity with l = 500" in done.stderr
    assert not (folder.path / "out.csv").exists()
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--diversity-distinct", "500")
    assert done.returncode == 3
    assert b"cannot have distinct l-diversity with l = 500" in done.stderr


def test_check_knows_what_a_stratum_cannot_keep(folder):
    plan = (folder.path / "plan.toml").read_text().replace("k = 4", 'k = 4\nby = "ward"')
    folder.write_plan(plan.replace('ward   = { role = "other" }', 'ward   = { role = "other", kind = "nominal" }'))
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--t", "0.01")
    assert done.returncode == 3
    assert b"inside a value of by = 'ward', pay cannot have t-closeness with t = 0.01" in done.stderr


def test_merged_groups_are_named_so(folder):
    done = folder.shoal(
        "anonymize", "data.csv", "--plan", "plan.toml", "--t", "0.3", "--closeness-method", "merge", "-o", "out.csv"
    )
    assert b"by mdav, merged" in done.stderr
