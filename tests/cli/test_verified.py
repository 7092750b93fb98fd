"""anonymize --verify: the auditor reads what was written before it gets its name; a broken promise leaves nothing."""

import datetime as dt
import gzip
import re

import polars as pl
import pytest

import shoal.run.saved_release
from cli.test_errors import RUN
from command import shoal as run

SUBJECTS = """
k = 4
subject = "name"
[attributes]
name   = { role = "identifier" }
age    = { role = "quasi_identifier", kind = "numeric" }
grade  = { role = "other" }
county = { role = "quasi_identifier", kind = "nominal" }
seen   = { role = "other" }
pay    = { role = "confidential", kind = "numeric" }
ward   = { role = "other" }
"""
JUDGED = r"✓ k_anonymity: the classes have records of at least (\d+) different name, asked 4"


@pytest.fixture
def visits(folder):
    """The table with persons who come twice."""
    frame = pl.read_csv(folder.path / "data.csv")
    frame = pl.concat([frame, frame.with_columns(pay=pl.col("pay") + 1)]).sample(fraction=1.0, shuffle=True, seed=1)
    frame.write_csv(folder.path / "data.csv")
    folder.write_plan(SUBJECTS)
    return folder


def test_the_file_is_judged_and_then_appears(visits):
    done = visits.shoal(*RUN, "--verify")
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert int(re.search(JUDGED, said)[1]) >= 4
    assert said.index("as an outsider reads the file") < said.index("wrote out.csv")
    assert {"out.csv", "out.manifest.json"} <= set(visits.names())


def test_quiet_says_nothing_of_what_holds(visits):
    done = visits.shoal(*RUN, "--verify", "-q")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("target", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize(
    ("column", "value", "broken"),
    [("age", "12345", "k_anonymity, constant_attributes"), ("ward", "out of place", "kept")],
)
def test_a_file_that_breaks_a_promise_never_appears(visits, monkeypatch, target, column, value, broken):
    """The attack: what was checked in memory is not what is written."""
    real = shoal.run.saved_release.write

    def tampered(frame, *arguments, **options):
        first = pl.int_range(pl.len()) == 0
        changed = frame.with_columns(pl.when(first).then(pl.lit(value)).otherwise(column).alias(column))
        return real(changed, *arguments, **{**options, "verbatim": ()})

    monkeypatch.setattr("shoal.run.saved_release.write", tampered)
    before = visits.names()
    words = [*RUN[: RUN.index("-o")], "-o", target, "--report", "report.html", "--row-map", "rows.csv"]
    assert visits.shoal(*words, "-q").returncode == 0  # nobody else sees it
    for name in set(visits.names()) - set(before):
        (visits.path / name).unlink()
    done = visits.shoal(*words, "--verify")
    assert done.returncode == 3
    assert f"the release does not hold what its plan says: {broken}; nothing was written" in done.stderr.decode()
    assert visits.names() == before


def test_the_plan_of_the_run_is_the_one_that_is_judged(visits):
    done = visits.shoal(*RUN, "--verify", "--k", "7")
    assert done.returncode == 0
    assert ", asked 7" in done.stderr.decode()


@pytest.mark.parametrize("source", ["-", "data.parquet"])
def test_originals_that_are_no_text_files_are_counted_too(visits, source):
    data = (visits.path / "data.csv").read_bytes()
    pl.read_csv(visits.path / "data.csv").write_parquet(visits.path / "data.parquet")
    done = visits.shoal("anonymize", source, "--plan", "plan.toml", "-o", "out.csv", "--verify", stdin=data)
    assert done.returncode == 0, done.stderr
    assert re.search(JUDGED, done.stderr.decode())


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series(["low", "high", "mid"] * 20, dtype=pl.Enum(["low", "mid", "high", "never"])),
        pl.Series([True, False, False] * 20),
        pl.Series([dt.date(2024, 1, 31), dt.date(2024, 2, 1), dt.date(2023, 12, 9)] * 20),
        pl.Series([dt.datetime(2024, 1, 31, 8), dt.datetime(2024, 2, 1), dt.datetime(2023, 12, 9, 23, 59)] * 20),
    ],
    ids=["categories", "truths", "dates", "times"],
)
def test_the_order_that_a_type_has_is_said_to_the_auditor(tmp_path, cells):
    pl.DataFrame({"age": [20 + i * 7 % 41 for i in range(60)], "rank": cells}).write_parquet(tmp_path / "data.parquet")
    (tmp_path / "plan.toml").write_text(
        'k = 3\ncloseness = { t = 0.3 }\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
        'rank = { role = "confidential", kind = "ordinal" }\n'
    )
    done = run("anonymize", "data.parquet", "--plan", "plan.toml", "-o", "out.csv", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "✓ t_closeness: rank is within" in done.stderr.decode()


def test_standard_output_gets_what_was_judged(visits):
    done = visits.shoal(*RUN[: RUN.index("-o")], "--verify")
    assert done.returncode == 0
    assert re.search(JUDGED, done.stderr.decode())
    assert done.stdout.startswith(b"age,grade,county")


def test_other_encodings_and_words_for_missing_values(folder):
    text = "età;spesa\n" + "".join(f"{20 + i % 30};{'n.d.' if i % 9 == 0 else i % 7},5\n" for i in range(60))
    (folder.path / "data.csv").write_bytes(text.replace("n.d.,5", "n.d.").encode("cp437"))
    folder.write_plan(
        'k = 3\n[closeness]\nt = 0.5\nmissing = "category"\n[attributes]\n'
        '"età" = { role = "quasi_identifier", kind = "numeric" }\nspesa = { role = "confidential", kind = "numeric" }\n'
    )
    how = ("--encoding", "cp437", "--missing-value", "n.d.")
    done = folder.shoal(*RUN, "--verify", *how)
    assert done.returncode == 0, done.stderr
    assert "✓ t_closeness: spesa is within" in done.stderr.decode()
    done = folder.shoal("verify", "out.csv", "--plan", "plan.toml", *how)
    assert done.returncode == 0, done.stderr
    done = folder.shoal("verify", "out.csv", "--plan", "plan.toml", *how[:2])
    assert done.returncode == 2
    assert re.search("record [0-9]+ has a cell in column 'spesa' that is no number", done.stderr.decode())
    assert "n.d." not in done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-o", "out.parquet"), "--verify reads the release as text, and Parquet is none: name a CSV file"),
        (("-o", "out.csv", "--dry-run"), "--verify judges what was written, and --dry-run writes nothing"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_the_work(folder, words, why):
    before = folder.names()
    done = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml", "--verify", *words)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert folder.names() == before


def test_pseudonyms_that_the_plan_asks_for_are_no_identifiers_that_left(visits):
    visits.write_plan(SUBJECTS.replace('subject = "name"', 'subject = "name"\nkeep_subject = "pseudonym"'))
    done = visits.shoal(*RUN, "--verify", "--row-map", "rows.csv")
    assert done.returncode == 0, done.stderr
    words = ("verify", "out.csv", "--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
    assert visits.shoal(*words).returncode == 0
    names = pl.read_csv(visits.path / "data.csv")["name"].to_list()
    text = (visits.path / "out.csv").read_text().splitlines()
    pseudonym = pl.read_csv(visits.path / "out.csv")["name"][0]
    text[1:] = [line.replace(pseudonym, names[0]) for line in text[1:]]
    (visits.path / "out.csv").write_text("\n".join(text) + "\n")
    done = visits.shoal(*words)
    assert done.returncode == 3
    assert "'name' left, which the plan calls identifier" in done.stdout.decode()


def test_files_that_are_damaged_are_a_mistake_in_one_sentence(folder):
    assert folder.shoal(*RUN).returncode == 0
    (folder.path / "cut.csv").write_bytes(gzip.compress((folder.path / "out.csv").read_bytes())[:60])
    for name in ("cut.csv", "nowhere.csv"):
        done = folder.shoal("verify", name, "--plan", "plan.toml")
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr


@pytest.mark.parametrize("encoding", ["", "base64", "rot13", "utf-9"])
def test_an_encoding_of_no_text_is_refused_in_the_words_of_a_run(folder, encoding):
    assert folder.shoal(*RUN).returncode == 0
    done = folder.shoal("verify", "out.csv", "--plan", "plan.toml", "--encoding", encoding)
    assert done.returncode == 2
    assert done.stderr == folder.shoal(*RUN, "--encoding", encoding).stderr
    assert f"encoding '{encoding}' is not known as one of text: try utf-8" in done.stderr.decode()


def test_a_table_that_is_no_text_is_said_to_be_none(folder):
    assert folder.shoal(*RUN).returncode == 0
    pl.read_csv(folder.path / "out.csv").write_parquet(folder.path / "out.parquet")
    for words in (("out.parquet",), ("out.csv", "--original", "out.parquet")):
        done = folder.shoal("verify", *words, "--plan", "plan.toml")
        assert done.returncode == 2
        assert done.stderr == (
            b"error: out.parquet is no CSV file but Parquet, and an audit reads text: write it as CSV\n"
        )


AGES = [20 + i * 7 % 41 for i in range(40)]


def verified(folder, data, plan, *words, name="data.csv"):
    """Release a table with --verify, and judge the files once more by the command; return what both say."""
    if isinstance(data, str):
        (folder / name).write_text(data)
    (folder / "plan.toml").write_text(plan)
    done = run(
        "anonymize",
        name,
        "--plan",
        "plan.toml",
        "-o",
        "out.csv",
        "--row-map",
        "rows.csv",
        "--verify",
        *words,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


def again(folder, *words):
    """Judge the files once more by the command."""
    asked = ("--plan", "plan.toml", "--original", "data.csv", "--row-map", "rows.csv")
    return run("verify", "out.csv", *asked, *words, cwd=folder)


WHO = 'subject = "who"\n[attributes]\nwho = { role = "identifier" }\n'


@pytest.mark.parametrize("cell", ["{},5", "a, {}", "x;{}"])
def test_one_column_has_nothing_that_parts_cells(tmp_path, cell):
    kind = "numeric" if cell.endswith(",5") else "nominal"
    mark = "\t" if ";" in cell else ";"
    text = f"who{mark}age\n" + "".join(f"p{i}{mark}{cell.format(age % 5)}\n" for i, age in enumerate(AGES))
    plan = f'k = 3\n{WHO}age = {{ role = "quasi_identifier", kind = "{kind}" }}\n'
    assert "✓ k_anonymity" in verified(tmp_path, text, plan)
    assert again(tmp_path).returncode == 0


@pytest.mark.parametrize("mark", [" ", "_", "x", "^"])
def test_cells_are_parted_by_whatever_the_run_was_given(tmp_path, mark):
    text = f"who{mark}age{mark}ill\n" + "".join(f"p{i}{mark}{age}{mark}a\n" for i, age in enumerate(AGES))
    plan = f'k = 3\n{WHO}age = {{ role = "quasi_identifier", kind = "numeric" }}\nill = {{ role = "other" }}\n'
    verified(tmp_path, text, plan, "--delimiter", mark)
    assert again(tmp_path).returncode == 0


CODES = """k = 3
SUBJECT
[closeness]
t = { school = 0.5, ill = 0.6 }
hierarchy = { ill = { a = ["flu", "gout"], b = ["xan"] } }
[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
school = { role = "confidential", kind = "ordinal"ORDER }
ill = { role = "confidential", kind = "nominal"RARE }
"""
BOOK = "column,code,label\nschool,1,tertiary\nschool,2,none\nschool,3,primary\nill,1,flu\nill,2,gout\nill,3,xan\n"


@pytest.mark.parametrize("subject", ['subject = "who"', 'subject = "record"'])
@pytest.mark.parametrize("order", ["", ', order = ["none", "primary", "tertiary"]'])
@pytest.mark.parametrize("rare", ["", ', rare = { below = 3, into = "flu" }'])
def test_the_plan_speaks_of_labels_and_the_files_have_codes(tmp_path, subject, order, rare):
    rows = (f"p{i},{age},{i % 3 + 1},{1 + (i % 7 == 5) + 2 * (i == 7)}\n" for i, age in enumerate(AGES))
    (tmp_path / "book.csv").write_text(BOOK)
    plan = CODES.replace("SUBJECT", subject).replace("ORDER", order).replace("RARE", rare)
    text = "who,age,school,ill\n" + "".join(rows)
    assert "✓ t_closeness: school is within" in verified(tmp_path, text, plan, "--codebook", "book.csv")
    assert again(tmp_path, "--codebook", "book.csv").returncode == 0
    assert again(tmp_path).returncode in (2, 3)  # labels that no cell has
    (tmp_path / "none.csv").write_text("code,label\n1,2\n")
    assert again(tmp_path, "--codebook", "none.csv").returncode == 2


def test_a_codebook_that_knows_some_cells_of_a_column_leaves_its_codes(tmp_path):
    (tmp_path / "book.csv").write_text("column,code,label\npay,-9,refused\nill,1,flu\nrank,3,none\n")
    rows = (f"p{i},{age},{-9 if i % 8 == 0 else i},{i % 3 + 1},{i % 3 + 1}\n" for i, age in enumerate(AGES))
    plan = (
        'k = 3\nsubject = "who"\ncloseness = { t = 0.6, hierarchy = { ill = { a = ["1", "2"], b = ["3"] } } }\n'
        '[attributes]\nwho = { role = "identifier" }\nage = { role = "quasi_identifier", kind = "numeric" }\n'
        'pay = { role = "confidential", kind = "numeric" }\nill = { role = "confidential", kind = "nominal" }\n'
        'rank = { role = "confidential", kind = "ordinal", order = ["1", "2", "3"] }\n'
    )
    verified(tmp_path, "who,age,pay,ill,rank\n" + "".join(rows), plan, "--codebook", "book.csv")
    assert again(tmp_path, "--codebook", "book.csv").returncode == 0


@pytest.mark.parametrize("options", ["clip = { high = 0.5 }", "round_to = 0.05"])
def test_narrow_numbers_are_compared_as_they_are_computed(tmp_path, options):
    pay = pl.Series([i / 10 for i in range(40)], dtype=pl.Float32)
    pl.DataFrame({"who": [f"p{i}" for i in range(40)], "age": AGES, "pay": pay}).write_parquet(
        tmp_path / "data.parquet"
    )
    plan = f'k = 3\n{WHO}age = {{ role = "quasi_identifier", kind = "numeric" }}\n'
    plan += f'pay = {{ role = "confidential", kind = "numeric", {options} }}\n'
    assert f"✓ {options.split()[0]}: pay has 0 values" in verified(tmp_path, None, plan, name="data.parquet")


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("%d/%m/%Y %T", "%d/%m/%Y %H:%M:%S"),
        ("%F %R", "%Y-%m-%d %H:%M"),
        ("%e.%m.%Y", "%e.%m.%Y"),
        ("%-d/%-m/%Y", "%-d/%-m/%Y"),
        ("%d/%m/%Y %H:%M:%S%.f", "%d/%m/%Y %H:%M:%S.%f"),
        ("%d %h %Y", "%d %b %Y"),
        ("%d/%m/%Y %H:%M:%S%:z", "%d/%m/%Y %H:%M:%S+02:00"),
        ("%v", "%e-%b-%Y"),
        ("%D", "%m/%d/%y"),
        ("%b %e %Y", "%b %e %Y"),
        ("%d/%m/%Y %k:%M", "%d/%m/%Y %k:%M"),
        ("%d/%m/%Y %r", "%d/%m/%Y %I:%M:%S %p"),
        ("%F %l:%M %P", "%Y-%m-%d %l:%M am"),
        ("%c", "%a %b %e %H:%M:%S %Y"),
        ("%d/%m/%Y %H:%M:%S.%3f", "%d/%m/%Y %H:%M:%S.250"),
        ("%s", "%s"),
    ],
)
def test_dates_are_read_in_every_form_that_a_run_takes(tmp_path, form, written):
    days = [dt.datetime(2011, 1, 1, 3, 4, 5) + dt.timedelta(days=i * 37 % 900, minutes=i) for i in range(40)]
    rows = (f"p{i},{age},{day.strftime(written)}\n" for i, (age, day) in enumerate(zip(AGES, days, strict=True)))
    plan = f'k = 3\ncloseness = {{ t = 0.4 }}\n{WHO}age = {{ role = "quasi_identifier", kind = "numeric" }}\n'
    plan += f'day = {{ role = "confidential", kind = "date", format = "{form}", clip = {{ high = 2012-06-01 }} }}\n'
    assert "✓ t_closeness: day is within" in verified(tmp_path, "who,age,day\n" + "".join(rows), plan)
    assert again(tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("form", "written", "mark"), [("%d.%m.%y", "%d.%m.%y", "✓"), ("%d.%m.%Y (%d)", "%d.%m.%Y (%d)", "?")]
)
def test_dates_of_the_year_69_and_those_that_say_the_day_twice(tmp_path, form, written, mark):
    """Python reads 69 as 1969, where the run has 2069; and no form that names a part of a date twice."""
    days = [dt.datetime(2068, 6, 1) + dt.timedelta(days=i * 37 % 900) for i in range(40)]
    rows = (
        f"p{i},{day.strftime(written)},{(day + dt.timedelta(days=i)).strftime(written)}\n" for i, day in enumerate(days)
    )
    plan = f'k = 3\n{WHO}born = {{ role = "quasi_identifier", kind = "date", format = "{form}" }}\n'
    plan += f'seen = {{ role = "confidential", kind = "date", format = "{form}", relative_to = "born" }}\n'
    said = verified(tmp_path, "who,born,seen\n" + "".join(rows), plan)
    assert ("? kept: seen: dates in a form that is not read here are not compared" in said) == (mark == "?")
    assert ("? kind: born has 40 values in a form that is not read here" in said) == (mark == "?")
    assert again(tmp_path).returncode == 0
