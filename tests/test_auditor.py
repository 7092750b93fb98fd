"""The auditor: it finds what shoal finds, sees what was tampered with, and runs alone."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from command import shoal as run
from shoal import auditor

HEAD = """
k = 4
subject = "who"

[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
town = { role = "quasi_identifier", kind = "nominal" }
cost = { role = "confidential", kind = "numeric" }
ill = { role = "confidential", kind = "nominal" }
stage = { role = "confidential", kind = "ordinal", order = ["i", "ii", "iii"] }
"""
TREE = "\n[closeness.hierarchy.ill]\nlungs = ['flu', 'asthma']\nother = { skin = ['rash'], bones = ['gout'] }\n"


def table(n=160, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in rng.integers(0, n // 2, n)],
            "age": rng.integers(18, 90, n),
            "town": rng.choice(list("abc"), n),
            "cost": rng.integers(0, 15, n),
            "ill": rng.choice(["flu", "asthma", "rash", "gout"], n),
            "stage": rng.choice(["i", "ii", "iii"], n),
        }
    )


def write(folder, plan=HEAD):
    table().write_csv(folder / "data.csv")
    (folder / "plan.toml").write_text(plan)


def made(folder, plan=HEAD):
    write(folder, plan)
    frame = pl.read_csv(folder / "data.csv")
    release = shoal.anonymize(frame, shoal.Plan.parse(plan))
    release.data.write_csv(folder / "out.csv")
    rows = getattr(release, "rows", np.arange(len(frame)))
    pl.DataFrame({"released": np.arange(len(frame)), "original": rows}).write_csv(folder / "rows.csv")
    return release


def audited(folder, **options):
    return auditor.audit(str(folder / "out.csv"), str(folder / "plan.toml"), **options)


def with_original(folder):
    return {"original": str(folder / "data.csv"), "row_map": str(folder / "rows.csv")}


@pytest.mark.parametrize(
    "section",
    [
        "",
        "[closeness]\nt = 0.3\n",
        "[closeness]\nt = { cost = 0.2, ill = 0.5, stage = 0.4 }\n",
        f"[closeness]\nt = 0.45\nattributes = ['ill']\n{TREE}",
        "[diversity]\ndistinct = 2\nentropy = 1.5\nrecursive = { c = 3, l = 2 }\np_sensitive = 2\n",
    ],
)
def test_it_agrees_with_what_the_release_says(tmp_path, section):
    release = made(tmp_path, HEAD + section)
    found = audited(tmp_path, **with_original(tmp_path))
    assert all(finding.holds for finding in found)
    by_name = {finding.name for finding in found}
    assert set(release.guarantees) <= by_name
    counted = next(finding for finding in found if finding.name == "k_anonymity")
    assert f"at least {release.guarantees['k_anonymity'].achieved} different who" in counted.words
    if "t_closeness" in release.guarantees:
        reached = [float(re.search(r"within ([\d.e-]+),", f.words)[1]) for f in found if f.name == "t_closeness"]
        assert max(reached) >= release.guarantees["t_closeness"].achieved - 1e-5
        assert any(abs(r - release.guarantees["t_closeness"].achieved) < 1e-5 for r in reached)


def changed(folder, row, column, value):
    with (folder / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[row][column] = value
    with (folder / "out.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_one_changed_cell_is_seen(tmp_path):
    made(tmp_path)
    changed(tmp_path, 5, "age", "12345")
    broken = [finding.name for finding in audited(tmp_path, **with_original(tmp_path)) if finding.holds is False]
    assert broken == ["k_anonymity"]
    assert [finding.holds for finding in audited(tmp_path) if finding.name == "k_anonymity"] == [False]


@pytest.mark.parametrize("allowed", ["0.25", "'restricted'", "'public'"])
def test_the_chance_of_the_prosecutor_is_judged(tmp_path, allowed):
    release = made(tmp_path, f"{HEAD}\n[risk]\nprosecutor = {allowed}\n")
    found = {finding.name: finding for finding in audited(tmp_path, **with_original(tmp_path))}
    assert found["prosecutor_risk"].holds
    fewest = round(1 / release.guarantees["prosecutor_risk"].achieved)
    assert f"1/{fewest}, " in found["prosecutor_risk"].words
    unseen = {finding.name: finding for finding in audited(tmp_path)}["prosecutor_risk"]
    assert unseen.holds is None
    assert "cannot be counted without the original" in unseen.words
    (tmp_path / "plan.toml").write_text(f"{HEAD}\n[risk]\nprosecutor = {0.99 / fewest}\n")
    broken = [finding.name for finding in audited(tmp_path, **with_original(tmp_path)) if finding.holds is False]
    assert broken == ["prosecutor_risk"]
    changed(tmp_path, 5, "age", "12345")
    assert {finding.name: finding for finding in audited(tmp_path)}["prosecutor_risk"].holds is False


def test_what_is_not_judged_is_said(tmp_path):
    made(tmp_path)
    asks = f"dominance = 0.5\n{HEAD}\n[risk]\njournalist = 0.2\nmarketer = 0.2\nfraction = 0.1\n"
    (tmp_path / "plan.toml").write_text(asks)
    found = {finding.name: finding.holds for finding in audited(tmp_path, **with_original(tmp_path))}
    assert {name for name, holds in found.items() if holds is None} == {"journalist_risk", "marketer_risk", "dominance"}


def test_rows_are_not_persons(tmp_path):
    made(tmp_path, HEAD.replace('"who"', '"record"', 1))
    (tmp_path / "plan.toml").write_text(HEAD)
    found = {finding.name: finding for finding in audited(tmp_path, **with_original(tmp_path))}
    assert found["k_anonymity"].holds is False
    blind = {finding.name: finding for finding in audited(tmp_path)}
    assert blind["k_anonymity"].holds is None
    assert "cannot be counted without the original" in blind["k_anonymity"].words


def test_an_identifier_or_a_stranger_that_left_is_seen(tmp_path):
    made(tmp_path)
    frame = pl.read_csv(tmp_path / "out.csv").with_columns(pl.lit("x").alias("who"), pl.lit("y").alias("new"))
    frame.write_csv(tmp_path / "out.csv")
    broken = [finding.name for finding in audited(tmp_path) if finding.holds is False]
    assert broken == ["identifiers", "columns"]


def test_a_group_far_from_the_table_is_seen(tmp_path):
    made(tmp_path)
    (tmp_path / "plan.toml").write_text(HEAD + "[closeness]\nt = 0.01\n[diversity]\ndistinct = 9\n")
    broken = {finding.name for finding in audited(tmp_path) if finding.holds is False}
    assert broken == {"t_closeness", "distinct_l_diversity"}


def test_it_runs_alone_with_the_standard_library(tmp_path):
    made(tmp_path, HEAD + "[closeness]\nt = 0.3\n")
    alone = tmp_path / "alone.py"
    alone.write_bytes(Path(auditor.__file__).read_bytes())
    words = [sys.executable, "-I", "-S", str(alone), "out.csv", "--plan", "plan.toml", "--original", "data.csv"]
    done = subprocess.run([*words, "--row-map", "rows.csv"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("✓") == 5
    assert "shoal" not in re.sub(r'""".*?"""', "", alone.read_text(), count=1, flags=re.DOTALL)


def test_the_command_judges_and_exits_as_it_should(tmp_path):
    made(tmp_path)
    words = ["verify", "out.csv", "--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv"]
    assert run(*words, cwd=tmp_path).returncode == 0
    changed(tmp_path, 0, "town", "elsewhere")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 3
    assert "k_anonymity" in done.stderr.decode()
    (tmp_path / "rows.csv").write_text("a,b\n0,0\n")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "does not say where each of the 160" in done.stderr.decode()


def test_a_signature_stands_for_plan_file_and_guarantees(tmp_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from shoal.signature import check_signature, sign

    release = made(tmp_path)
    key = Ed25519PrivateKey.generate()
    pem, raw = serialization.Encoding.PEM, serialization.NoEncryption()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, raw))
    with pytest.raises(shoal.DataError, match=r"by others than its owner.*sign in your name"):
        sign(release.manifest, str(tmp_path / "key.pem"))
    (tmp_path / "key.pem").chmod(0o600)
    (tmp_path / "key.pub").write_bytes(
        key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    import hashlib

    digest = hashlib.sha256((tmp_path / "out.csv").read_bytes()).hexdigest()
    content = release.manifest.adding(output={**release.manifest["output"], "file_sha256": digest})
    content = content.adding(signature=sign(content, str(tmp_path / "key.pem")))
    (tmp_path / "manifest.json").write_text(content.to_json())
    names = [str(tmp_path / name) for name in ("manifest.json", "out.csv", "plan.toml", "key.pub")]
    assert all(finding.holds for finding in check_signature(*names))
    changed(tmp_path, 0, "cost", "99")
    assert [f.name for f in check_signature(*names) if not f.holds] == ["signed_file"]
    forged = json.loads((tmp_path / "manifest.json").read_text())
    forged["guarantees"][0]["achieved"] = 99
    (tmp_path / "manifest.json").write_text(json.dumps(forged))
    assert "signature" in [f.name for f in check_signature(*names) if not f.holds]


def slow_distance(values, places, nominal):
    """The earth mover's distance of a class, level after level in fractions."""
    table, group = Counter(values), Counter(values[place] for place in places)
    levels = sorted(table)
    share = [Fraction(group[level], len(places)) - Fraction(table[level], len(values)) for level in levels]
    if nominal:
        return sum(map(abs, share)) / 2
    return sum(map(abs, list(accumulate(share))[:-1])) / max(len(levels) - 1, 1)


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
@pytest.mark.parametrize("levels", [1, 2, 5, 60])
def test_distances_are_those_of_the_definition(kind, levels):
    rng = np.random.default_rng(levels)
    rows = [{"x": str(value)} for value in rng.integers(0, levels, 120)]
    cuts = np.sort(rng.choice(np.arange(1, 120), 17, replace=False))
    classes = [part.tolist() for part in np.split(rng.permutation(120), cuts)]
    column = {"kind": kind}
    values = [auditor._value(row["x"], column) for row in rows]
    expected = [slow_distance(values, places, kind == "nominal") for places in classes]
    assert list(auditor._distances(rows, classes, "x", column, None)) == expected


@pytest.mark.parametrize(("column", "cell"), [("cost", "secret"), ("stage", "secret")])
def test_no_message_quotes_a_cell(tmp_path, column, cell):
    made(tmp_path, HEAD + "[closeness]\nt = 0.3\n")
    changed(tmp_path, 7, column, cell)
    with pytest.raises(auditor.Unreadable, match=f"record 8 has a cell in column '{column}' that is no") as said:
        audited(tmp_path)
    assert cell not in str(said.value)


def test_what_the_plan_cuts_off_rounds_or_merges_is_looked_for(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'k = 2\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric", clip = { high = 90 } }\n'
        'day = { role = "other", kind = "date", clip = { low = 2020-01-05 } }\n'
        'pay = { role = "confidential", kind = "numeric", round_to = 5 }\n'
        'town = { role = "confidential", kind = "nominal", rare = { below = 2 } }\n'
    )
    before = "age,day,pay,town\n95,2020-01-01,12,A\n80,2020-01-09,13,A\n70,2020-01-09,20,B\n70,2020-01-09,20,A\n"
    good = "age,day,pay,town\n85,2020-01-05,10,A\n85,2020-01-09,15,A\n70,2020-01-09,20,other\n70,2020-01-09,20,A\n"
    (tmp_path / "before.csv").write_text(before)
    for name, text in {"good": good, "bad": before}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    files = (str(tmp_path / "plan.toml"), str(tmp_path / "before.csv"))
    verdicts = {
        name: {f.name: f.holds for f in auditor.audit(str(tmp_path / f"{name}.csv"), *files) if f.name != "columns"}
        for name in ("good", "bad")
    }
    assert verdicts["good"] == {"clip": True, "round_to": True, "rare": True, "k_anonymity": True}
    assert verdicts["bad"] == {"clip": True, "round_to": False, "rare": False, "k_anonymity": False} | {"clip": False}


def test_places_are_judged_by_both_columns_and_trees_by_rule(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "k = 2\n[closeness]\nt = 0.5\nhierarchy = { zip = { prefix = [1] } }\n[attributes]\n"
        'lat = { role = "quasi_identifier", kind = "place", longitude = "lon" }\n'
        'zip = { role = "confidential", kind = "nominal" }\n',
        encoding="utf-8",
    )
    release = tmp_path / "out.csv"
    release.write_text("lat,lon,zip\n1,2,A1\n1,2,B1\n1,3,A2\n1,3,B2\n", encoding="utf-8")
    found = {finding.name: finding for finding in auditor.audit(str(release), str(plan))}
    assert all(finding.holds for finding in found.values())
    assert "2 classes" in found["k_anonymity"].words
    assert "within 0.25" in found["t_closeness"].words  # half of them move, by one height of two
    release.write_text("lat,lon,zip\n1,2,A1\n1,2,B1\n1,3,A2\n1,4,B2\n", encoding="utf-8")
    assert not {finding.name: finding for finding in auditor.audit(str(release), str(plan))}["k_anonymity"].holds
    plan.write_text(plan.read_text(encoding="utf-8").replace("{ prefix = [1] }", '"zip.csv"'), encoding="utf-8")
    assert {finding.name: finding for finding in auditor.audit(str(release), str(plan))}["t_closeness"].holds is None
