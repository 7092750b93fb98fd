"""Every field of a plan as an option; every way to say how the data are written."""

import functools

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.overrides import plan_options
from shoal.plan import Plan
from shoal.plan.overrides import option_name, scalar_fields

PLAN = """
k = 5
[attributes]
age = { role = "quasi_identifier", kind = "numeric" }
pay = { role = "confidential", kind = "numeric" }
id  = { role = "other" }
"""

# By path: the value on the command line, the same in the plan, and what the option needs beside it.
OPTIONS = {
    "k": ("7", 7, []),
    "method": ("vmdav", "vmdav", []),
    "seed": ("3", 3, []),
    "scale": ("minmax", "minmax", []),
    "missing": ("impute", "impute", []),
    "release": ("permute", "permute", []),
    "order": ("shuffle", "shuffle", []),
    "preserve_variance": (None, True, []),
    "round": (None, True, []),
    "subject": ("record", "record", []),
    "keep_subject": ("pseudonym", "pseudonym", ['--set=attributes.who={ role = "identifier" }', "--set=subject=who"]),
    "by": ("id", "id", []),
    "weights": ("pay", "pay", []),
    "dominance": ("0.25", 0.25, []),
    "suppress": ("0.05", 0.05, []),
    "refine": ("quick", "quick", []),
    "refine_seconds": ("2.5", 2.5, ["--refine=good"]),
    "gain": ("0.5", 0.5, ["--method=vmdav"]),
    "cell": ("500", 500, ["--method=cells"]),
    "axis": ("zscores", "zscores", ["--method=projected"]),
    "cut": ("optimal", "optimal", ["--method=mic1d", "--no-guarantee"]),
    "blocks.make": ("spread", "spread", ["--blocks-size=1"]),
    "blocks.size": ("1", 1, ["--blocks-make=spread"]),
    "blocks.count": ("1", 1, ["--blocks-make=spread"]),
    "guarantee": (False, False, ["--method=mic1d"]),
    "closeness.t": ("0.2", 0.2, []),
    "closeness.method": ("merge", "merge", ["--t=0.2"]),
    "closeness.strata": ("all", "all", ["--t=0.2"]),
    "closeness.n": ("30", 30, ["--t=0.2", "--closeness-method=merge"]),
    "closeness.weight": ("9", 9.0, ["--t=0.2", "--closeness-method=steered"]),
    "closeness.missing": ("category", "category", ["--t=0.2"]),
    "diversity.distinct": ("3", 3, []),
    "diversity.entropy": ("1.5", 1.5, []),
    "diversity.recursive.c": ("2.5", 2.5, ["--diversity-recursive-l=2"]),
    "diversity.recursive.l": ("2", 2, ["--diversity-recursive-c=2.5"]),
    "diversity.p_sensitive": ("2", 2, []),
    "diversity.missing": ("category", "category", ["--diversity-distinct=2"]),
    "dependence.weight": ("0.25", 0.25, []),
    "stream.max_delay": ("50", 50, []),
    "stream.position_weight": ("0.5", 0.5, ["--max-delay=50"]),
    "stream.sweeps": ("2", 2, ["--max-delay=50"]),
    "risk.prosecutor": ("restricted", "restricted", []),
    "risk.journalist": ("0.09", 0.09, ["--risk-fraction=0.1"]),
    "risk.marketer": ("0.2", 0.2, ["--risk-fraction=0.1"]),
    "risk.fraction": ("0.1", 0.1, ["--risk-journalist=0.2"]),
    "about.title": ("Discharges", "Discharges", []),
    "about.purpose": ("a study", "a study", []),
    "about.recipient": ("a university", "a university", []),
    "about.contact": ("the office", "the office", []),
    "about.date": ("2026-03-31", "2026-03-31", []),
    "stream.on_unclose": ("drop", "drop", ["--max-delay=50", "--t=0.2"]),
}


def received(tmp_path, *arguments):
    """Return the plan that a command with all options receives."""
    (tmp_path / "plan.toml").write_text(PLAN)
    plans = []

    def command(plan: Plan) -> None:
        plans.append(plan)

    app = typer.Typer()
    app.command()(plan_options(command, without=()))
    result = CliRunner().invoke(app, ["--plan", str(tmp_path / "plan.toml"), *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return plans[0]


def field(plan, path):
    return functools.reduce(lambda value, name: getattr(value, name, None), path.split("."), plan)


def test_every_field_is_here():
    assert set(OPTIONS) == {path for path, _ in scalar_fields(Plan.known_keys())}


@pytest.mark.parametrize("path", OPTIONS)
def test_an_option_sets_its_field(tmp_path, path):
    text, value, beside = OPTIONS[path]
    flag = option_name(path).replace("_", "-")
    switch = {None: f"--{flag}", False: f"--no-{flag}"}.get(text, f"--{flag}={text}")
    assert field(Plan.parse(PLAN), path) != value
    assert field(received(tmp_path, *beside, switch), path) == value


def test_set_reaches_every_depth_and_reads_values_as_toml(tmp_path):
    assignments = {
        "attributes.age.weight=2.5": lambda plan: plan.attributes["age"].weight == 2.5,
        "attributes.id.role=identifier": lambda plan: plan.attributes["id"].role == "identifier",
        'attributes.new={ role = "other" }': lambda plan: plan.attributes["new"].role == "other",
        "closeness.t=0.3": lambda plan: plan.closeness.t == 0.3,
        'steer=[{ kind = "position", weight = 0.1 }]': lambda plan: plan.steer[0].weight == 0.1,
    }
    for assignment, holds in assignments.items():
        assert holds(received(tmp_path, "--set", assignment)), assignment


EUROPEAN = "age;seen;word\n" + "".join(f"{i},5;0{i}/02/2024;caf\u00e9\n" for i in range(1, 9))
EUROPEAN_PLAN = """
k = 4
[attributes]
age  = { role = "quasi_identifier", kind = "numeric" }
seen = { role = "quasi_identifier", kind = "date", format = "%d/%m/%Y" }
word = { role = "other" }
"""


def test_how_the_data_are_written_can_be_told(folder):
    folder.write_plan(EUROPEAN_PLAN)
    (folder.path / "data.bin").write_bytes(EUROPEAN.replace("3,5", "n/a").encode("cp850"))
    told = {
        "--format": "csv",
        "--delimiter": ";",
        "--decimal": ",",
        "--encoding": "cp850",
        "--missing-value": "n/a",
        "--missing": "impute",
    }

    def run(**changes):
        options = [part for option in {**told, **changes}.items() if option[1] is not None for part in option]
        return folder.shoal("anonymize", "data.bin", "--plan", "plan.toml", "--quiet", *options)

    whole = run()
    assert whole.returncode == 0, whole.stderr
    lines = whole.stdout.decode("cp850").splitlines()
    assert lines[0] == "age;seen;word"
    assert all(line.endswith("/02/2024;caf\u00e9") for line in lines[1:])
    for option in ("--format", "--missing-value", "--missing"):
        assert run(**{option: None}).returncode == 2, f"{option} changed nothing"
    assert run(**{"--encoding": "utf-8"}).returncode == 2
    assert run(**{"--delimiter": ","}).returncode == 2
    assert run(**{"--decimal": "."}).returncode == 2


def test_the_format_of_a_date_is_told_by_the_plan(folder):
    folder.write_plan(EUROPEAN_PLAN)
    (folder.path / "data.csv").write_text(EUROPEAN)
    days = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml").stdout
    months = folder.shoal(
        "anonymize", "data.csv", "--plan", "plan.toml", "--set=attributes.seen.format=%m/%d/%Y"
    ).stdout
    assert days.splitlines()[1].split(b";")[1].endswith(b"/02/2024")
    assert not months.splitlines()[1].split(b";")[1].endswith(b"/02/2024")
    folder.write_plan(EUROPEAN_PLAN.replace(', format = "%d/%m/%Y"', ""))
    refused = folder.shoal("anonymize", "data.csv", "--plan", "plan.toml")
    assert refused.returncode == 2
    assert b"'seen' may be written" in refused.stderr
