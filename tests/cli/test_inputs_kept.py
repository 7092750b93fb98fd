"""No command writes over a file that it reads, also one that no option names or that goes by another name."""

import os

import pytest

TREE = "Osona,*\nBages,*\nAnoia,*\n"
BOOK = "column,code,label\ncounty,Osona,O\ncounty,Bages,B\ncounty,Anoia,A\n"
RUN = ("anonymize", "data.csv", "--plan", "plan.toml", "-q")


def assert_kept(folder, name, *arguments):
    """Run a command that would write over a file by its own name, a hard link and a symbolic one."""
    path = folder.path / name
    before = path.read_bytes()
    if not (folder.path / f"hard-{name}").exists():
        os.link(path, folder.path / f"hard-{name}")
        (folder.path / f"link-{name}").symlink_to(name)
    names = folder.names()
    for other in (name, f"hard-{name}", f"link-{name}"):
        done = folder.shoal(*(other if word == "HERE" else word for word in arguments))
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
