"""No command writes over a file that it reads, also one that no option names or that goes by another name."""

import os
import subprocess

import polars as pl
import pytest

TREE = "Osona,*\nBages,*\nAnoia,*\n"
BOOK = "column,code,label\ncounty,Osona,O\ncounty,Bages,B\ncounty,Anoia,A\n"
RUN = ("anonymize", "data.csv", "--plan", "plan.toml", "-q")


def assert_kept(folder, name, *arguments, stdin=b""):
    """Run a command that would write over a file by its own name, a hard link and a symbolic one."""
    path = folder.path / name
    before = path.read_bytes()
    if not (folder.path / f"hard-{name}").exists():
        os.link(path, folder.path / f"hard-{name}")
        (folder.path / f"link-{name}").symlink_to(name)
    names = folder.names()
    for other in (name, f"hard-{name}", f"link-{name}"):
        done = folder.shoal(*(other if word == "HERE" else word for word in arguments), stdin=stdin)
        assert done.returncode == 2, done.stderr
        assert b"is an input of this run" in done.stderr or b"is named twice" in done.stderr
        assert done.stderr.count(b"\n") == 1
        assert path.read_bytes() == before
        assert folder.names() == names


def write_tree(folder):
    (folder.path / "tree.csv").write_text(TREE)
    plan = folder.path / "plan.toml"
    plan.write_text(plan.read_text().replace('kind = "nominal"', 'kind = "nominal", hierarchy = "tree.csv"'))


@pytest.mark.parametrize(
    "arguments",
    [
        (*RUN, "-o", "HERE"),
        (*RUN, "-o", "out.csv", "--row-map", "HERE"),
        ("stream", "--plan", "plan.toml", "-q", "-i", "data.csv", "-o", "HERE"),
    ],
)
def test_the_file_of_a_tree_that_the_plan_names(folder, arguments):
    write_tree(folder)
    assert_kept(folder, "tree.csv", *arguments)


@pytest.mark.parametrize("arguments", [(*RUN, "-o", "HERE"), ("init", "data.csv", "--force", "-o", "HERE")])
def test_a_codebook(folder, arguments):
    (folder.path / "book.csv").write_text(BOOK)
    assert_kept(folder, "book.csv", *arguments, "--codebook", "book.csv")


@pytest.mark.parametrize("option", ["--model", "--manifest", "--row-map", "-o"])
def test_the_key_that_signs(folder, option):
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = folder.path / "sign.csv"
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    key.write_bytes(pem)
    key.chmod(0o600)
    output = [] if option == "-o" else ["-o", "out.csv"]
    assert_kept(folder, "sign.csv", *RUN, "--sign", "sign.csv", *output, option, "HERE")


def test_a_row_map_by_a_report(folder):
    folder.shoal(*RUN, "-o", "out.csv", "--row-map", "map.html")
    done = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-q", "--row-map", "map.html")
    assert_kept(folder, "map.html", *done, "--format", "csv", "-o", "HERE")


def test_the_plan_of_a_comparison_that_picks_none(folder):
    run = ("compare", "data.csv", "--try-k", "4,5", "-q", "-j1", "-m", "dld", "-o", "comparison")
    assert folder.shoal(*run, "--plan", "plan.toml", "--pick", "dld <= 100").returncode == 0
    picked = folder.path / "comparison" / "picked.toml"
    before = picked.read_bytes()
    done = folder.shoal(*run, "--plan", "comparison/picked.toml", "--pick", "dld <= -1")
    assert done.returncode == 2
    assert b"picked.toml is an input of this run" in done.stderr
    assert picked.read_bytes() == before
    assert folder.shoal(*run, "--plan", "comparison/picked.toml").returncode == 0


def test_the_reference_tables(folder):
    numbers = pl.DataFrame({f"v{j}": [(i * (j + 7)) % 31 for i in range(60)] for j in range(13)})
    numbers.write_csv(folder.path / "census.csv")
    assert_kept(folder, "census.csv", "reproduce", "p3-blocks", "--data", ".", "-q", "-o", "HERE")


@pytest.mark.parametrize("matched", [(), ("--row-map", "rows.csv"), ("--by-key", "ward")])
def test_the_manifest_beside_a_release_that_is_reported_on(folder, matched):
    assert folder.shoal(*RUN, "-o", "out.csv", "--order", "keep", "--row-map", "rows.csv").returncode == 0
    before = (folder.path / "out.manifest.json").read_bytes()
    names = folder.names()
    report = ("report", "data.csv", "out.csv", "--plan", "plan.toml", "-q", "--attacks", "none", *matched)
    done = folder.shoal(*report, "-o", "out.manifest.md")  # whose JSON would stand where the manifest does
    assert done.returncode == 2
    assert b"out.manifest.json is an input of this run" in done.stderr
    assert (folder.path / "out.manifest.json").read_bytes() == before
    assert folder.names() == names


def test_a_database(folder):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(folder.path / "clinic.db") as database:
        database.execute("create table visits as select * from read_csv(?)", [str(folder.path / "data.csv")])
    read = ("anonymize", "duckdb://clinic.db/visits", "--plan", "plan.toml", "-q", "-o", "out.csv")
    assert_kept(folder, "clinic.db", *read, "--manifest", "HERE")


@pytest.mark.parametrize(
    "arguments",
    [
        ("anonymize", "-", "--plan", "plan.toml", "-q", "-o", "HERE"),
        ("stream", "--plan", "plan.toml", "-q", "--format", "csv", "-o", "HERE"),
        ("stream", "--plan", "plan.toml", "-q", "--format", "csv", "-o", "out.csv", "--dead-letter", "HERE"),
    ],
)
def test_the_file_that_standard_input_comes_from(folder, arguments):
    assert_kept(folder, "data.csv", *arguments, stdin=folder.path / "data.csv")


@pytest.mark.parametrize("place", ["kept/stream.snapshot", "kept/lock"])
@pytest.mark.parametrize("option", ["-o", "--dead-letter", "--trace", "-i", "--state-key-file"])
def test_the_files_of_a_state_are_nothing_else(folder, option, place):
    (folder.path / "kept").mkdir()
    if option in ("-i", "--state-key-file"):
        (folder.path / place).write_bytes(b"0123456789abcdef" * 2)
        (folder.path / place).chmod(0o600)
    output = [] if option == "-o" else ["-o", "out.csv"]
    done = folder.shoal("stream", "--plan", "plan.toml", "-q", "--state", "kept", *output, option, place)
    assert done.returncode == 2
    assert b"kept" in done.stderr
    assert b"is named twice" in done.stderr
    assert not (folder.path / "out.csv").exists()


def test_what_looks_like_a_leftover_of_a_killed_run(folder):
    plan = (folder.path / "plan.toml").rename(folder.path / ".out.csv.0123abcd.part")
    other = folder.path / ".out.csv.0123abce.part"
    other.touch()
    assert folder.shoal("anonymize", "data.csv", "--plan", plan.name, "-q", "-o", "out.csv").returncode == 0
    assert plan.exists()
    assert not other.exists()
    other.symlink_to("nowhere")
    assert folder.shoal("anonymize", "data.csv", "--plan", plan.name, "-q", "-o", "out.csv").returncode == 0


def test_a_folder_of_runs_that_is_a_file(folder):
    (folder.path / "plan.toml").rename(folder.path / "runs")
    done = folder.shoal("compare", "data.csv", "--plan", "runs", "--try-k", "4,5", "-q", "-j1", "-m", "dld", "-o", ".")
    assert done.returncode == 2
    assert done.stderr == b"error: the folder runs cannot be made: file exists\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("anonymize", "data.csv", "--plan", "plan.toml", "-q"),
        ("stream", "--plan", "plan.toml", "-q", "-i", "data.csv"),
        ("stream", "--plan", "plan.toml", "-q", "-i", "data.csv", "-o", "out.csv", "--dead-letter", "-"),
    ],
)
def test_the_file_that_standard_output_goes_to(folder, arguments):
    path = folder.path / "data.csv"
    before = path.read_bytes()
    with path.open("ab") as file:  # as by >>
        done = folder.process(*arguments, capture_output=False, stdout=file, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard output is an input of this run")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        (*RUN, "-o", "/dev/stdout"),
        (*RUN, "-o", "out.csv", "--row-map", "earlier.csv"),
        ("stream", "--plan", "plan.toml", "-q", "-i", "data.csv", "-o", "/dev/stdout"),
    ],
)
def test_standard_output_by_another_name(folder, arguments):
    path = folder.path / "earlier.csv"
    path.write_bytes(b"kept\n")
    names = folder.names()
    with path.open("ab") as file:  # as by >>
        done = folder.process(*arguments, capture_output=False, stdout=file, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"is the file that standard output goes to: write - instead" in done.stderr
    assert path.read_bytes() == b"kept\n"
    assert folder.names() == names


def test_a_stream_that_is_refused_keeps_its_earlier_output(folder):
    (folder.path / "out.csv").write_bytes(b"kept\n")
    stream = ("stream", "--plan", "plan.toml", "-q", "-i", "data.csv", "-o", "out.csv")
    done = folder.shoal(*stream, "--dead-letter", "dead", "--trace", "nowhere/trace")
    assert done.returncode == 2
    assert (folder.path / "out.csv").read_bytes() == b"kept\n"
    assert "dead" not in folder.names()
    assert folder.shoal(*stream).returncode == 0
    assert (folder.path / "out.csv").read_bytes() != b"kept\n"
