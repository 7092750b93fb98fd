"""A guarantee of one's own: one class, one line in the registry, and plan, run, check, report and schema know of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl
import pytest
from pydantic import Field, create_model

import command
import shoal
from shoal import _core
from shoal.errors import GuaranteeError, PlanError
from shoal.options import Options
from shoal.plan.json_schema import json_schema
from shoal.plan.overrides import scalar_fields
from shoal.protect import GUARANTEES, Confidential, ConfidentialGuarantee
from shoal.report import collect


@dataclass(frozen=True, eq=False)
class LargestShare:
    """No value has so large a share of a group: r₁ < s/(1 − s)·(the others), recursive diversity with l = 2."""

    attribute: Confidential
    share: float

    @property
    def rule(self):
        return f"a largest share below {self.share:g}"

    def reached(self, shortfall):
        odds = shortfall * self.share / (1 - self.share)
        return odds / (1 + odds)

    @cached_property
    def kernel(self):
        share = Fraction(str(self.share))
        odds = share / (1 - share)
        return _core.Recursive(self.attribute.kernel, odds.numerator, odds.denominator, 2)


class PrevalenceOptions(Options):
    share: float | None = Field(None, gt=0, lt=1, description="the share of a class that no value may reach")


class Prevalence(ConfidentialGuarantee):
    name = "no_dominant_value"
    section = "prevalence"
    options = PrevalenceOptions
    key = "share"
    summary = "no value of a protected attribute has a large share of a class"
    not_promised = "two values together may"

    def rule(self, attribute, section):
        return LargestShare(attribute, section.share)

    def asked(self, rule):
        return rule.share

    def definition(self, rule):
        return "no confidential value has this share of a class of the released table or more"


ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "kind": "numeric"},
    "illness": {"role": "confidential", "kind": "nominal"},
}


def patients(n=60):
    rng = np.random.default_rng(7)
    return pl.DataFrame({"age": np.arange(n), "illness": rng.choice(["flu", "ulcer", "asthma"], n, p=[0.6, 0.3, 0.1])})


def plan(**options):
    return shoal.Plan(**{"k": 3, "attributes": ATTRIBUTES, **options})


def largest_shares(release):
    table = release.data.group_by("age").agg(pl.col("illness").value_counts(), pl.len())
    return [max(row["count"] for row in rows) / n for _, rows, n in table.iter_rows()]


@pytest.fixture
def prevalence():
    with GUARANTEES.temporarily(Prevalence()) as guarantee:
        yield guarantee


def test_before_it_is_registered_nobody_knows_it():
    with pytest.raises(PlanError, match="prevalence is an unknown key"):
        plan(prevalence={"share": 0.7})


@pytest.mark.usefixtures("prevalence")
def test_a_release_keeps_it_and_says_so():
    plain = shoal.anonymize(patients(), plan())
    assert max(largest_shares(plain)) == 1.0
    release = shoal.anonymize(patients(), plan(prevalence={"share": 0.8}))
    verdict = release.guarantees["no_dominant_value"]
    assert verdict.holds
    assert verdict.achieved == pytest.approx(max(largest_shares(release)))
    assert verdict.achieved < verdict.asked == 0.8
    assert release.guarantees["k_anonymity"].note == ""
    assert "no_dominant_value" in {row["name"] for row in collect(patients(), release, release_plan()).guarantees}


def release_plan():
    return plan(prevalence={"share": 0.8})


@pytest.mark.usefixtures("prevalence")
def test_what_cannot_be_kept_is_refused_before_the_work():
    with pytest.raises(GuaranteeError, match=r"illness cannot have a largest share below 0.3: even all 60 records"):
        shoal.anonymize(patients(), plan(prevalence={"share": 0.3}))


@pytest.mark.usefixtures("prevalence")
def test_its_options_are_checked_like_any_others():
    with pytest.raises(PlanError, match=r"prevalence.share must be below 1, not 2"):
        plan(prevalence={"share": 2})
    with pytest.raises(PlanError, match=r"prevalence.shre is an unknown key; did you mean 'share'"):
        plan(prevalence={"shre": 0.5})
    with pytest.raises(PlanError, match="prevalence: asks for nothing: give share"):
        plan(prevalence={"missing": "category"})
    with pytest.raises(PlanError, match=r"prevalence.attributes names 'age', which is not declared as confidential"):
        plan(prevalence={"share": 0.5, "attributes": ["age"]})


@pytest.mark.usefixtures("prevalence")
def test_schema_command_line_and_files_know_it(tmp_path):
    assert "prevalence" in json.loads(json_schema())["properties"]
    assert "prevalence.share" in scalar_fields(shoal.Plan.known_keys())
    patients().write_csv(tmp_path / "data.csv")
    plan().save(tmp_path / "plan.toml")
    options = ["data.csv", "--plan", "plan.toml", "--set", "prevalence.share=0.8"]
    done = command.shoal("anonymize", *options, "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"no_dominant_value = " in done.stderr
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["plan"]["prevalence"] == {"share": 0.8}
    assert manifest["guarantees"][1]["holds"]
    assert shoal.Plan.from_mapping(manifest["plan"]) == release_plan()


def test_a_name_is_given_once():
    with pytest.raises(PlanError, match="there is a guarantee 'k_anonymity' already"):
        GUARANTEES.register(GUARANTEES["k_anonymity"])
    assert "no_dominant_value" not in GUARANTEES


def test_a_plan_does_not_run_without_what_it_asks_for():
    with GUARANTEES.temporarily(Prevalence()):
        asking = release_plan()
    with pytest.raises(PlanError, match="prevalence is an unknown key"):
        shoal.anonymize(patients(), asking)


def test_a_plan_made_before_runs_on():
    before = plan(diversity={"distinct": 2})

    class InDiversity(Prevalence):
        section = "diversity"

    with GUARANTEES.temporarily(InDiversity()):
        assert list(shoal.anonymize(patients(), before).guarantees) == ["k_anonymity", "distinct_l_diversity"]


@pytest.mark.parametrize(
    ("place", "key", "where"),
    [("k", "share", "the plan"), ("closeness", "t", "closeness"), ("prevalence", "missing", "prevalence")],
)
def test_a_key_that_there_is_already_is_refused(place, key, where):
    class Clashing(Prevalence):
        section = place
        options = create_model("Clashing", __base__=Options, **{key: (float | None, None)})

    with GUARANTEES.temporarily(Clashing()), pytest.raises(PlanError, match=f"have the key .* in .*{where}"):
        plan()
