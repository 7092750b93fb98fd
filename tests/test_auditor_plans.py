"""Every key of a plan that promises something: a release that breaks it is seen, an honest one is not accused."""

import json
import os
from importlib.resources import files
from itertools import product

import numpy as np
import polars as pl
import pytest

from command import shoal as run
from shoal import auditor

AGE = '[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'


def verdicts(folder, plan, release, original=None, row_map=None):
    """Return + or - or ? before the name of each finding, for texts as the files would have them."""
    given = []
    for name, text in (("out.csv", release), ("plan.toml", plan), ("data.csv", original), ("rows.csv", row_map)):
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
        given.append(None if text is None else str(folder / name))
    found = auditor.audit(*given)
    marks = {None: "?", True: "+", False: "-"}
    return {marks[finding.holds] + finding.name for finding in found} - {"+columns", "+k_anonymity"}


def confidential(options):
    return f'{AGE}it = {{ role = "confidential", {options} }}\n'


def lines(*cells):
    return "age,it\n" + "".join(f"1,{cell}\n" for cell in cells)


def test_giving_up_t_does_not_give_up_k(tmp_path):
    plan = "k = 2\nguarantee = false\n[closeness]\nt = 0.1\nmethod = 'steered'\n" + confidential('kind = "numeric"')
    assert verdicts(tmp_path, plan, "age,it\n1,1\n2,2\n") == {"-k_anonymity", "?t_closeness"}
    plan = f"k = 2\nguarantee = false\nmethod = 'mic1d'\n{AGE}"
    assert verdicts(tmp_path, plan, "age\n1\n2\n") == {"?k_anonymity"}


def test_what_is_promised_of_the_groups_of_a_permutation_is_said_and_what_stays_is_compared(tmp_path):
    plan = "k = 2\nrelease = 'permute'\n[closeness]\nt = 0.1\n[diversity]\nentropy = 2\n"
    plan += confidential('kind = "nominal"') + 'ward = { role = "other" }\n'
    unseen = {"?probabilistic_k_anonymity", "?t_closeness", "?entropy_l_diversity"}
    original = "age,ward,it\n1,n,x\n2,s,y\n"
    assert verdicts(tmp_path, plan, "age,ward,it\n1,n,y\n2,s,x\n", original) == unseen
    assert verdicts(tmp_path, plan, "age,ward,it\n9,n,y\n2,s,x\n", original) == unseen | {"-kept"}
    assert verdicts(tmp_path, plan, "age,ward,it\n1,n,y\n2,n,x\n", original) == unseen | {"-kept"}


@pytest.mark.parametrize(
    ("options", "original", "honest", "wrong", "broken"),
    [
        ("clip = { high_quantile = 0.5 }", "1 2 3 4", "1 2 2 2", "1 2 3 4", {"-clip"}),
        ("clip = { high_quantile = 0.5 }", "1 2 3 4", "1 2 2 2", "1 1 1 1", {"+clip", "-kept"}),
        (
            "clip = { low_quantile = 0.6 }, round_to = 2",
            "1 4 5 7",
            "4 4 4 8",
            "2 4 4 8",
            {"-clip", "-kept", "+round_to"},
        ),
        ("clip = { high = 7 }", "1 2 3 9", "1 2 3 7", "2 2 3 7", {"+clip", "-kept"}),
        ("clip = { high = 7 }, round_to = 5", "1 2 6 9", "0 0 5 7", "1 1 5 7", {"+clip", "-round_to"}),
    ],
)
def test_columns_are_cut_off_and_rounded_as_the_plan_says_and_no_further(
    tmp_path, options, original, honest, wrong, broken
):
    plan = "k = 2\n" + confidential(f'kind = "numeric", {options}')
    before = lines(*original.split())
    assert not {name for name in verdicts(tmp_path, plan, lines(*honest.split()), before) if name[0] != "+"}
    assert verdicts(tmp_path, plan, lines(*wrong.split()), before) >= broken
    blind = verdicts(tmp_path, plan, lines(*honest.split()))
    assert ("?clip" in blind) == ("quantile" in options)


def test_a_category_that_is_not_rare_is_not_merged(tmp_path):
    plan = "k = 2\n" + confidential('kind = "nominal", rare = { below = 2 }')
    assert verdicts(tmp_path, plan, lines("a", "a", "other", "b", "b"), lines(*"aacbb")) == {"+rare"}
    assert verdicts(tmp_path, plan, lines("a", "a", "other", "other", "other"), lines(*"aacbb")) == {"+rare", "-kept"}


@pytest.mark.parametrize("total", ["inf", "-inf", "1e999"])
def test_a_total_without_bounds_is_no_sum(tmp_path, total):
    columns = "".join(f'{name} = {{ role = "other", kind = "numeric" }}\n' for name in ("sum", "a", "b"))
    plan = f"k = 2\ntotals = [{{ total = 'sum', parts = ['a', 'b'] }}]\n{AGE}{columns}"
    assert verdicts(tmp_path, plan, "age,sum,a,b\n1,3,1,2\n1,3,1,2\n") == {"+totals"}
    assert verdicts(tmp_path, plan, f"age,sum,a,b\n1,{total},1,2\n1,3,1,2\n") == {"-totals"}


def sums(part="", tolerance=0):
    """Return a plan with a total of two parts, of which the first is recoded so."""
    names = {"sum": "", "a": part, "b": ""}
    columns = "".join(f'{name} = {{ role = "other", kind = "numeric"{more} }}\n' for name, more in names.items())
    return f"k = 2\ntotals = [{{ total = 'sum', parts = ['a', 'b'], tolerance = {tolerance} }}]\n{AGE}{columns}"


@pytest.mark.parametrize(
    ("plan", "was", "now"),
    [
        (sums(), "100,,5", "10{},,5"),
        (sums(tolerance=5), "100,95,5", "10{},95,5"),
        (sums(), "3,1,2", "nan,1,2"),
        (sums(), "3,1,2", ",1,2"),
    ],
)
def test_a_total_whose_parts_are_as_they_were_is_as_it_was(tmp_path, plan, was, now):
    head, places = "age,sum,a,b\n", range(2)
    original = head + "".join(f"1,{was}\n" for _ in places)
    assert verdicts(tmp_path, plan, original, original) == {"+totals"}
    assert verdicts(tmp_path, plan, head + "".join(f"1,{now.format(i)}\n" for i in places), original) >= {"-kept"}


def test_a_total_of_recoded_parts_is_their_sum_and_not_the_old_one(tmp_path):
    plan, original = sums(", clip = { high = 10 }"), "age,sum,a,b\n1,55,50,5\n1,7.3,0.1,7.2\n1,,,4\n"
    honest = "age,sum,a,b\n1,15.0,10.0,5\n1,7.3,0.1,7.2\n1,,,4\n"
    assert verdicts(tmp_path, plan, honest, original) == {"+clip", "+totals"}
    assert verdicts(tmp_path, plan, honest.replace("15.0", "55.0"), original) == {"+clip", "-kept", "-totals"}
    assert verdicts(tmp_path, plan, honest.replace("1,,,4", "1,4,,4"), original) == {"+clip", "-kept", "-totals"}
    assert verdicts(tmp_path, plan, honest.replace("1,,,4", "1,4,,4")) == {"+clip", "-totals"}


def test_a_total_that_holds_is_said_to(tmp_path):
    for total, words in (("3", "sum is the sum of its parts"), ("4", "sum is not the sum of its parts in 2 records")):
        verdicts(tmp_path, sums(), f"age,sum,a,b\n1,{total},1,2\n1,{total},1,2\n")
        found = auditor.audit(str(tmp_path / "out.csv"), str(tmp_path / "plan.toml"))
        assert [finding.words for finding in found if finding.name == "totals"] == [words]


@pytest.mark.parametrize("section", ["[diversity]\ndistinct = 2\n", "[closeness]\nt = 1\n"])
def test_a_cell_without_a_value_is_a_second_value_only_where_the_plan_says_so(tmp_path, section):
    plan = f"k = 2\n{section}" + confidential('kind = "nominal"')
    with pytest.raises(auditor.Unreadable, match="record 2 has no value in column 'it'"):
        verdicts(tmp_path, plan, lines("x", ""))
    said = plan.replace(section, f'{section}missing = "category"\n')
    assert {name[0] for name in verdicts(tmp_path, said, lines("x", ""))} == {"+"}


def test_a_category_outside_the_tree_has_no_distance(tmp_path):
    plan = "k = 2\n[closeness]\nt = 0.5\nhierarchy = { it = { u = ['a', 'b'], v = ['c'] } }\n"
    plan += confidential('kind = "nominal"')
    with pytest.raises(auditor.Unreadable, match="a category that its hierarchy does not name"):
        verdicts(tmp_path, plan, lines("a", "A", "c"))


def test_a_code_as_short_as_a_prefix_hangs_below_it_once(tmp_path):
    """The codes f and flu meet at f: two heights of three."""
    plan = "k = 2\n[closeness]\nt = 0.33\nhierarchy = { it = { prefix = [1, 3] } }\n" + confidential('kind = "nominal"')
    release = "age,it\n1,f\n1,f\n2,flu\n2,flu\n"
    assert verdicts(tmp_path, plan, release) == {"-t_closeness"}
    assert verdicts(tmp_path, plan.replace("0.33", "0.334"), release) == {"+t_closeness"}


def test_one_value_in_two_spellings_is_constant(tmp_path):
    plan = f"k = 2\nsubject = 'who'\n{AGE}who = {{ role = 'identifier' }}\n"
    original = "who,age\nx,5\nx,5.0\ny,5\ny,5\n"
    assert verdicts(tmp_path, plan, "age\n1\n2\n1\n2\n", original) == {"-constant_attributes", "?k_anonymity"}


def test_dropped_records_are_not_counted_without_the_original(tmp_path):
    assert verdicts(tmp_path, f"k = 2\nsuppress = 0.1\n{AGE}", "age\n1\n1\n") == {"?suppress"}


def test_names_in_place_of_pseudonyms_are_not_seen_without_the_original(tmp_path):
    plan = f'k = 2\nsubject = "who"\nkeep_subject = "pseudonym"\n{AGE}who = {{ role = "identifier" }}\n'
    names = "who,age\nannanderssons,1\nbobobobsonbob,1\n"
    alone = verdicts(tmp_path, plan, names)
    assert alone == {"?k_anonymity", "?pseudonyms", "+history_k_anonymity"}
    assert "-identifiers" in verdicts(tmp_path, plan, names, names)
    honest = verdicts(tmp_path, plan, "who,age\nqrr7wgph4lra2,1\nq4sd2boncwbxu,1\n", names)
    assert honest == {"+history_k_anonymity"}
    other_form = verdicts(tmp_path, plan, "who,age\nAnn,1\nBob,1\n")
    assert other_form == {"?k_anonymity", "-pseudonyms", "+history_k_anonymity"}


def test_a_pseudonym_is_not_the_name_of_somebody_who_was_dropped(tmp_path):
    plan = f"k = 2\nsuppress = 0.5\nsubject = 'who'\nkeep_subject = 'pseudonym'\n{AGE}who = {{ role = 'identifier' }}\n"
    texts = ("age,who\n1,ann\n1,bob\n", "age,who\n1,a\n1,b\n1,ann\n1,bob\n", "released,original\n1,1\n2,2\n")
    assert "-identifiers" in verdicts(tmp_path, plan, *texts)


def test_what_lies_beyond_a_tiny_bound_is_seen(tmp_path):
    plan = "k = 2\n" + AGE.replace('"numeric"', '"numeric", clip = { high = 1e-12 }')
    assert verdicts(tmp_path, plan, "age\n1e-10\n1e-10\n") == {"-clip"}
    assert verdicts(tmp_path, plan, "age\n1.0000000000001e-12\n1.0000000000001e-12\n") == {"+clip"}


def test_spellings_of_one_cell_carry_no_mark(tmp_path):
    plan = "k = 2\n" + confidential('kind = "numeric"')
    assert verdicts(tmp_path, plan, lines("5.0", "5.0", "5.0"), lines("5", "5", "5")) == set()
    assert verdicts(tmp_path, plan, lines("5", "5.0", "5.00"), lines("5", "5", "5")) == {"-kept"}


def test_a_quotation_mark_that_is_never_closed_hides_no_records(tmp_path):
    with pytest.raises(auditor.Unreadable, match="is not a CSV file"):
        verdicts(tmp_path, f'k = 2\n{AGE}it = {{ role = "other" }}\n', 'age,it\n1,x\n1,"y\n7,z\n8,z\n')


@pytest.mark.parametrize("text", ["[closenes]\nt = 0.01\n", "[risk]\nprosecuter = 0.1\n", "order = 'shuffle'\n"])
def test_what_is_asked_for_by_a_key_that_is_not_known_is_said(tmp_path, text):
    assert verdicts(tmp_path, f"k = 2\n{text}{AGE}", "age\n1\n1\n") == {"?plan"}


@pytest.mark.parametrize(
    ("top", "options", "unseen"),
    [
        ("", "round_to = 5", "?round_to"),
        ("preserve_variance = true\n", "clip = { high = 2 }", "?clip"),
        ("method = 'mic1d'\nguarantee = false\n", "clip = { high = 2 }", "?clip"),
    ],
)
def test_what_means_need_not_keep_is_said(tmp_path, top, options, unseen):
    plan = f"k = 2\n{top}" + AGE.replace('"numeric"', f'"numeric", {options}')
    assert verdicts(tmp_path, plan, "age\n2.5\n2.5\n") - {"?k_anonymity"} == {unseen}


@pytest.mark.parametrize("t", ["0.3333333333333333", "0.33333333333333"])
def test_t_is_the_fraction_that_a_run_reads(tmp_path, t):
    """Every class lacks one of three values: one third of it would have to change."""
    frame = pl.DataFrame({"age": [10, 11, 90, 91, 200, 201], "it": list("abacbc")})
    plan = f"k = 2\n[closeness]\nt = {t}\nmethod = 'merge'\n" + confidential('kind = "nominal"')
    assert "✓ t_closeness: it is within 0.333333" in released(tmp_path, frame, plan)
    (tmp_path / "plan.toml").write_text(plan.replace(t, "0.333333333"))
    found = auditor.audit(str(tmp_path / "out.csv"), str(tmp_path / "plan.toml"))
    assert [finding.holds for finding in found if finding.name == "t_closeness"] == [False]


def test_the_auditor_knows_every_key_of_a_plan():
    """A new key is judged, or is said to promise nothing."""
    schema = json.loads(files("shoal.plan").joinpath("plan.schema.json").read_text())
    tables = {"": schema, "attributes": schema["$defs"]["Attribute"]}
    tables |= {name: schema["$defs"][name] for name in ("closeness", "diversity", "risk")}
    for name, table in tables.items():
        assert set(auditor.KNOWN[name].split()) == set(table["properties"])


def released(folder, frame, plan, *extra):
    """Anonymize a frame, as CSV or Parquet, with --verify."""
    name = "data.parquet" if extra[:1] == ("parquet",) else "data.csv"
    (frame.write_parquet if name.endswith("parquet") else frame.write_csv)(folder / name)
    (folder / "plan.toml").write_text(plan)
    words = ("--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv", "--verify")
    done = run("anonymize", name, *words, *(word for word in extra if word != "parquet"), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


N = 60
AGES = np.random.default_rng(0).integers(18, 90, N)


@pytest.mark.parametrize(
    ("cells", "order", "extra"),
    [
        ([i % 2 == 0 for i in range(N)], "[false, true]", ("parquet",)),
        ([float(i % 3) for i in range(N)], "[0, 1, 2]", ("parquet",)),
        (["=low", "mid", "high"] * (N // 3), '["=low", "mid", "high"]', ("--escape-formulas",)),
    ],
)
def test_levels_are_found_however_a_file_has_them(tmp_path, cells, order, extra):
    plan = "k = 3\n[closeness]\nt = 0.5\n" + confidential(f'kind = "ordinal", order = {order}')
    said = released(tmp_path, pl.DataFrame({"age": AGES, "it": cells}), plan, *extra)
    assert "✓ t_closeness: it is within" in said


def test_a_bound_is_no_text_of_the_column(tmp_path):
    """Dates that are written year, day, month: the bound of a plan is none of them."""
    days = [f"2020-{i % 28 + 1:02}-{i % 12 + 1:02}" for i in range(N)]
    plan = "k = 3\n" + confidential('kind = "date", format = "%Y-%d-%m", clip = { low = 2020-03-05 }')
    released(tmp_path, pl.DataFrame({"age": AGES, "it": days}), plan)
    done = run("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "✓ clip: it has 0 values beyond the low end of clip" in done.stdout.decode()


def test_words_that_differ_in_a_space_are_two_as_they_are_to_the_run(tmp_path):
    cells = ["flu", "flu ", "gout"] * (N // 3)
    plan = "k = 3\n[diversity]\ndistinct = 2\n" + confidential('kind = "nominal"')
    assert "✓ distinct_l_diversity" in released(tmp_path, pl.DataFrame({"age": AGES, "it": cells}), plan)


@pytest.mark.parametrize(("format_", "clip"), list(product(["csv", "parquet"], ["high_quantile = 0.9", "high = 9.5"])))
def test_quantiles_are_judged_by_originals_of_every_format(tmp_path, format_, clip):
    plan = f"k = 3\nsubject = 'who'\n{AGE}who = {{ role = 'identifier' }}\n"
    plan += f'it = {{ role = "confidential", kind = "numeric", round_to = 3, clip = {{ {clip} }} }}\n'
    frame = pl.DataFrame({"who": [f"p{i}" for i in range(N)], "age": AGES, "it": [i * 7 % 23 for i in range(N)]})
    said = released(tmp_path, frame, plan, *(("parquet",) if format_ == "parquet" else ()))
    assert "✓ clip: it has 0 values beyond the high end of clip" in said
    assert "?" not in said.partition("wrote")[0].replace("?)", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize(
    "words",
    [
        ("pipe", "--plan", "plan.toml"),
        ("out.csv", "--plan", "plan.toml", "--signature", "pipe"),
        ("out.csv", "--plan", "plan.toml", "--original", "pipe"),
    ],
)
def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path, words):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out.csv").write_text("age\n1\n1\n")
    (tmp_path / "plan.toml").write_text(f"k = 2\n{AGE}")
    done = run("verify", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
    assert b"pipe" in done.stderr


DIGITS = "0" * 20 + "123"


@pytest.mark.parametrize(
    ("options", "original", "honest", "wrong"),
    [
        ('kind = "numeric"', "12345678901234560001 2", "12345678901234560001 2", "12345678901234560777 2"),
        ('kind = "numeric"', "0.00001 0.00002", "1e-05 2e-05", "0.0000100000000000000000065 0.00002"),
        ('kind = "numeric"', "20 30", "20 30", f"20.0000{DIGITS} 30"),
        ('kind = "numeric"', "<5 20", "<5 20", "<5\u00a0 20"),
        (
            'kind = "date", format = "%Y-%m-%d"',
            "2020-01-01 2020-01-02",
            "2020-01-01 2020-01-02",
            "2020-01-01 2020-W01-4",
        ),
        ('kind = "numeric", round_to = 10', "21 30", "20 30", f"20.00{DIGITS} 30"),
        ('kind = "numeric", clip = { high = 30 }', "21 37", "21 30", f"21 30.00{DIGITS}"),
    ],
)
def test_digits_that_a_double_drops_and_other_spellings_are_seen(tmp_path, options, original, honest, wrong):
    plan = "k = 2\n" + confidential(options)
    before = lines(*original.split(" "))
    assert not {name for name in verdicts(tmp_path, plan, lines(*honest.split(" ")), before) if name[0] == "-"}
    assert "-kept" in verdicts(tmp_path, plan, lines(*wrong.split(" ")), before)
    if "round_to" in options or "clip" in options:
        assert "-kind" in verdicts(tmp_path, plan, lines(*wrong.split(" ")))


def test_digits_that_a_double_drops_are_no_values_that_changed_places(tmp_path):
    plan = "k = 2\nrelease = 'permute'\n" + confidential('kind = "numeric"')
    for cells, broken in ((("20", "10"), set()), ((f"20.00{DIGITS}", "10"), {"-permuted"})):
        found = verdicts(tmp_path, plan, lines(*cells), lines("10", "20"))
        assert {name for name in found if name[0] == "-"} == broken


@pytest.mark.parametrize(("cell", "said"), [("north", set()), ("*", set()), ("Ann and Bob", {"?kind"})])
def test_nodes_that_the_plan_does_not_name_are_not_judged(tmp_path, cell, said):
    plan = 'k = 2\n[attributes]\ntown = { role = "quasi_identifier", kind = "nominal", aggregate = "ancestor", '
    plan += 'hierarchy = { north = ["a", "b"], south = ["c"] } }\n'
    found = verdicts(tmp_path, plan, f"town\n{cell}\n{cell}\n", "town\na\nb\n")
    assert {name for name in found if name[0] != "+"} == said
