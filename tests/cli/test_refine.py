"""Refinement from the command line."""

import json

import shoal


def test_the_option_refines_and_says_so(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--refine", "quick")
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads((folder.path / "out.manifest.json").read_text())["refine"]
    assert told["effort"] == "quick"
    assert f"refined, quick: {told['saved_percent']:.1f} % of the loss saved" in done.stderr.decode()


def test_mistakes_are_one_sentence_and_exit_with_2(folder):
    for options, words in [
        (["--refine", "most"], "refine"),
        (["--refine", "good", "--refine-seconds", "0"], "refine_seconds"),
        (["--refine-seconds", "3"], "refine_seconds changes nothing here"),
    ]:
        done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", *options)
        assert done.returncode == 2
        assert words in done.stderr.decode()
        assert not (folder.path / "out.csv").exists()


def test_init_proposes_good(folder):
    assert folder.shoal("init", "data.csv", "-o", "new.toml").returncode == 0
    assert 'refine = "good"' in (folder.path / "new.toml").read_text()


def test_a_comparison_tries_it(folder):
    command = ["compare", "data.csv", "--plan", "plan.toml", "--try-refine", "none,quick", "-m", "il_percent"]
    done = folder.shoal(*command)
    assert done.returncode == 0, done.stderr.decode()
    runs = json.loads((folder.path / "comparison" / "comparison.json").read_text())["runs"]
    plain, refined = (run["scores"]["il_percent"] for run in runs)
    assert [run["choices"]["refine"] for run in runs] == ["none", "quick"]
    assert refined < plain


def test_a_report_says_what_was_saved_or_would_have_been(folder):
    for effort, words in (("quick", "quick: "), ("none", 'none; refine = "quick" would save about ')):
        done = folder.shoal(
            *("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "report.html"),
            *("--refine", effort),
        )
        assert done.returncode == 0, done.stderr.decode()
        told = dict(json.loads((folder.path / "report.json").read_text())["provenance"])
        assert told["refinement"].startswith(words)
        assert "% of the loss" in told["refinement"]


def test_an_external_report_does_not(folder):
    done = folder.shoal(
        *("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "report.html"),
        *("--refine", "quick", "--edition", "external"),
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "refinement" not in dict(json.loads((folder.path / "report.json").read_text())["provenance"])


def test_a_plan_that_refines_serves_a_stream_as_well(folder):
    plan = shoal.Plan.load(folder.path / "plan.toml").to_toml()
    folder.write_plan(f'refine = "good"\n{plan}')
    done = folder.shoal("stream", "--plan", "plan.toml", stdin=b"")
    assert done.returncode == 0
    assert done.stderr.count(b"refine is for tables and does nothing here") == 1
