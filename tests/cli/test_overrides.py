"""Every field of a plan as an option; every way to say how the data are written."""

import functools
import tomllib
from enum import StrEnum
from typing import Literal, get_args, get_origin

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.overrides import plan_options
from shoal.constrain import WAYS
from shoal.options import key_of
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.overrides import alternatives, option_name, scalar_fields
from shoal.plan.toml import value as toml_value
from shoal.protect import GUARANTEES

PLAN = """
k = 5
[attributes]
name = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
town = { role = "quasi_identifier", kind = "ordinal", order = ["Vic", "Reus"] }
pay = { role = "confidential", kind = "numeric" }
illness = { role = "confidential", kind = "ordinal", order = ["flu", "gout"] }
weight = { role = "other" }
"""

FIELDS = scalar_fields(Plan.known_keys())


def flat(values, prefix=""):
    """Return the values of tables by their paths."""
    found = {}
    for name, value in values.items():
        inner = isinstance(value, dict) and prefix != "attributes."
        found |= flat(value, f"{prefix}{name}.") if inner else {prefix + name: value}
    return found


def example(path):
    """Return values by path that use a field: what it says of itself, else a guarantee, else any value of its type."""
    examples = [key_of(FIELDS[path]).example, *(guarantee.example for guarantee in GUARANTEES.values())]
    for text in examples:
        found = flat(tomllib.loads(text))
        if path in found:
            return found
    name, value = path.rpartition(".")[2], some_value(FIELDS[path])
    for method in METHODS.values():
        if name in method.options.model_fields and "." not in path:
            return {"method": method.name, "guarantee": not method.masks_values, path: value}
    for way in WAYS.values():
        if path == f"closeness.{name}" and name in way.options.model_fields:
            return {"closeness.t": 0.2, "closeness.method": way.name, path: value}
    section = path.partition(".")[0]
    asking = next((flat(tomllib.loads(g.example)) for g in GUARANTEES.values() if g.section == section), {})
    return {**asking, path: value}


def some_value(field):
    """Return a value that a field takes and does not have by default."""
    kinds = alternatives(field.annotation)
    words = [word for part in (field.annotation, *get_args(field.annotation)) for word in choices(part)]
    if words:
        return next(word for word in reversed(words) if word != field.default)
    if bool in kinds:
        return not field.default
    limits = {
        name: getattr(part, name) for part in field.metadata for name in ("gt", "ge", "lt") if hasattr(part, name)
    }
    if int in kinds:
        return limits.get("ge", 0) + 7
    return 0.25 if float in kinds else "some words"


def choices(part):
    if isinstance(part, type) and issubclass(part, StrEnum):
        return [member.value for member in part]
    return [word for word in get_args(part) if isinstance(word, str)] if get_origin(part) is Literal else []


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


@pytest.mark.parametrize("path", FIELDS)
def test_an_option_sets_its_field(tmp_path, path):
    values = example(path)
    value = values.pop(path)
    beside = [f"--set={other}={toml_value(each)}" for other, each in values.items()]
    flag = option_name(path).replace("_", "-")
    switch = {True: f"--{flag}", False: f"--no-{flag}"}[value] if isinstance(value, bool) else f"--{flag}={value}"
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
