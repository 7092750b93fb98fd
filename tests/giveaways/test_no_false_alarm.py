"""Tables that give nothing away are not warned of: a false alarm is worse than none."""

import numpy as np
import polars as pl
import pytest

import shoal
from giveaways.looking import NUMERIC, SECRET, found


def test_the_bundled_example_gives_nothing_away():
    plan = shoal.Plan.load("examples/discharges.toml")
    for seed in range(3):
        assert found(shoal.examples.discharges(2000, seed=seed), plan) == []


KINDS = {
    "numeric": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(10, 1, n).round(),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.95, 0, rng.lognormal(8, 1, n).round()),
    "counts": lambda rng, n: rng.integers(0, 60, n),
    "flag": lambda rng, n: rng.choice(["no", "yes"], n, p=[0.97, 0.03]),
    "category": lambda rng, n: rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01]),
    "places": lambda rng, n: rng.choice([f"town {i}" for i in range(80)], n),
    "days": lambda rng, n: np.datetime64("2020-01-01") + rng.integers(0, 1500, n),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
}


@pytest.mark.parametrize("seed", range(12))
def test_columns_without_relation(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([40, 150, 1000, 20_000]))
    frame, about = {}, {}
    for i in range(40 if n < 20_000 else 12):
        kind = list(KINDS)[int(rng.integers(len(KINDS)))]
        frame[f"{kind} {i}"] = KINDS[kind](rng, n)
        declared = {"days": "date"}.get(kind, "nominal" if kind in ("flag", "category", "places") else "numeric")
        role = "quasi_identifier" if i < 2 or rng.random() < 0.5 else "confidential"
        about[f"{kind} {i}"] = {"role": role, "kind": declared}
    plan = shoal.Plan(k=4, attributes=about, missing="impute")
    assert found(pl.DataFrame(frame, nan_to_null=True), plan) == []


@pytest.mark.parametrize("seed", range(6))
def test_columns_that_hang_together_as_in_a_census(seed):
    rng = np.random.default_rng(seed)
    n = 1500
    age = rng.integers(17, 90, n)
    schooling = np.clip(rng.normal(10 - (age > 60) * 2, 3, n).round(), 0, 16)
    hours = np.clip(rng.normal(40, 10, n).round(), 0, 99)
    wage = np.exp(rng.normal(1.5 + schooling / 12, 0.4, n)).round(2)
    married = rng.random(n) < np.clip((age - 20) / 30, 0, 0.8)
    frame = pl.DataFrame(
        {
            "age": age,
            "schooling": schooling,
            "sex": rng.choice(["f", "m"], n),
            "county": rng.choice([f"county {i}" for i in range(25)], n),
            "hours": hours,
            "wage": wage,
            "income": (wage * hours * 50 * rng.lognormal(0, 0.2, n)).round(),
            "status": np.where(married, "married", np.where(age < 30, "single", "widowed or single")),
            "retired": np.where(rng.random(n) < np.clip((age - 55) / 12, 0, 0.97), "yes", "no"),
            "interview": rng.choice(["phone", "visit"], n),
        }
    )
    numeric, nominal = ({"role": "quasi_identifier", "kind": kind} for kind in ("numeric", "nominal"))
    plan = shoal.Plan(
        k=5,
        attributes={
            "age": numeric,
            "schooling": numeric,
            "sex": nominal,
            "county": nominal,
            "hours": numeric,
            "wage": numeric,
            "income": {"role": "confidential", "kind": "numeric"},
            "status": {"role": "confidential", "kind": "nominal"},
            "retired": {"role": "confidential", "kind": "nominal"},
            "interview": {"role": "other"},
        },
        diversity={"distinct": 2, "attributes": ["status"]},
    )
    assert found(frame, plan) == []


@pytest.mark.parametrize(
    ("hidden", "kept", "said"),
    [
        (("AFNLWGT", "AGI"), ("EMCONTRB", "STATETAX"), set()),
        (("AFNLWGT", "POTHVAL"), ("INTVAL", "PTOTVAL"), set()),
        (("FICA", "AGI"), ("PEARNVAL", "POTHVAL"), {("PEARNVAL", "FICA")}),  # a share of earnings, up to a limit
        (("TAXINC", "AFNLWGT"), ("FEDTAX", "POTHVAL"), {("FEDTAX", "TAXINC")}),  # a tariff
    ],
)
def test_incomes_and_taxes_of_the_census(reference_data, hidden, kept, said):
    frame = pl.read_csv(reference_data / "census.csv").select(*hidden, *kept)
    about = dict.fromkeys(hidden, NUMERIC) | dict.fromkeys(kept, SECRET)
    assert {giveaway.columns for giveaway in found(frame, shoal.Plan(k=5, attributes=about))} == said


@pytest.mark.parametrize("seed", range(6))
def test_what_is_constant_of_persons_tells_nothing_by_that(seed):
    rng = np.random.default_rng(seed)
    persons, stays = 60, 6
    person = rng.permutation(np.repeat(np.arange(persons), stays))
    frame = pl.DataFrame(
        {
            "person": person,
            "sex": rng.choice(["f", "m"], persons)[person],
            "blood": rng.choice(["0", "A", "B", "AB"], persons)[person],
            "town": rng.choice([f"town {i}" for i in range(15)], persons)[person],
            "born": rng.integers(1930, 2010, persons)[person],
            "nights": rng.integers(1, 30, len(person)),
            "score": rng.normal(size=persons)[person],
            "doctor": rng.choice([f"Dr. {i}" for i in range(20)], persons)[person],
        }
    )
    nominal = {"role": "quasi_identifier", "kind": "nominal"}
    about = {"person": {"role": "identifier"}, "sex": nominal, "blood": nominal, "town": nominal}
    about |= {
        "born": NUMERIC,
        "nights": NUMERIC,
        "score": SECRET,
        "doctor": {"role": "confidential", "kind": "nominal"},
    }
    plan = shoal.Plan(k=4, subject="person", attributes=about)
    assert found(frame, plan) == []
    told = frame.with_columns(doctor=pl.col("town") + "!")
    (giveaway,) = found(told, plan)
    assert giveaway.columns == ("doctor", "town")
    assert giveaway.records == len(frame)
