import contextlib
import hashlib
import json
import os
import pty
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import command
import shoal
from reference.published import MDAV_LOSS
from shoal import Plan
from shoal.run.saved_release import manifest_path

QUASI = ["age", "grade", "county", "seen"]


def test_a_release_and_its_manifest_beside_it(folder):
    done = folder.process("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    assert b"k_anonymity = 4 (asked 4)" in done.stderr
    assert folder.names() == ["data.csv", "out.csv", "out.manifest.json", "plan.toml"]
    released = pl.read_csv(folder.path / "out.csv", infer_schema=False)
    original = pl.read_csv(folder.path / "data.csv", infer_schema=False)
    assert released.columns == ["age", "grade", "county", "seen", "pay", "ward"]
    assert released.group_by(QUASI).len()["len"].min() >= 4
    assert released["pay"].equals(original["pay"])
    assert released["ward"].equals(original["ward"]), "leading zeros of an untouched column must survive"
    assert "person-" not in (folder.path / "out.csv").read_text()


def test_the_manifest_can_be_checked(folder):
    folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    manifest = json.loads((folder.path / "out.manifest.json").read_text())
    digest = {name: hashlib.sha256((folder.path / name).read_bytes()).hexdigest() for name in ("data.csv", "out.csv")}
    assert manifest["input"]["file_sha256"] == digest["data.csv"]
    assert manifest["output"]["file_sha256"] == digest["out.csv"]
    assert manifest["input"]["rows"] == 60
    assert Plan(**manifest["plan"]) == Plan.load(folder.path / "plan.toml")
    assert manifest["guarantees"][0]["holds"] is True
    assert {"shoal", "numpy", "polars", "python"} <= set(manifest["versions"])
    assert "person-" not in (folder.path / "out.manifest.json").read_text()


def test_the_same_run_gives_the_same_bytes(folder):
    for name in ("a.csv", "b.csv"):
        folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", name)
    assert (folder.path / "a.csv").read_bytes() == (folder.path / "b.csv").read_bytes()


def test_the_command_line_and_python_give_the_same_release(folder):
    folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.parquet")
    frame = pl.read_csv(folder.path / "data.csv", try_parse_dates=True)
    release = shoal.anonymize(frame, Plan.load(folder.path / "plan.toml"))
    assert pl.read_parquet(folder.path / "out.parquet").select(QUASI).equals(release.data.select(QUASI))


def test_data_to_stdout_and_messages_to_stderr(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 0
    assert done.stdout.startswith(b"age,grade,county,seen,pay,ward\n")
    assert len(done.stdout.splitlines()) == 61
    assert b"k_anonymity" in done.stderr
    assert folder.names() == ["data.csv", "plan.toml"]


def test_stdin_to_stdout_in_a_pipe(folder):
    data = (folder.path / "data.csv").read_bytes()
    piped = folder.process("anonymize", "-", "--plan", "plan.toml", input=data)
    assert piped.stdout == folder.shoal("anonymize", "data.csv", "--plan", "plan.toml").stdout


def test_quiet_says_nothing(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_no_progress_bar_in_a_pipe(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv")
    assert b"\r" not in done.stderr
    assert b"\x1b" not in done.stderr


def test_json_summary(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--json")
    assert json.loads(done.stdout) == json.loads((folder.path / "out.manifest.json").read_text())


def test_dry_run_writes_nothing(folder):
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--dry-run", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["guarantees"][0]["holds"] is True
    assert folder.names() == ["data.csv", "plan.toml"]


@pytest.mark.parametrize(
    ("output", "manifest"),
    [
        ("out.csv", "out.manifest.json"),
        ("out.csv.gz", "out.manifest.json"),
        ("out.2024.csv", "out.2024.manifest.json"),
        ("out", "out.manifest.json"),
    ],
)
def test_the_manifest_is_named_after_the_release(output, manifest):
    assert manifest_path(f"folder.d/{output}", None) == f"folder.d/{manifest}"


def test_the_manifest_goes_where_it_is_told(folder):
    folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--manifest", "m.json")
    assert folder.names() == ["data.csv", "m.json", "out.csv", "plan.toml"]


@pytest.mark.parametrize(
    "options",
    [
        ["--k", "7"],
        ["--scale", "minmax"],
        ["--by", "ward", "--k", "2"],
        ["--round"],
        ["--preserve-variance"],
        ["--release", "permute"],
        ["--weights", "pay"],
        ["--set", "attributes.age.weight=50"],
        ["--set", "k=7"],
        ["--set", 'attributes.grade.order=["high", "low", "mid"]'],
    ],
    ids=" ".join,
)
def test_options_override_the_plan(folder, options):
    plain = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml")
    changed = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", *options)
    assert changed.returncode == 0, changed.stderr
    assert changed.stdout != plain.stdout


@pytest.mark.parametrize(("kind", "ways"), [("numeric", ["1", "1.0", "01"]), ("nominal", ["", "NA", " "])])
def test_one_value_of_by_written_in_several_ways_is_one_value_in_the_release(folder, kind, ways):
    ward = pl.Series("ward", [ways[i % 3] for i in range(60)])
    pl.read_csv(folder.path / "data.csv").with_columns(ward).write_csv(folder.path / "data.csv")
    folder.write_plan((folder.path / "plan.toml").read_text().replace('"other"', f'"other", kind = "{kind}"'))
    options = ("--by", "ward", "--missing-value", "NA")
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", *options)
    assert done.returncode == 0, done.stderr
    released = pl.read_csv(folder.path / "out.csv", infer_schema=False)
    assert released.group_by([*QUASI, "ward"]).len()["len"].min() >= 4


def test_the_seed_and_missing_and_method_override_the_plan(folder):
    two = [
        folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--release", "permute", "--seed", seed).stdout
        for seed in "12"
    ]
    assert two[0] != two[1]
    text = (folder.path / "data.csv").read_text().splitlines()
    text[1] = ",".join(["person-0", "", *text[1].split(",")[2:]])
    (folder.path / "gaps.csv").write_text("\n".join(text))
    assert folder.shoal("anonymize", "gaps.csv", "--plan", "plan.toml").returncode == 2
    assert folder.shoal("anonymize", "gaps.csv", "--plan", "plan.toml", "--missing", "impute").returncode == 0
    wrong = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--method", "mdva")
    assert b"did you mean 'mdav'" in wrong.stderr


@pytest.mark.parametrize("name", ["data.parquet", "data.feather", "data.csv.gz", "data.tsv"])
def test_other_formats_in_and_out(folder, name):
    frame = pl.read_csv(folder.path / "data.csv", try_parse_dates=True, schema_overrides={"ward": pl.String})
    match name:
        case "data.parquet":
            frame.write_parquet(folder.path / name)
        case "data.feather":
            frame.write_ipc(folder.path / name)
        case "data.tsv":
            frame.write_csv(folder.path / name, separator="\t")
        case _:
            import gzip

            (folder.path / name).write_bytes(gzip.compress((folder.path / "data.csv").read_bytes()))
    out = name.replace("data", "out")
    done = folder.shoal("anonymize", name, "--plan", "plan.toml", "-o", out)
    assert done.returncode == 0, done.stderr
    folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "plain.csv")
    back = folder.shoal("check", out, "--plan", "plan.toml")
    assert b"does not have column 'name'" in back.stderr, "the release lacks the identifier and nothing else"


def test_a_european_csv_comes_back_as_it_was(folder):
    text = pl.read_csv(folder.path / "data.csv", schema_overrides={"ward": pl.String})
    text = text.with_columns(pay=pl.col("pay").cast(pl.String).str.replace(".", ",", literal=True))
    content = text.write_csv(separator=";").replace("\n", "\r\n").replace("Osona", "Osoná")
    (folder.path / "euro.csv").write_bytes(content.encode("cp1252"))
    done = folder.shoal("anonymize", "euro.csv", "--plan", "plan.toml")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode("cp1252").split("\r\n")
    assert lines[0] == "age;grade;county;seen;pay;ward"
    assert any("Osoná" in line for line in lines)
    assert any("," in line.split(";")[0] for line in lines[1:-1]), "masked ages have a decimal comma"


@pytest.mark.parametrize(("name", "k", "expected"), MDAV_LOSS)
def test_golden_figures_through_the_command_line(folder, name, k, expected, reference_data):
    original = pl.read_csv(reference_data / f"{name}.csv")
    attributes = {c: {"role": "quasi_identifier", "kind": "numeric"} for c in original.columns}
    Plan(k=k, order="keep", attributes=attributes).save(folder.path / "plan.toml")
    done = folder.shoal("anonymize", reference_data / f"{name}.csv", "--plan", "plan.toml", "-o", "out.csv")
    assert done.returncode == 0, done.stderr
    x, masked = original.to_numpy(), pl.read_csv(folder.path / "out.csv").to_numpy()
    deviation = x.std(axis=0)
    loss = 100 * (((x - masked) / deviation) ** 2).sum() / (((x - x.mean(axis=0)) / deviation) ** 2).sum()
    assert round(loss, 4) == expected


def test_ctrl_c_ends_with_130_and_leaves_nothing(folder):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.normal(size=(60_000, 30)), schema=[f"x{i}" for i in range(30)])
    frame.write_parquet(folder.path / "big.parquet")
    Plan(k=3, attributes={c: {"role": "quasi_identifier", "kind": "numeric"} for c in frame.columns}).save(
        folder.path / "plan.toml"
    )
    before = folder.names()
    arguments = ("anonymize", "big.parquet", "--plan", "plan.toml", "-o", "out.parquet")
    ours, theirs = pty.openpty()
    process = command.start_shoal(*arguments, cwd=folder.path, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    said = b""
    while b"grouping records" not in said:  # the partition has begun, and takes minutes
        said += os.read(ours, 1 << 16)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # how a terminal ends
        while part := os.read(ours, 1 << 16):
            said += part
    os.close(ours)
    assert process.wait(60) == 130, said
    assert b"interrupted: nothing was written" in said
    assert b"Traceback" not in said
    assert folder.names() == before


def test_a_reader_that_leaves_early_is_no_crash(folder):
    done = subprocess.run(
        f"{sys.executable} -m shoal anonymize data.csv --plan plan.toml --quiet | head -1",
        shell=True,
        cwd=folder.path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == b"age,grade,county,seen,pay,ward\n"
    assert b"Traceback" not in done.stderr
