"""shoal report, and reports written with the release."""

import json

import pytest


def test_a_report_appears_with_the_release(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "report.html")
    assert done.returncode == 0, done.stderr.decode()
    assert folder.names() == [
        "data.csv",
        "out.csv",
        "out.manifest.json",
        "plan.toml",
        "report.html",
        "report.json",
    ]
    told = json.loads((folder.path / "report.json").read_text())
    manifest = json.loads((folder.path / "out.manifest.json").read_text())
    assert told["edition"] == "internal"
    assert dict(told["provenance"])["released file, SHA-256"] == manifest["output"]["file_sha256"]
    assert "report.html" in done.stderr.decode()


def test_the_edition_can_be_chosen(folder):
    done = folder.shoal(
        "anonymize",
        "data.csv",
        "--plan",
        "plan.toml",
        "-o",
        "out.csv",
        "--report",
        "r.html",
        "--edition",
        "external",
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "external edition" in (folder.path / "r.html").read_text()


def test_nothing_appears_if_the_report_cannot_be_written(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "no/report.html")
    assert done.returncode == 2
    assert folder.names() == ["data.csv", "plan.toml"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--report", "report.pdf"], ".html"),
        (["--edition", "external"], "--report"),
        (["--attacks", "linkage"], "--report"),
        (["--report", "report.html", "--attacks", "linkige"], "linkige"),
        (["--report", "report.html", "--attacks", ""], "--attacks names nothing: leave it out"),
        (["--summary", "--attacks", ","], "--attacks names nothing: leave it out"),
        (["--summary", "--json"], "both want standard output"),
        (["--summary", "--output", "-"], "both want standard output"),
    ],
)
def test_wrong_options_are_refused_before_the_work(folder, options, says):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", *options)
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert folder.names() == ["data.csv", "plan.toml"]


def test_a_report_on_a_release_refuses_attacks_that_name_nothing(folder):
    done = folder.shoal("report", "data.csv", "data.csv", "--plan", "plan.toml", "-o", "report.html", "--attacks", ",")
    assert done.returncode == 2
    assert b"--attacks names nothing: leave it out" in done.stderr
    assert folder.names() == ["data.csv", "plan.toml"]


def test_a_dry_run_writes_no_report(folder):
    done = folder.shoal(
        "anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--report", "r.html", "--dry-run"
    )
    assert done.returncode == 0
    assert folder.names() == ["data.csv", "plan.toml"]


def test_a_release_of_another_tool_is_reported(folder):
    done = folder.shoal(
        "report", "data.csv", "data.csv", "--plan", "plan.toml", "-o", "r.html", "--edition", "external"
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "✗ k_anonymity = 1 (asked 4)" in done.stderr.decode()
    told = json.loads((folder.path / "r.json").read_text())
    assert told["guarantees"][0]["holds"] is False
    assert told["edition"] == "external"


def test_a_report_does_not_overwrite_its_inputs(folder):
    (folder.path / "data.html").symlink_to("data.csv")
    done = folder.shoal("report", "data.csv", "data.csv", "--plan", "plan.toml", "-o", "data.html")
    assert done.returncode == 2
    assert "input of this run" in done.stderr.decode()


def test_quiet_is_quiet(folder):
    done = folder.shoal("report", "data.csv", "data.csv", "--plan", "plan.toml", "-o", "r.html", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_release_of_another_tool_with_an_identifier_left_in_it_is_warned_of(folder):
    assert folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv").returncode == 0
    original = (folder.path / "data.csv").read_text().splitlines()
    released = (folder.path / "out.csv").read_text().splitlines()
    both = [f"{before.split(',')[0]},{after}" for before, after in zip(original, released, strict=True)]
    (folder.path / "theirs.csv").write_text("\n".join(both))
    done = folder.shoal("report", "data.csv", "theirs.csv", "--plan", "plan.toml", "-o", "r.html")
    assert "warning: 'name' is in the release, and the plan calls it an identifier" in done.stderr.decode()
    assert "&#39;name&#39; is in the release" in (folder.path / "r.html").read_text()


def test_values_that_are_equal_but_written_differently_are_no_group(folder):
    (folder.path / "plan.toml").write_text('k = 2\n[attributes]\na = { role = "quasi_identifier", kind = "numeric" }\n')
    (folder.path / "data.csv").write_text("a\n2\n1\n3\n4\n")
    (folder.path / "theirs.csv").write_text("a\n1.5\n1.50\n3.5\n3.5\n")
    done = folder.shoal("report", "data.csv", "theirs.csv", "--plan", "plan.toml", "-o", "r.html")
    assert done.returncode == 2
    assert "theirs.csv writes equal values of 'a' in several ways" in done.stderr.decode()
    assert "r.html" not in folder.names()
    measured = folder.shoal("measure", "data.csv", "theirs.csv", "--plan", "plan.toml", "-m", "k_min")
    assert measured.returncode == 0
    assert "warning: theirs.csv writes equal values of 'a' in several ways" in measured.stderr.decode()
    (folder.path / "theirs.csv").write_text("a\n1.5\n1.5\n3.5\n3.5\n")
    done = folder.shoal("report", "data.csv", "theirs.csv", "--plan", "plan.toml", "-o", "r.html")
    assert done.returncode == 0, done.stderr.decode()


def test_a_permutation_keeps_the_ways_in_which_values_are_written(folder):
    number = 'kind = "numeric"'
    (folder.path / "plan.toml").write_text(
        f'k = 2\nrelease = "permute"\n[attributes]\na = {{ role = "quasi_identifier", {number} }}\n'
        f'pay = {{ role = "confidential", {number} }}\n'
    )
    (folder.path / "data.csv").write_text("a,pay\n1.5,1\n1.50,2\n3,3\n4,4\n")
    assert folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv").returncode == 0
    measured = folder.shoal("measure", "data.csv", "out.csv", "--plan", "plan.toml", "-m", "k_min")
    assert (measured.returncode, measured.stderr) == (0, b"")
    done = folder.shoal("report", "data.csv", "out.csv", "--plan", "plan.toml", "-o", "r.html")
    assert done.returncode == 2
    assert "leaves no trace in the tables" in done.stderr.decode()


def test_page_one_is_printed_with_the_release_and_without_a_report(folder):
    command = ["anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--attacks", "linkage"]
    done = folder.shoal(*command, "--summary", "--about-title", "Sixty people", "--report", "page.md", "-q")
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert said.startswith("Sixty people\n============\n")
    assert [word in said for word in ("What is promised", "linkage by distance", "Before you sign")] == [True] * 3
    told = json.loads((folder.path / "page.json").read_text())["summary"]
    assert [each["key"] for each in told["tried"]] == ["linkage"]
    written = (folder.path / "page.md").read_text()
    assert written.startswith("# Sixty people\n")
    assert "| linkage by distance |" in written
    alone = folder.shoal(*command, "--summary", "--about-title", "Sixty people", "-q")
    assert alone.stdout.decode() == said


def test_page_one_of_a_release_of_any_tool(folder):
    assert folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "-q").returncode == 0
    command = ["report", "data.csv", "out.csv", "--plan", "plan.toml"]
    before = folder.names()
    done = folder.shoal(*command, "--summary", "--edition", "external", "-q")
    assert done.returncode == 0, done.stderr.decode()
    assert "External edition" in done.stdout.decode()
    assert folder.names() == before
    nowhere = folder.shoal(*command)
    assert nowhere.returncode == 2
    assert "--output, or ask for --summary" in nowhere.stderr.decode()
