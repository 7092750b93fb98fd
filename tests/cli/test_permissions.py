"""Who may read what was written: everybody the release, its owner alone whatever tells of records."""

import json
import os
import stat

import pytest

from cli.test_errors import RUN

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX systems")


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_release_may_be_read_and_its_evidence_not(folder):
    assert folder.shoal(*RUN, "--report", "report.html").returncode == 0
    assert mode(folder.path / "out.csv") == 0o644
    for name in ("out.manifest.json", "report.html", "report.json"):
        assert mode(folder.path / name) == 0o600, name


def test_the_external_edition_of_a_report_is_made_to_be_handed_out(folder):
    assert folder.shoal(*RUN, "--report", "report.html", "--edition", "external").returncode == 0
    assert mode(folder.path / "report.html") == mode(folder.path / "report.json") == 0o644
    assert mode(folder.path / "out.manifest.json") == 0o600


def test_files_that_were_readable_are_no_longer(folder):
    for name in ("out.manifest.json", "report.html", "report.json"):
        (folder.path / name).write_text("of yesterday")
        (folder.path / name).chmod(0o666)
    assert folder.shoal(*RUN).returncode == 0
    report = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-o", "report.html")
    assert folder.shoal(*report).returncode == 0
    for name in ("out.manifest.json", "report.html", "report.json"):
        assert mode(folder.path / name) == 0o600, name


def test_a_manifest_elsewhere_is_private_too(folder):
    assert folder.shoal(*RUN, "--manifest", "elsewhere.json").returncode == 0
    assert mode(folder.path / "elsewhere.json") == 0o600


def test_a_manifest_may_still_go_into_a_device(folder):
    done = folder.shoal(*RUN, "--manifest", "/dev/null")
    assert done.returncode == 0, done.stderr


def test_a_comparison_is_private(folder):
    done = folder.shoal("compare", "data.csv", "--plan", "plan.toml", "--try-k", "3,4", "-m", "k_min")
    assert done.returncode == 0, done.stderr
    files = [path for path in (folder.path / "comparison").rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert {mode(path) for path in files} == {0o600}
    # A name of a cached run is a hash of the table, the plan and versions: who lists the folder confirms a guess by it.
    assert mode(folder.path / "comparison") == mode(folder.path / "comparison" / "runs") == 0o700


def test_the_files_of_a_stream(folder):
    lines = [{"age": i % 40, "area": "n", "ill": "a"} for i in range(60)] + ["no record"]
    (folder.path / "in.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    folder.write_plan(
        'k = 3\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
        'area = { role = "quasi_identifier", kind = "nominal" }\nill = { role = "confidential", kind = "nominal" }\n'
    )
    for name in ("dead.ndjson", "trace.ndjson"):
        (folder.path / name).touch(mode=0o644)
    done = folder.shoal(
        "stream", "--plan", "plan.toml", "-i", "in.ndjson", "-o", "out.ndjson", "-q",
        "--dead-letter", "dead.ndjson", "--trace", "trace.ndjson", "--state", "state",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert mode(folder.path / "out.ndjson") == 0o644
    for name in ("dead.ndjson", "trace.ndjson", "state/stream.snapshot", "state/lock"):
        assert mode(folder.path / name) == 0o600, name
    assert mode(folder.path / "state") == 0o700
