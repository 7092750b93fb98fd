"""A release beside its population: k-map, presence, and the three risks."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.measures import match_population

NUMERIC = {"role": "quasi_identifier", "kind": "numeric"}


def plan(**attributes):
    return shoal.Plan(k=3, attributes=attributes or {"x": NUMERIC, "y": NUMERIC})


def test_everybody_belongs_to_the_nearest_class():
    rng = np.random.default_rng(3)
    people = pl.DataFrame({"x": rng.normal(size=400), "y": rng.normal(size=400) * 9})
    release = shoal.anonymize(people[:80], plan()).data
    found = match_population(release, people, plan())
    centres = release.unique(maintain_order=True).to_numpy()
    spread = people.to_numpy().std(axis=0, ddof=1)
    slow = np.zeros(len(centres), dtype=int)
    for person in people.to_numpy():
        slow[np.argmin((((centres - person) / spread) ** 2).sum(axis=1))] += 1
    own = np.array([(release.to_numpy() == centre).all(axis=1).sum() for centre in centres])
    assert found.people.tolist() == np.maximum(slow, own).tolist()
    assert found.sampled.tolist() == own.tolist()
    assert found.k_map == found.people.min()
    assert found.journalist == 1 / found.k_map
    assert found.marketer == pytest.approx((own / found.people).sum() / 80)
    assert found.presence == pytest.approx(((own / found.people).min(), (own / found.people).max()))
    assert found.prosecutor == pytest.approx(1 / own.min())
    assert set(found.to_dict()) >= {"k_map", "presence", "journalist"}


def test_categories_match_where_they_are_equal():
    town = {"town": {"role": "quasi_identifier", "kind": "nominal"}}
    people = pl.DataFrame({"town": ["Vic"] * 7 + ["Olot"] * 4})
    found = match_population(pl.DataFrame({"town": ["Olot", "Vic", "Vic"]}), people, plan(**town))
    assert found.people.tolist() == [4, 7]
    assert found.presence == (0.25, 2 / 7)


def test_what_is_no_population_is_refused():
    people = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
    release = pl.DataFrame({"x": [1.0] * 4, "y": [1.0] * 4})
    with pytest.raises(DataError, match="the population has 3 people and the release 4"):
        match_population(release, people, plan())
    with pytest.raises(DataError, match="the population table does not have 'y'"):
        match_population(release, people.drop("y"), plan())
    permuted = shoal.Plan(
        k=2, release="permute", attributes={"x": NUMERIC, "y": {"role": "confidential", "kind": "numeric"}}
    )
    with pytest.raises(PlanError, match="its classes hide nobody"):
        match_population(people, people, permuted)
