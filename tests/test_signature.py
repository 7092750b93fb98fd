"""Signed manifests as a forger would change them: each part alone, keys of other kinds, what reads in two ways."""

import base64
import json

import polars as pl
import pytest

from command import shoal

serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")

PLAN = """
k = 3
subject = "who"
[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
ill = { role = "confidential", kind = "nominal" }
"""
DATA = "who,age,ill\n" + "".join(f"p{i},{i * 7 % 31},{'xyz'[i % 3]}\n" for i in range(40))
OID, UNKNOWN = bytes.fromhex("06032b6570"), bytes.fromhex("06032b6610")


@pytest.fixture
def signed(tmp_path):
    """A folder with a signed release."""
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "plan.toml").write_text(PLAN)
    key = ed25519.Ed25519PrivateKey.generate()
    pkcs8, bare = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, pkcs8, bare))
    public = serialization.PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "key.pub").write_bytes(key.public_key().public_bytes(serialization.Encoding.PEM, public))
    for name, der in {
        "PRIVATE": key.private_bytes(serialization.Encoding.DER, pkcs8, bare),
        "PUBLIC": key.public_key().public_bytes(serialization.Encoding.DER, public),
    }.items():
        text = base64.encodebytes(der.replace(OID, UNKNOWN)).decode()
        (tmp_path / f"{name}.pem").write_text(f"-----BEGIN {name} KEY-----\n{text}-----END {name} KEY-----\n")
    for name in ("key.pem", "PRIVATE.pem"):
        (tmp_path / name).chmod(0o600)
    made(tmp_path, "data.csv")
    return tmp_path


def made(folder, data, *more, stdin=b""):
    words = ("--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv", "--sign", "key.pem")
    done = shoal("anonymize", data, *words, *more, cwd=folder, stdin=stdin)
    assert done.returncode == 0, done.stderr


def checked(folder, *words, manifest="out.manifest.json"):
    """Return the exit code, and the names of what does not hold."""
    done = shoal("verify", "out.csv", "--plan", "plan.toml", "--signature", manifest, *words, cwd=folder)
    lines = done.stdout.decode().splitlines()
    return done.returncode, [line[2:].partition(":")[0] for line in lines if line.startswith("✗")]


def forged(folder, change):
    content = json.loads((folder / "out.manifest.json").read_text())
    change(content)
    (folder / "forged.json").write_text(json.dumps(content, sort_keys=True))
    return checked(folder, manifest="forged.json")


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda content: content["plan"].update(k=2), ["signature", "signed_plan"]),
        (lambda content: content.update(seed=1), ["signature"]),
        (lambda content: content["input"].update(file_sha256="0" * 64), ["signature"]),
        (lambda content: content["input"].update(rows=41), ["signature"]),
        (lambda content: content["output"].update(file_sha256="0" * 64), ["signature", "signed_file"]),
        (lambda content: content["guarantees"][0].update(achieved=99), ["signature"]),
        (lambda content: content["guarantees"].clear(), ["signature"]),
        (lambda content: content["signature"].update(value="00" * 64), ["signature"]),
        (lambda content: content["signature"].update(public_key="00" * 32), ["signature"]),
        (lambda content: content["signature"].update(public_key=""), ["signature"]),
        (lambda content: content.update(seconds={}, versions={}), []),
    ],
)
def test_each_part_that_is_signed_cannot_be_changed_alone(signed, change, broken):
    assert forged(signed, change) == (3 if broken else 0, broken)


def test_spaces_and_the_order_of_keys_are_not_signed_and_a_key_that_stands_twice_is_refused(signed):
    content = json.loads((signed / "out.manifest.json").read_text())
    (signed / "again.json").write_text(json.dumps(dict(reversed(content.items())), indent=7, ensure_ascii=True))
    assert checked(signed, "--public-key", "key.pub", manifest="again.json") == (0, [])
    first = json.dumps({"guarantees": [{"name": "k_anonymity", "achieved": 1000}]})[:-1]
    (signed / "twice.json").write_text(f"{first}, {(signed / 'out.manifest.json').read_text().strip()[1:]}")
    assert checked(signed, manifest="twice.json") == (2, [])


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["signature"].update(algorithm="none"),
        lambda content: content["signature"].pop("algorithm"),
        lambda content: content.update(input=None),
        lambda content: content.pop("output"),
    ],
)
def test_what_is_not_signed_as_shoal_signs_is_no_signed_manifest(signed, change):
    assert forged(signed, change) == (2, [])


def test_persons_are_counted_in_the_original_that_was_signed(signed):
    asked = ("--row-map", "rows.csv", "--original")
    assert checked(signed, *asked, "data.csv") == (0, [])
    (signed / "other.csv").write_text(DATA.replace("p1,", "q1,"))
    assert checked(signed, *asked, "other.csv") == (3, ["signed_original"])


@pytest.mark.parametrize("name", ["data.dat", "-"])
def test_an_original_that_was_text_under_another_name_is_compared(signed, name):
    for path in [*signed.glob("out.*"), signed / "rows.csv"]:
        path.unlink()
    (signed / "data.dat").write_text(DATA)
    made(signed, name, "--format", "csv", stdin=DATA.encode() if name == "-" else b"")
    (signed / "other.csv").write_text(DATA.replace("p1,", "q1,"))
    asked = ("--row-map", "rows.csv", "--original")
    assert checked(signed, *asked, "data.csv") == (0, [])
    assert checked(signed, *asked, "other.csv") == (3, ["signed_original"])


@pytest.mark.parametrize(
    ("public", "first"), [("01" + "00" * 31, "01"), ("00" * 32, "00"), ("01" + "00" * 30 + "80", "01")]
)
def test_a_key_that_one_signature_of_whatever_fits_is_none(signed, public, first):
    value = {"public_key": public, "value": first + "00" * 63}
    assert forged(signed, lambda content: content["signature"].update(value)) == (3, ["signature"])


def test_records_that_were_held_back_are_told_by_what_is_signed(tmp_path, signed):
    more = "".join(f"q{i},{i * 5 % 31},x\n" for i in range(2))
    (signed / "more.csv").write_text(DATA + more)
    words = (
        "--plan",
        "plan.toml",
        "--remember",
        "memory",
        "--row-map",
        "rows.csv",
        "--sign",
        "key.pem",
        "-o",
        "out.csv",
    )
    grown = ("--model", "b.json", "--previous", "a.json", "--hold-back")
    for data, model in (("data.csv", ("--model", "a.json")), ("more.csv", grown)):
        for path in [*signed.glob("out.*"), signed / "rows.csv"]:
            path.unlink()
        done = shoal("anonymize", data, *words, *model, "--verify", cwd=signed)
        assert done.returncode == 0, done.stderr
    asked = ("--row-map", "rows.csv", "--original", "more.csv")
    assert checked(signed, *asked) == (0, [])
    done = shoal("verify", "out.csv", "--plan", "plan.toml", *asked, cwd=signed)
    assert b"\xe2\x9c\x97 suppress: 2 of 42 records were dropped" in done.stdout
    assert forged(signed, lambda content: content["previous"].update(held_back=1)) == (3, ["signature"])
    assert forged(signed, lambda content: content["previous"].update(held_back=float("inf")))[0] == 2


def test_an_original_that_was_no_text_cannot_be_compared(signed):
    pl.read_csv(signed / "data.csv").write_parquet(signed / "data.parquet")
    for path in signed.glob("out.*"):
        path.unlink()
    (signed / "rows.csv").unlink()
    made(signed, "data.parquet")
    words = (
        "--plan",
        "plan.toml",
        "--signature",
        "out.manifest.json",
        "--original",
        "data.csv",
        "--row-map",
        "rows.csv",
    )
    done = shoal("verify", "out.csv", *words, cwd=signed)
    assert done.returncode == 0, done.stderr
    assert "? signed_original: the table that was signed was no CSV file" in done.stdout.decode()


def test_keys_of_a_kind_that_is_not_known_are_refused_in_a_sentence(signed):
    done = shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "b.csv", "--sign", "PRIVATE.pem", cwd=signed)
    assert (done.returncode, b"must hold an Ed25519 private key" in done.stderr) == (2, True)
    assert not (signed / "b.csv").exists()
    assert checked(signed, "--public-key", "PUBLIC.pem") == (2, [])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--public-key", "key.pub"), "name the signed manifest by --signature"),
        (("--row-map", "rows.csv"), "give the original, too"),
    ],
)
def test_an_option_that_would_check_nothing_is_refused(signed, words, why):
    done = shoal("verify", "out.csv", "--plan", "plan.toml", *words, cwd=signed)
    assert done.returncode == 2
    assert why in done.stderr.decode()


@pytest.mark.parametrize(("levels", "code"), [("0, 1", 0), ("false, true", 3), ("0.0, 1.0", 3)])
def test_a_plan_that_python_takes_for_the_same_is_another(signed, levels, code):
    plan = PLAN.replace('kind = "nominal"', 'kind = "ordinal", order = [0, 1]')
    (signed / "data.csv").write_text("who,age,ill\n" + "".join(f"p{i},{i * 7 % 31},{i % 2}\n" for i in range(40)))
    (signed / "plan.toml").write_text(plan)
    made(signed, "data.csv")
    (signed / "plan.toml").write_text(plan.replace("0, 1", levels))
    assert checked(signed) == (code, ["signed_plan"] if code else [])
