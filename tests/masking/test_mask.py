"""Groups that leave with the same values are one class, and must keep every rule as one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reference import neighbourhood as reference
from shoal import Plan, anonymize
from shoal.exact import exact
from shoal.points import Points

T, N = 0.12, 12


def table(seed: int) -> pl.DataFrame:
    dice = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": dice.integers(0, 50, 80),
            "age": dice.integers(0, 6, 80),
            "cost": dice.integers(0, 9, 80),
            "ward": dice.choice(["a", "b"], 80),
        }
    )


def plan(**more: object) -> Plan:
    return Plan(
        k=2,
        method="univariate",
        closeness={"t": T, "method": "merge", "n": N},
        round=True,
        order="keep",
        attributes={
            "who": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "kind": "numeric"},
            "cost": {"role": "confidential", "kind": "numeric"},
            "ward": {"role": "other"},
        },
        **more,
    )


@pytest.mark.parametrize("subject", ["record", "who"])
@pytest.mark.parametrize("seed", [10, 24, 49, 56])
def test_classes_of_several_groups_are_close_to_the_classes_around_them(seed: int, subject: str) -> None:
    original = table(seed)
    release = anonymize(original, plan(subject=subject))
    assert release.guarantees.holds
    shown = release.data["age"].to_numpy()
    classes = [np.flatnonzero(shown == age) for age in np.unique(shown)]
    assert len(classes) > 1
    triples = [(reference.emd.ordered, original["cost"].to_list(), exact(T))]
    ages = Points.of(original["age"].to_numpy().reshape(-1, 1))
    assert all(met for _, met in reference.verdicts(ages, classes, triples, N))


@pytest.mark.parametrize("seed", [1, 29, 64, 82])
def test_the_classes_around_a_class_are_those_of_its_domain(seed: int) -> None:
    assert anonymize(table(seed), plan(subject="record", by="ward")).guarantees.holds
