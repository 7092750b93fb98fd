import csv
import os
import tomllib

from shoal.plan import Plan


def test_init_proposes_a_plan_that_a_person_completes(folder):
    done = folder.shoal("init", "data.csv", "-o", "proposed.toml")
    assert done.returncode == 0, done.stderr
    text = (folder.path / "proposed.toml").read_text()
    proposed = tomllib.loads(text)
    assert proposed["attributes"]["name"] == {"role": "identifier"}
    kinds = {name: entry.get("kind") for name, entry in proposed["attributes"].items()}
    assert kinds == {
        "name": None,
        "age": "numeric",
        "grade": "ordinal",
        "county": "nominal",
        "seen": "date",
        "pay": "numeric",
        "ward": "nominal",
    }
    roles = {name: entry["role"] for name, entry in proposed["attributes"].items()}
    assert roles == {
        "name": "identifier",
        "age": "quasi_identifier",
        "grade": "confidential",
        "county": "quasi_identifier",
        "seen": "quasi_identifier",
        "pay": "confidential",
        "ward": "quasi_identifier",
    }
    assert b"others may know it, by its name" in done.stderr
    assert "person-" not in text
    assert "Osona" not in text
    assert Plan.load(folder.path / "proposed.toml").k == 5
    assert folder.shoal("check", "data.csv", "--plan", "proposed.toml").returncode == 0


def test_init_leaves_to_a_person_what_names_and_cells_do_not_tell(folder):
    (folder.path / "odd.csv").write_text("x,y,age\n" + "".join(f"{i / 7:.3f},{i * 3},{i}\n" for i in range(40)))
    done = folder.shoal("init", "odd.csv", "-o", "proposed.toml")
    assert b"decide 2 roles" in done.stderr
    refused = folder.shoal("check", "odd.csv", "--plan", "proposed.toml")
    assert refused.returncode == 2
    assert b"undecided" in refused.stderr


def test_init_writes_to_stdout_and_never_over_a_plan(folder):
    assert folder.shoal("init", "data.csv").stdout.startswith(b"#:schema")
    done = folder.shoal("init", "data.csv", "-o", "plan.toml")
    assert done.returncode == 2
    assert b"--force" in done.stderr
    assert folder.shoal("init", "data.csv", "-o", "plan.toml", "--force").returncode == 0


def test_init_knows_the_types_of_a_parquet_file(folder):
    import polars as pl

    pl.read_csv(folder.path / "data.csv", try_parse_dates=True).write_parquet(folder.path / "data.parquet")
    proposed = tomllib.loads(folder.shoal("init", "data.parquet").stdout.decode())
    assert proposed["attributes"]["seen"]["kind"] == "date"
    assert proposed["attributes"]["pay"]["kind"] == "numeric"


def test_init_decides_no_role_of_a_column_that_cannot_be_masked(folder):
    import polars as pl

    odd = {
        "photos": [[b"x"], [b"y"]],
        "stay": pl.Series([1, 2]).cast(pl.Duration),
        "born": pl.Series([1, 2]).cast(pl.Time),
    }
    pl.DataFrame(odd).write_parquet(folder.path / "odd.parquet")
    text = folder.shoal("init", "odd.parquet").stdout.decode()
    assert tomllib.loads(text)["attributes"] == {name: {"role": "?"} for name in odd}
    assert text.count("only dropped or kept") == 3


def test_init_asks_whether_whole_numbers_that_all_differ_are_identifiers(folder):
    (folder.path / "numbers.csv").write_text("x,pay,age\n7,1.5,30\n8,2.5,31\n9,3.5,30\n")
    lines = folder.shoal("init", "numbers.csv").stdout.decode().splitlines()[-3:]
    assert ["an identifier?" in line for line in lines] == [True, False, False]


def test_check_says_what_would_be_done(folder):
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--k", "5")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "60 records, k = 5, method mdav" in text
    assert "At most 12 groups" in text
    lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
    assert "dropped" in lines["name"]
    assert "mean of the group" in lines["age"]
    assert "median of the group" in lines["grade"]
    assert "mode of the group" in lines["county"]
    assert "kept" in lines["pay"]
    assert folder.names() == ["data.csv", "plan.toml"]


def test_check_says_which_columns_steer(folder):
    plan = (folder.path / "plan.toml").read_text().replace('"other" }', '"other", kind = "nominal" }')
    folder.write_plan(
        plan.replace(
            "[attributes]",
            '[dependence]\nweight = 0.2\n[[steer]]\nkind = "column"\ncolumn = "ward"\nweight = 3\n[attributes]',
        )
    )
    text = folder.shoal("check", "data.csv", "--plan", "plan.toml").stdout.decode()
    lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
    assert "kept, groups are alike in it (dependence 0.2)" in lines["pay"]
    assert "kept, steers the groups (column, weight 3)" in lines["ward"]


def test_check_says_everything_that_is_wrong(folder):
    lines = (folder.path / "data.csv").read_text().splitlines()
    cells = lines[1].split(",")
    cells[1], cells[2] = "", "tiny"
    (folder.path / "data.csv").write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]))
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml")
    assert done.returncode == 2
    assert b"'age' has 1 missing" in done.stderr
    assert b"'grade' has 1 value outside" in done.stderr


def test_a_name_that_the_terminal_cannot_show_stops_nothing(folder):
    (folder.path / "data.csv").write_text("ñ\n1\n2\n", encoding="utf-8")
    folder.write_plan('k = 2\n[attributes]\n"ñ" = { role = "quasi_identifier", kind = "numeric" }\n')
    done = folder.process("check", "data.csv", "--plan", "plan.toml", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert b"\\xf1" in done.stdout


def test_version_and_help(folder):
    assert folder.shoal("--version").stdout.startswith(b"shoal ")
    text = folder.shoal("anonymize", "--help").stdout.decode()
    for option in ("--plan", "--output", "--k", "--missing", "--by", "--set", "--delimiter", "--dry-run", "--json"):
        assert option in text


def test_check_says_how_a_column_is_masked(folder):
    options = ("--round", "--preserve-variance", "--weights", "pay")
    text = folder.shoal("check", "data.csv", "--plan", "plan.toml", *options).stdout.decode()
    lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
    assert "weighted mean of the group, stretched to its variance, rounded" in lines["age"]
    assert "weighted mean of the group, stretched to its variance, compared" in lines["seen"]
    assert "mode of the group, missing" in lines["county"]


def test_check_says_that_a_value_of_by_has_too_few_records(folder):
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--by", "ward", "--k", "9")
    assert done.returncode == 3
    assert done.stdout == b""
    assert b"fewer than k = 9" in done.stderr


ODD_NAMES = ["pay [EUR]", "[/red]", ":key:", "a.b", 'q"u', "naïve", "--k", "", "x=y"]


def test_names_of_columns_are_shown_as_they_are(folder):
    with (folder.path / "odd.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([ODD_NAMES, *([i] * len(ODD_NAMES) for i in range(6))])
    proposed = folder.shoal("init", "odd.csv").stdout.decode()
    assert list(tomllib.loads(proposed)["attributes"]) == ODD_NAMES
    masked = proposed.replace('role = "?"', 'role = "quasi_identifier"').replace('"confidential"', '"quasi_identifier"')
    folder.write_plan(masked)
    done = folder.shoal("check", "odd.csv", "--plan", "plan.toml")
    assert done.returncode == 0, done.stderr
    shown = [line.partition("quasi_identifier")[0].strip() for line in done.stdout.decode().splitlines()]
    assert shown[1 : len(ODD_NAMES) + 1] == ODD_NAMES
    released = folder.shoal("anonymize", "odd.csv", "--plan", "plan.toml", "--quiet").stdout.decode()
    assert next(csv.reader(released.splitlines())) == ODD_NAMES
    weights = [f"--set=attributes.{name}.weight=7" for name in ("a.b", '"x=y"', '"q\\"u"', "pay [EUR]", "'--k'", '""')]
    weighed = folder.shoal("check", "odd.csv", "--plan", "plan.toml", *weights)
    assert weighed.stdout.count(b"weight 7") == len(weights), weighed.stderr
    refused = folder.shoal("check", "odd.csv", "--plan", "plan.toml", "--by", ":key:")
    assert b"by = ':key:'" in refused.stderr


def test_check_cautions_of_codes_that_are_averaged(folder):
    rows = "".join(f"{20 + i % 50},{i % 2 + 1},{i % 4}\n" for i in range(100))
    (folder.path / "codes.csv").write_text("age,sex,children\n" + rows)
    masked = '{ role = "quasi_identifier", kind = "numeric" }'
    folder.write_plan(f"k = 4\n[attributes]\nage = {masked}\nsex = {masked}\nchildren = {masked}\n")
    done = folder.shoal("check", "codes.csv", "--plan", "plan.toml")
    assert done.returncode == 0, done.stderr
    text = done.stderr.decode()
    assert "caution: column 'sex' has 2 different whole numbers" in text
    assert text.count("caution") == 1
    nominal = folder.shoal("check", "codes.csv", "--plan", "plan.toml", "--set", "attributes.sex.kind=nominal")
    assert b"caution" not in nominal.stderr


def test_init_says_where_day_and_month_cannot_be_told_apart(folder):
    rows = "".join(f"0{1 + i % 9}/0{1 + i % 8}/20{10 + i % 12},2020-03-{10 + i % 15}\n" for i in range(30))
    (folder.path / "dates.csv").write_text("born,seen\n" + rows)
    lines = folder.shoal("init", "dates.csv").stdout.decode().splitlines()[-2:]
    assert ["add format" in line for line in lines] == [True, False]
