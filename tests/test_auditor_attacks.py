"""Releases that were changed to look better than they are, and honest ones that look strange: each is seen for it."""

import csv
import gzip

import pytest

from command import shoal as run
from shoal import auditor

PLAN = """
k = 2
subject = "who"
TOP
[diversity]
distinct = 2
attributes = ["NAME"]
[attributes]
who = { role = "identifier" }
born = { role = "identifier", kind = "date" }
age = { role = "quasi_identifier", kind = "numeric" }
NAME = { role = "confidential", KIND }
"""


def judged(folder, release, original=None, plan=PLAN, **options):
    """Return the names of what does not hold, for texts as the files would have them."""
    (folder / "out.csv").write_text(release, encoding="utf-8")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    if original is not None:
        (folder / "data.csv").write_text(original, encoding="utf-8")
        options["original"] = str(folder / "data.csv")
    found = auditor.audit(str(folder / "out.csv"), str(folder / "plan.toml"), **options)
    return {finding.name for finding in found if finding.holds is False}


@pytest.mark.parametrize(
    ("kind", "cell", "other", "honest", "disguised"),
    [
        ('kind = "nominal"', "flu", "gout", "flu", "Flu"),
        ('kind = "nominal"', "flu", "gout", "flu", "flu\u200b"),
        ('kind = "nominal"', "caf\u00e9", "gout", "caf\u00e9", "cafe\u0301"),
        ('kind = "nominal"', "1", "2", "1", "1.0"),
        ('kind = "nominal", rare = { below = 1 }', "flu", "gout", "flu", "flux"),
        ('kind = "nominal", rare = { below = 1 }', "flu", "gout", "flu", "other"),
        ('kind = "numeric"', "5", "7", "5.0", "5.0000000001"),
        ('kind = "numeric"', "1e-11", "7", "1e-11", "3e-11"),
        ('kind = "numeric", round_to = 5', "6", "12", "5", "15"),
        ('kind = "numeric", clip = { high = 9 }', "5", "12", "5", "9"),
        ('kind = "date"', "2020-01-05", "2020-02-02", "2020-01-05T00:00:00", "2020-01-06"),
        ('kind = "date", relative_to = "born"', "2020-01-05", "2020-02-02", "4", "5"),
    ],
)
def test_a_value_in_another_disguise_is_no_second_value(tmp_path, kind, cell, other, honest, disguised):
    """The attack: all of a class have one value, and one of them is written so that it counts as another."""
    plan = PLAN.replace("NAME", "it").replace("KIND", kind).replace("TOP", "")
    rows = [("a", 1, cell), ("b", 1, cell), ("c", 9, cell), ("d", 9, other)]
    original = "who,born,age,it\n" + "".join(f"{who},2020-01-01,{age},{it}\n" for who, age, it in rows)
    day = "32" if "relative" in kind else "2020-02-02T00:00:00"  # a column has one form
    last = {"2020-02-02": day, "12": "10" if "round_to" in kind else "9", "7": "7.0"}.get(other, other)
    written = "age,it\n1,{}\n1,{}\n9,{}\n9,{}\n"
    release = written.format(honest, disguised, honest, last)
    assert "kept" in judged(tmp_path, release, original, plan)
    assert judged(tmp_path, written.format(honest, honest, honest, last), original, plan) == {"distinct_l_diversity"}


@pytest.mark.parametrize(
    "other",
    ["p1\u200b", "p1 ", "\uff501", "\u00adp1", "p1\ufe0f", "p\u034f1", "\u3164p1", "p1\u2800", "p1\x01", "p1\x7f"],
)
def test_one_person_in_two_spellings_is_one(tmp_path, other):
    plan = PLAN.partition("[diversity]")[0].replace("TOP", "") + "[attributes]" + PLAN.partition("[attributes]")[2]
    plan = plan.replace("NAME", "it").replace("KIND", 'kind = "nominal"')
    original = f"who,born,age,it\np1,,1,x\n{other},,1,y\np3,,9,x\np4,,9,y\n"
    assert judged(tmp_path, "age,it\n1,x\n1,y\n9,x\n9,y\n", original, plan) == {"k_anonymity"}
    numbers = original.replace(other, "7.0").replace("p1", "7")
    assert judged(tmp_path, "age,it\n1,x\n1,y\n9,x\n9,y\n", numbers, plan) == {"k_anonymity"}
    assert judged(tmp_path, "age,it\n1,x\n1,y\n9,x\n9,y\n", original.replace(other, "p2"), plan) == set()


PLAIN = """
k = 2
TOP
[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
ill = { role = "confidential", kind = "nominal" }
ward = { role = "other" }
"""


def test_gaps_that_are_written_in_two_ways_tell_records_apart(tmp_path):
    plan = PLAIN.replace("TOP", "")
    release = "age,ill,ward\n{},x,1\n,y,1\n9,x,1\n9,y,1\n"
    assert judged(tmp_path, release.format(""), plan=plan, missing=["NA"]) == set()
    assert judged(tmp_path, release.format("NA"), plan=plan, missing=["NA"]) == {"k_anonymity"}


def test_the_column_that_groups_are_formed_by_is_as_it_was(tmp_path):
    plan = PLAIN.replace("TOP", 'by = "ward"')
    original = "who,age,ill,ward\na,1,x,n\nb,1,y,n\nc,9,x,s\nd,9,y,s\n"
    assert judged(tmp_path, "age,ill,ward\n1,x,n\n1,y,n\n9,x,s\n9,y,s\n", original, plan) == set()
    assert judged(tmp_path, "age,ill,ward\n1,x,s\n1,y,s\n9,x,s\n9,y,s\n", original, plan) == {"kept"}


@pytest.mark.parametrize(
    ("top", "broken"), [("", {"suppress"}), ("suppress = 0.3", {"suppress"}), ("suppress = 0.4", set())]
)
def test_no_more_records_are_left_out_than_the_plan_allows(tmp_path, top, broken):
    original = "who,age,ill,ward\na,1,x,n\nb,1,y,n\nc,9,x,s\nd,9,y,s\ne,9,y,s\n"
    (tmp_path / "rows.csv").write_text("released_row,original_row\n1,2\n2,1\n3,4\n")
    plan, row_map = PLAIN.replace("TOP", top).replace("k = 2", "k = 1"), str(tmp_path / "rows.csv")
    assert judged(tmp_path, "age,ill,ward\n1,y,n\n1,x,n\n9,y,s\n", original, plan, row_map=row_map) == broken


FOLLOWED = 'subject = "who"\nkeep_subject = "pseudonym"'
PSEUDONYM = {letter: letter.lower() * 13 for letter in "ABCDE"}  # 13 letters and digits
PEOPLE = "who,age,ill,ward\np1,1,x,n\np1,2,y,n\np2,1,x,n\np2,2,y,n\np3,8,x,n\np4,9,y,n\n"


@pytest.mark.parametrize(
    ("names", "ages", "broken"),
    [
        ("A A B B C D", "1 2 1 2 8 8", set()),
        ("A A B B C D", "1 2 1 2 1 2", {"history_k_anonymity"}),
        ("A B B A C D", "1 1 1 1 8 8", {"pseudonyms"}),
        ("A E B B C D", "1 1 1 1 8 8", {"pseudonyms"}),
        ("p1 p1 B B C D", "1 1 1 1 8 8", {"identifiers", "pseudonyms"}),
        ("p1\u200b p1\u200b B B C D", "1 1 1 1 8 8", {"identifiers", "pseudonyms"}),
    ],
)
def test_whoever_is_followed_goes_the_way_of_others(tmp_path, names, ages, broken):
    plan = PLAIN.replace("TOP", FOLLOWED)
    rows = zip(names.split(" "), ages.split(), "xyxyxy", strict=True)
    lines = "".join(f"{PSEUDONYM.get(name, name)},{age},{ill},n\n" for name, age, ill in rows)
    release = f"who,age,ill,ward\n{lines}"
    assert judged(tmp_path, release, PEOPLE, plan) == broken
    seen = {"pseudonyms"} if "p1" in names else {"history_k_anonymity"}
    assert judged(tmp_path, release, plan=plan) == broken & seen


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('"quasi_identifier"', '"quasi_identifer"', "does not say of the column 'age' what it is"),
        ('"quasi_identifier"', '"other"', "no quasi-identifier"),
        ('age = { role = "quasi_identifier", kind = "numeric" }\n', "", "no quasi-identifier"),
        ("TOP", 'by = "nowhere"', "does not have the column 'nowhere'"),
        ("TOP", FOLLOWED, "does not have the column 'who'"),
    ],
)
def test_a_plan_that_asks_for_less_than_it_seems_is_none(tmp_path, before, after, why):
    with pytest.raises(auditor.Unreadable, match=why):
        judged(tmp_path, "age,ill,ward\n1,x,1\n1,y,1\n", plan=PLAIN.replace(before, after).replace("TOP", ""))


def test_what_the_plan_protects_must_be_there(tmp_path):
    with pytest.raises(auditor.Unreadable, match="the column 'ill' of the plan is not there"):
        judged(tmp_path, "age,ward\n1,1\n1,1\n", plan=PLAIN.replace("TOP", "[diversity]\ndistinct = 2"))


@pytest.mark.parametrize(
    ("text", "encoding", "extra"),
    [
        ("age^ill^ward", "utf-8", ("--delimiter", "^")),
        ("age,ill,ward", "utf-16-le", ()),
        ("age,ill; a; b; c; d,ward", "utf-8", ()),
        ('age,"ill; a\nb;;;c",ward', "utf-8", ()),
        ("age,=ill,ward", "utf-8", ("--escape-formulas",)),
        ("age,ill,ward\n1,LONG,1\n1,x,2", "utf-8", ()),
    ],
)
def test_files_that_are_written_in_a_strange_way_are_read(tmp_path, text, encoding, extra):
    """Honest releases: the file alone finds out what is parted by what."""
    mark = "^" if "^" in text else ","
    cells = "".join(f"\n{i * 7 % 31}{mark}{'xyz'[i % 3]}{mark}{i % 2}" for i in range(40))
    name = text.removeprefix("age" + mark).partition(mark + "ward")[0].strip('"')
    (tmp_path / "data.csv").write_bytes((text.replace("LONG", "x" * 200_000) + cells + "\n").encode(encoding))
    key = '"' + name.replace("\n", "\\n") + '"'
    plan = "\n".join(
        line for line in PLAIN.replace("TOP", "").replace("ill =", f"{key} =").splitlines() if "who" not in line
    )
    (tmp_path / "plan.toml").write_text(plan)
    words = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv", "--verify")
    done = run(*words, *extra, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    files = [str(tmp_path / name) for name in ("out.csv", "plan.toml", "data.csv", "rows.csv")]
    limit = csv.field_size_limit()
    assert {finding.name: finding.holds for finding in auditor.audit(*files)} == {"columns": True, "k_anonymity": True}
    assert csv.field_size_limit() == limit  # which is that of all other readers in the process


def test_a_run_that_found_the_format_of_dates_says_it_to_the_auditor(tmp_path):
    lines = "".join(f"{i * 7 % 31},{i % 28 + 1:02}/03/2020\n" for i in range(40))
    (tmp_path / "data.csv").write_text("age,day\n" + lines)
    (tmp_path / "plan.toml").write_text(
        "k = 2\n[closeness]\nt = 0.4\n[attributes]\nage = { role = 'quasi_identifier', kind = 'numeric' }\n"
        "day = { role = 'confidential', kind = 'date' }\n"
    )
    done = run("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "✓ t_closeness: day is within" in done.stderr.decode()
    done = run("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "no date (the plan can say its format)" in done.stderr.decode()


@pytest.mark.parametrize("original", ["05/01/2020", "2020-01-05"])
def test_a_distance_whose_dates_cannot_be_read_is_not_taken_for_a_changed_one(tmp_path, original):
    plan = PLAN.replace("TOP", "").replace("distinct = 2", "distinct = 1").replace("NAME", "it")
    plan = plan.replace("KIND", 'kind = "date", relative_to = "born"')
    rows = "".join(f"{who},01/01/2020,{age},{original}\n" for who, age in zip("abcd", "1199", strict=True))
    assert judged(tmp_path, "age,it\n1,4\n1,4\n9,4\n9,4\n", "who,born,age,it\n" + rows, plan) == set()
    files = [str(tmp_path / name) for name in ("out.csv", "plan.toml", "data.csv")]
    assert [finding.holds for finding in auditor.audit(*files) if finding.name == "kept"] == [None]
    assert judged(tmp_path, "age,it\n1,4\n1,7\n9,4\n9,4\n", "who,born,age,it\n" + rows, plan) == {"kept"}


@pytest.mark.parametrize(
    ("kind", "cell"), [('"date", clip = { high = 2020-01-01 }', "0001-01-01T00:00:00+14:00"), ('"numeric"', "x")]
)
def test_what_no_calendar_has_is_refused_in_a_sentence(tmp_path, kind, cell):
    (tmp_path / "out.csv").write_text(f"age,ill,ward\n1,{cell},1\n1,{cell},1\n")
    plan = PLAIN.replace("TOP", "[diversity]\ndistinct = 1").replace('"nominal"', kind)
    (tmp_path / "plan.toml").write_text(plan)
    done = run("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "record 1 has a cell in column 'ill' that is no" in done.stderr.decode()


def test_numbers_without_a_multiple_beside_them_are_left_alone(tmp_path):
    plan = PLAIN.replace("TOP", "").replace('"nominal"', '"numeric", round_to = 0.1')
    assert judged(tmp_path, "age,ill,ward\n1,1e308,1\n1,inf,1\n", plan=plan) == set()
    assert judged(tmp_path, "age,ill,ward\n1,1e308,1\n1,0.15,1\n", plan=plan) == {"round_to"}


def test_packed_bytes_that_are_damaged_are_refused_by_the_file_alone(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAIN.replace("TOP", ""))
    packed = bytearray(gzip.compress(b"age,ill,ward\n" + b"1,x,1\n" * 400))
    packed[10] = 0xFF
    (tmp_path / "out.csv").write_bytes(packed)
    assert auditor.main([str(tmp_path / "out.csv"), "--plan", str(tmp_path / "plan.toml")]) == 2
    assert "the audit cannot read this" in capsys.readouterr().err


def column(options, top=""):
    """Return a plan with one more column, `it`."""
    return PLAIN.replace("TOP", top).replace(
        'ill = { role = "confidential", kind = "nominal" }', f"it = {{ {options} }}"
    )


def table(cells, head="age,it,ward", ages="1199"):
    """Return a file of four or more records, whose cells of `it` are these."""
    ages = ages * (len(cells) // 4)
    who = head.startswith("who")
    lines = (
        f"{f'p{i},' if who else ''}{age},{cell},n\n" for i, (age, cell) in enumerate(zip(ages, cells, strict=True))
    )
    return f"{head}\n" + "".join(lines)


def changed(folder, options, was, now, top="", **given):
    """Return what does not hold of a column that was so and is released so."""
    original = table(was, head="who,age,it,ward")
    return judged(folder, table(now), original, column(options, top), **given)


@pytest.mark.parametrize("role", ["confidential", "other"])
def test_dates_that_the_plan_makes_distances_of_are_not_left_as_dates(tmp_path, role):
    plan = column(f'role = "{role}", kind = "date", relative_to = "born"') + 'born = { role = "identifier" }\n'
    days = ["2020-03-01", "2020-03-04", "2020-03-07", "2020-03-10"]
    rows = zip("abcd", "1199", days, strict=True)
    original = "who,age,it,ward,born\n" + "".join(f"{who},{age},{day},n,2020-01-01\n" for who, age, day in rows)
    assert judged(tmp_path, table(["60", "63", "66", "69"]), original, plan) == set()
    assert judged(tmp_path, table(days), original, plan) == {"kept"}
    masked = plan.replace(role, "quasi_identifier").replace(
        'age = { role = "quasi_identifier"', 'age = { role = "other"'
    )
    assert judged(tmp_path, table([days[0]] * 4), original, masked) == {"kind"}
    assert judged(tmp_path, table(["64.5"] * 4), original, masked) == set()


@pytest.mark.parametrize(
    ("was", "rare", "broken"),
    [
        ("Xanthoma", "xanthoma", {"kept"}),
        ("Xanthoma", "Xanthoma ", {"kept"}),
        ("1", "01", {"kept"}),
        ("1", "1", {"kept", "rare"}),
        ("Xanthoma", "other", set()),
    ],
)
def test_a_rare_category_does_not_leave_in_another_spelling(tmp_path, was, rare, broken):
    options = 'role = "confidential", kind = "nominal", rare = { below = 2 }'
    assert changed(tmp_path, options, ["flu", was, "flu", "flu"], ["flu", rare, "flu", "flu"]) == broken


@pytest.mark.parametrize(
    ("options", "was", "honest", "told"),
    [
        ('"numeric", round_to = 5, clip = { high = 7 }', "20 21 22 1", "7 7 7 0", "7 5 7 0"),
        ('"numeric", clip = { high = 0.3 }', "0.1 0.5 0.6 0.7", "0.1 0.3 0.3 0.3", "0.1 0.3 0.30000000000000004 0.3"),
        (
            '"date", clip = { high = 2020-01-01 }',
            "2021-01-01T10:00:00 2022-01-01T11:00:00 2023-01-01T12:00:00 2001-01-01T10:00:00",
            "2020-01-01T00:00:00 2020-01-01T00:00:00 2020-01-01T00:00:00 2001-01-01T10:00:00",
            "2020-01-01T00:00:00 2019-12-31T22:00:00 2019-12-31T23:00:00 2001-01-01T10:00:00",
        ),
        (
            '"date", clip = { low = 2020-01-01T12:00:30 }',
            "2019-01-01T10:00:00 2020-01-01T08:00:00 2019-05-05T12:00:00 2021-01-01T10:00:00",
            "2020-01-01T12:01:00 2020-01-01T12:01:00 2020-01-01T12:01:00 2021-01-01T10:00:00",
            "2020-01-01T12:01:00 2020-01-01T12:01:01 2020-01-01T12:01:00 2021-01-01T10:00:00",
        ),
        (
            '"date", clip = { low = 2020-01-01T12:00:30 }',
            "2019-01-01 2020-01-01 2019-05-05 2021-01-01",
            "2020-01-02 2020-01-02 2020-01-02 2021-01-01",
            "2020-01-02 2020-01-01 2020-01-02 2021-01-01",
        ),
    ],
)
def test_what_is_cut_off_is_the_bound_and_nothing_beside_it(tmp_path, options, was, honest, told):
    options = f'role = "confidential", kind = {options}'
    assert changed(tmp_path, options, was.split(), honest.split()) == set()
    assert "kept" in changed(tmp_path, options, was.split(), told.split())


def test_large_numbers_that_changed_places_or_were_not_rounded_are_seen(tmp_path):
    numbers = [str(10**10 + i) for i in range(1, 5)]
    options = 'role = "confidential", kind = "numeric"'
    assert changed(tmp_path, options, numbers, numbers) == set()
    assert changed(tmp_path, options, numbers, [numbers[i] for i in (0, 3, 1, 2)]) == {"kept"}
    assert changed(tmp_path, f"{options}, round_to = 10", numbers, numbers) == {"kept", "round_to"}
    masked = '"quasi_identifier", kind = "numeric", clip = { high = 90 }'
    assert judged(tmp_path, table(["-1e13"] * 2 + ["104"] * 2), plan=column(f"role = {masked}")) == {"clip"}


@pytest.mark.parametrize(
    ("kind", "was", "honest", "respelt"),
    [
        ("numeric", "100 200 300 400", "100.0 200.0 300.0 400.0", "100.0 200 300 400"),
        ("numeric", "100 200 300 400", "100 200 300 400", "100 200 3_0_0 400"),
        ("numeric", "1.5 2.5 3.5 4.5", "1.5 2.5 3.5 4.5", "1.5 2.50 3.5 4.5"),
        ("numeric", "1.5 2.5 3.5 4.5", "1.5 2.5 3.5 4.5", "1.5 +2.5 3.5 4.5"),
        ("nominal", "08001 8001 08001 8001", "08001 8001 08001 8001", "8001 08001 8001 08001"),
        ("nominal", "08001 8001 08001 8001", "08001 8001 08001 8001", "8001 8001 8001 8001"),
        ("nominal", "flu gout flu gout", "flu gout flu gout", "flu Gout flu Gout"),
        ("nominal", "flu  flu ", "flu  flu ", "flu nan flu nan"),
        ("date", "2020-01-05  2020-01-07 ", "2020-01-05  2020-01-07 ", "2020-01-05T00:00:00  2020-01-07 "),
    ],
)
def test_a_kept_cell_has_one_spelling(tmp_path, kind, was, honest, respelt):
    """The attack: a second way to write a value marks the records that have it."""
    options = f'role = "confidential", kind = "{kind}"'
    assert changed(tmp_path, options, was.split(" "), honest.split(" ")) == set()
    assert changed(tmp_path, options, was.split(" "), respelt.split(" ")) == {"kept"}


@pytest.mark.parametrize("mail", ["annaatexample", "ANNAATEXAMPLE"])
def test_a_pseudonym_is_no_other_identifier(tmp_path, mail):
    plan = PLAIN.replace("TOP", FOLLOWED) + 'mail = { role = "identifier" }\n'
    original = f"who,age,ill,ward,mail\nann,1,x,n,{mail}\nbob,1,y,n,bobatexamples\n"
    release = "who,age,ill,ward\nannaatexample,1,x,n\nbobatexamples,1,y,n\n"
    assert judged(tmp_path, release, original, plan) == {"identifiers"}
    assert judged(tmp_path, release.replace("anna", "qnna").replace("bob", "qob"), original, plan) == set()


def test_confidential_records_change_places_and_nothing_else(tmp_path):
    plan = PLAIN.replace("TOP", 'release = "permute"\nby = "ward"')
    original = "who,age,ill,ward\na,1,x,n\nb,2,y,n\nc,8,x,s\nd,9,z,s\n"
    assert judged(tmp_path, "age,ill,ward\n1,y,n\n2,x,n\n8,z,s\n9,x,s\n", original, plan) == set()
    assert judged(tmp_path, "age,ill,ward\n1,a,n\n2,b,n\n8,c,s\n9,d,s\n", original, plan) == {"permuted"}
    assert judged(tmp_path, "age,ill,ward\n1,z,n\n2,x,n\n8,y,s\n9,x,s\n", original, plan) == {"permuted"}


def test_a_mark_against_formulas_is_one_only_where_all_formulas_have_it(tmp_path):
    plan = column('role = "confidential", kind = "nominal"', "closeness = { t = 0.1 }")
    told = ["-", "-", "'-", "'-"]
    assert judged(tmp_path, table(told), plan=plan) == {"t_closeness"}
    assert judged(tmp_path, table(told), table(told, head="who,age,it,ward"), plan) == {"t_closeness"}
    assert judged(tmp_path, table(["'-5", "'-5", "-5", "-5"]), plan=plan) == {"t_closeness"}
    marked, original = table(["'=a", "'-b"] * 2), table(["=a", "-b"] * 2, head="who,age,it,ward")
    assert judged(tmp_path, marked, original, plan) == set()
    diverse = plan.replace("closeness = { t = 0.1 }", "diversity = { distinct = 2 }")
    assert judged(tmp_path, table(["-", "'-"] * 2), plan=diverse) == set()


def test_what_stands_for_a_class_carries_no_names(tmp_path):
    plan, original = PLAIN.replace("TOP", ""), "who,age,ill,ward\np0,0,x,n\np1,1,y,n\np2,8,x,n\np3,9,y,n\n"
    release = "age,ill,ward\n{0},x,n\n{0},y,n\n{1},x,n\n{1},y,n\n"
    assert judged(tmp_path, release.format("0.5", "8.5"), original, plan) == set()
    assert judged(tmp_path, release.format("p0 0 p1 1", "p2 8 p3 9"), plan=plan) == {"kind"}
    towns = plan.replace(
        'age = { role = "quasi_identifier", kind = "numeric" }', 'age = { role = "quasi_identifier", kind = "nominal" }'
    )
    assert judged(tmp_path, release.format("0", "9"), original, towns) == set()
    assert judged(tmp_path, release.format("p0", "p3"), original, towns) == {"kind"}


def test_a_column_that_the_original_does_not_have_is_refused(tmp_path):
    with pytest.raises(auditor.Unreadable, match="the original does not have the column 'ward'"):
        judged(tmp_path, "age,ill,ward\n1,x,p0\n1,y,p1\n", "who,age,ill\np0,1,x\np1,1,y\n", PLAIN.replace("TOP", ""))


def test_rows_that_a_coarse_column_does_not_tell_apart_are_of_nobody_for_certain(tmp_path):
    """The attack: every class is of one person, whose rows stand beside those of another one of the same ward."""
    plan = PLAIN.replace("TOP", 'subject = "who"')
    rows = [("p1", 10, "n"), ("p2", 20, "n"), ("p1", 11, "n"), ("p2", 21, "n"), ("p3", 30, "s"), ("p4", 31, "s")]
    original = "who,age,ill,ward\n" + "".join(f"{who},{age},x,{ward}\n" for who, age, ward in rows)
    release = "age,ill,ward\n10.5,x,n\n10.5,x,n\n20.5,x,n\n20.5,x,n\n30.5,x,s\n30.5,x,s\n"
    assert judged(tmp_path, release, original, plan) == set()
    files = [str(tmp_path / name) for name in ("out.csv", "plan.toml", "data.csv")]
    assert [finding.holds for finding in auditor.audit(*files) if finding.name == "k_anonymity"] == [None]


def test_pseudonyms_do_not_tell_whose_row_is_whose(tmp_path):
    """The attack: every class is of one person, and each pseudonym has rows of two."""
    plan = PLAIN.replace("TOP", FOLLOWED)
    original = "who,age,ill,ward\np1,10,x,n\np2,20,x,n\np1,11,x,s\np2,21,x,s\n"
    rows = [("A", "10.5", "n"), ("B", "20.5", "n"), ("A", "20.5", "s"), ("B", "10.5", "s")]
    release = "who,age,ill,ward\n" + "".join(f"{PSEUDONYM[who]},{age},x,{ward}\n" for who, age, ward in rows)
    judged(tmp_path, release, original, plan)
    files = [str(tmp_path / name) for name in ("out.csv", "plan.toml", "data.csv")]
    assert [finding.holds for finding in auditor.audit(*files) if finding.name == "k_anonymity"] == [None]


def test_a_bound_beyond_the_calendar_cuts_nothing(tmp_path):
    options = 'role = "confidential", kind = "date", clip = { low = 0001-01-01T00:00:00+14:00 }'
    days = ["2001-01-01", "2002-01-01", "2003-01-01", "2004-01-01"]
    assert changed(tmp_path, options, days, days) == set()
    numbers = 'role = "confidential", kind = "numeric", round_to = 0.1, clip = { high_quantile = 0.9 }'
    assert changed(tmp_path, numbers, ["1", "2", "3", "1e308"], ["1.0", "2.0", "3.0", "1e308"]) == set()


def test_an_unnamed_column_names_nobody(tmp_path):
    options = 'role = "confidential", kind = "nominal", rare = { below = 3 }'
    plan = column(options, 'subject = "record"').replace("who =", '"" =')
    lines = "".join(f"h,{age},{it},n\n" for age, it in zip("11991199", "aaabbbaa", strict=True))
    assert judged(tmp_path, table(list("aaabbbaa")), f",age,it,ward\n{lines}", plan) == set()


def test_a_word_for_missing_cells_is_that_word_and_no_other(tmp_path):
    plan = column('role = "confidential", kind = "nominal"', "diversity = { distinct = 2 }")
    assert judged(tmp_path, table(["a", " NA"] * 2), plan=plan, missing=["NA"]) == set()
    with pytest.raises(auditor.Unreadable, match="has no value"):
        judged(tmp_path, table(["a", "NA"] * 2), plan=plan, missing=["NA"])
