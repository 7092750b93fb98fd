"""The auditor: it finds what shoal finds, sees what was tampered with, and runs alone."""

import csv
import gzip
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
from shoal.files import packing
from shoal.run.audit import ReleaseOnDisk, audit_files

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


def test_a_name_writes_no_verdict_on_the_terminal_of_who_runs_it_alone(tmp_path):
    name = "x\x1b[2K\x9b1A\u202e\n✓ k_anonymity: all is well"
    (tmp_path / "out.csv").write_text(f'a,"{name}"\n1,2\n1,3\n', encoding="utf-8")
    (tmp_path / "plan.toml").write_text(
        f"k = 2\ndiversity = {{ distinct = 2 }}\n[attributes]\na = {{ role = 'quasi_identifier', kind = 'numeric' }}\n"
        f"{json.dumps(name)} = {{ role = 'confidential', kind = 'nominal' }}\n"
    )
    words = [sys.executable, "-S", auditor.__file__, "out.csv", "--plan", "plan.toml"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, env={"PYTHONIOENCODING": "utf-8"})
    said = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert len(said.splitlines()) == 3
    assert "x\\x1b[2K\\x9b1A\\u202e\\n✓ k_anonymity" in said


def test_it_runs_alone_where_a_terminal_has_no_check_mark(tmp_path):
    made(tmp_path, HEAD)
    words = [sys.executable, "-S", auditor.__file__, "out.csv", "--plan", "plan.toml"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, env={"PYTHONIOENCODING": "cp1252"})
    assert done.returncode == 0, done.stderr
    assert b"\\u2713 columns: no identifier" in done.stdout


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


@pytest.mark.parametrize(
    "content",
    [
        "[" * 200_000,
        '{"signature": {"public_key": "00", "value": "00"}}',
        '{"signature": {"public_key": "00", "value": "00"}, "output": 5}',
        '{"signature": {"public_key": "00", "value": "00"}, "output": {"file_sha256": ""}, "plan": "\\ud800"}',
    ],
)
def test_what_is_no_signed_manifest_is_refused_in_a_sentence(tmp_path, content):
    made(tmp_path)
    (tmp_path / "manifest.json").write_text(content)
    done = run("verify", "out.csv", "--plan", "plan.toml", "--signature", "manifest.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "manifest.json is not a signed manifest" in done.stderr.decode()


def test_a_second_column_of_the_same_name_hides_nothing(tmp_path):
    made(tmp_path)
    head, *rows = (tmp_path / "out.csv").read_text().splitlines()
    ages = [str(age) for age in pl.read_csv(tmp_path / "data.csv")["age"]]
    lines = [f"{age},{row}" for age, row in zip(ages, rows, strict=True)]
    (tmp_path / "out.csv").write_text("\n".join([f"age,{head}", *lines]))
    with pytest.raises(auditor.Unreadable, match="two columns of one name"):
        audited(tmp_path)


def test_cells_that_differ_in_a_space_are_told_apart(tmp_path):
    made(tmp_path)
    assert [f.holds for f in audited(tmp_path, **with_original(tmp_path)) if f.name == "k_anonymity"] == [True]
    changed(tmp_path, 0, "town", pl.read_csv(tmp_path / "out.csv")["town"][0] + " ")
    assert [f.holds for f in audited(tmp_path, **with_original(tmp_path)) if f.name == "k_anonymity"] == [False]


def test_records_beside_originals_that_are_not_theirs_are_seen(tmp_path):
    release = made(tmp_path)
    frame = pl.read_csv(tmp_path / "out.csv")
    frame[np.roll(np.arange(len(frame)), 7)].write_csv(tmp_path / "out.csv")
    broken = {f.name: f.words for f in audited(tmp_path, **with_original(tmp_path)) if f.holds is False}
    assert "the row map is not given" in broken["kept"]
    release.data.write_csv(tmp_path / "out.csv")
    changed(tmp_path, 5, "cost", "77")
    broken = [f.words for f in audited(tmp_path, **with_original(tmp_path)) if f.holds is False]
    assert len(broken) == 1
    assert "cost differs from the original in 1 record:" in broken[0]


def test_numbers_that_are_written_in_another_way_are_the_same(tmp_path):
    release = made(tmp_path)
    release.data.with_columns(pl.col("cost").cast(pl.Float64)).write_csv(tmp_path / "out.csv")
    assert all(f.holds for f in audited(tmp_path, **with_original(tmp_path)))


def test_no_original_stands_for_two_records(tmp_path):
    made(tmp_path)
    (tmp_path / "rows.csv").write_text("released,original\n" + "".join(f"{i},{i // 2}\n" for i in range(160)))
    with pytest.raises(auditor.Unreadable, match="came from, and once"):
        audited(tmp_path, **with_original(tmp_path))


def test_what_is_packed_is_called_by_its_name_and_unpacked_within_bounds(tmp_path, monkeypatch):
    write(tmp_path)
    (tmp_path / "out.csv.gz").write_bytes(gzip.compress(b"a,b\n1\n"))
    done = run("verify", "out.csv.gz", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "out.csv.gz is not a CSV file" in done.stderr.decode()
    monkeypatch.setattr(packing, "_FEW", 1 << 20)
    (tmp_path / "out.csv.gz").write_bytes(gzip.compress(bytes(3 << 20)))
    with pytest.raises(shoal.DataError, match=r"out.csv.gz unpacks to more than 200 times its size"):
        audit_files(ReleaseOnDisk(tmp_path / "out.csv.gz", tmp_path / "plan.toml"))


@pytest.mark.parametrize("content", ["a,b\n1,secret\n", "a,b,c\n1,1,1\n", "a,b\n"])
def test_what_is_no_row_map_is_not_quoted(tmp_path, content):
    made(tmp_path)
    (tmp_path / "rows.csv").write_text(content)
    with pytest.raises(auditor.Unreadable, match="two numbers in each line") as caught:
        audited(tmp_path, **with_original(tmp_path))
    assert "secret" not in str(caught.value)


def test_dates_that_were_no_text_are_read_although_the_plan_says_how_text_has_them(tmp_path):
    plan = (
        "k = 3\n[attributes]\nage = { role = 'quasi_identifier', kind = 'numeric' }\n"
        "day = { role = 'confidential', kind = 'date', format = '%d/%m/%Y' }\n[closeness]\nt = 0.5\n"
    )
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 30), eager=True)
    pl.DataFrame({"age": np.arange(30) * 7 % 31, "day": days}).write_parquet(tmp_path / "data.parquet")
    (tmp_path / "plan.toml").write_text(plan)
    done = run("anonymize", "data.parquet", "--plan", "plan.toml", "-o", "out.csv", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [f.name for f in audited(tmp_path) if f.holds] == ["columns", "k_anonymity", "t_closeness"]


@pytest.mark.parametrize("plan", ["k = []", "closeness = 5", "x = " + "[" * 5000 + "]" * 5000])
def test_what_is_no_plan_is_refused_by_the_file_alone_and_by_the_command(tmp_path, plan, capsys):
    made(tmp_path)
    (tmp_path / "plan.toml").write_text(plan + "\n" + HEAD.replace("k = 4" if plan.startswith("k") else "\0", ""))
    assert auditor.main([str(tmp_path / "out.csv"), "--plan", str(tmp_path / "plan.toml")]) == 2
    assert "error: the audit cannot read this" in capsys.readouterr().err
    assert run("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path).returncode == 2


def test_a_misspelt_section_is_not_taken_for_nothing_asked(tmp_path):
    made(tmp_path)
    (tmp_path / "plan.toml").write_text(HEAD + "[closenes]\nt = 0.01\n")
    done = run("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "closenes" in done.stderr.decode()


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
    cells = [str(value) for value in rng.integers(0, levels, 120)]
    cuts = np.sort(rng.choice(np.arange(1, 120), 17, replace=False))
    classes = [part.tolist() for part in np.split(rng.permutation(120), cuts)]
    values = [auditor._value(cell, {"kind": kind}) for cell in cells]
    distances = {"numeric": auditor._ordered_distances, "nominal": auditor._equal_distances}[kind]
    assert list(distances(values, classes)) == [slow_distance(values, places, kind == "nominal") for places in classes]


def slow_tree_distance(values, places, height):
    """The same in a tree of codes that hang together by their first characters: what passes through each node."""
    group = Counter(values[place] for place in places)
    gain = {v: Fraction(group[v], len(places)) - Fraction(n, len(values)) for v, n in Counter(values).items()}
    moved = height * abs(gain.pop(auditor.MISSING, 0))
    for length in range(1, height + 1):
        heads = {code[:length] for _, code in gain}
        moved += sum(abs(sum(more for (_, code), more in gain.items() if code[:length] == head)) for head in heads)
    return moved / (2 * height)


def test_distances_in_a_tree_are_those_of_the_definition_by_the_branches_of_a_class_alone(monkeypatch):
    rng = np.random.default_rng(1)
    values = [(0, f"{code:03d}") for code in rng.integers(0, 400, 200)] + [auditor.MISSING] * 3
    classes = [part.tolist() for part in np.array_split(rng.permutation(203), 31)]
    expected = [slow_tree_distance(values, places, 3) for places in classes]
    assert list(auditor._tree_distances(values, classes, {"prefix": [1, 2]})) == expected
    looked_at = []
    of_class = auditor._on_branches
    monkeypatch.setattr(auditor, "_on_branches", lambda *given: looked_at.append(found := of_class(*given)) or found)
    list(auditor._tree_distances(values, classes, {"prefix": [1, 2]}))
    assert all(len(found) <= 3 * len(places) for found, places in zip(looked_at[1:], classes, strict=True))


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
    broken = ("kept", "clip", "round_to", "rare", "k_anonymity")
    assert verdicts["bad"] == dict.fromkeys(broken, False)


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


@pytest.mark.parametrize("note", ["", ",1"])
def test_persons_who_are_enough_in_an_order_that_nothing_tells_are_no_promise(tmp_path, note):
    """The attack: every class is of one person, and in another order its rows stand beside those of others."""
    name, declared = (",note", 'note = { role = "other" }\n') if note else ("", "")
    (tmp_path / "plan.toml").write_text(
        'k = 2\nsubject = "who"\n[attributes]\nwho = { role = "identifier" }\n'
        f'age = {{ role = "quasi_identifier", kind = "numeric" }}\n{declared}'
    )
    rows, order = [0, 0, 1, 1], [0, 2, 1, 3]
    (tmp_path / "data.csv").write_text(f"who,age{name}\n" + "".join(f"p{row},{row}{note}\n" for row in rows))
    (tmp_path / "out.csv").write_text(f"age{name}\n" + "".join(f"{rows[place]}{note}\n" for place in order))
    found = {each.name: each for each in audited(tmp_path, original=str(tmp_path / "data.csv"))}
    assert found["k_anonymity"].holds is None
    assert "no column tells whether rows stand as in the original" in found["k_anonymity"].words
    (tmp_path / "rows.csv").write_text("out,in\n" + "".join(f"{out},{place}\n" for out, place in enumerate(order)))
    found = {each.name: each for each in audited(tmp_path, **with_original(tmp_path))}
    assert found["k_anonymity"].holds is False
