"""How shares of categories moved: the largest moves of many, and a caution where most records changed category."""

from __future__ import annotations

import numpy as np
import polars as pl

import shoal
from shoal.report import collect


def visits(n=600, codes=60, seed=3):
    random = np.random.default_rng(seed)
    return pl.DataFrame({"code": random.choice([f"c{i:02d}" for i in range(codes)], n), "age": random.random(n)})


ATTRIBUTES = {
    "code": {"role": "quasi_identifier", "kind": "nominal"},
    "age": {"role": "quasi_identifier", "kind": "numeric"},
}


def report_of(frame, weight, edition="internal"):
    attributes = {**ATTRIBUTES, "code": {**ATTRIBUTES["code"], "weight": weight}}
    plan = shoal.Plan(k=5, order="keep", attributes=attributes)
    release = shoal.anonymize(frame, plan)
    return release.data, collect(frame, release, plan, edition=edition, attacks=["none"])


def test_of_many_categories_those_are_shown_whose_shares_moved_most():
    frame = visits()
    released, report = report_of(frame, 0.001)
    shown = {bin.label: bin for bin in report.distributions[0].bins if "other" not in bin.label}
    before, after = (dict(side["code"].value_counts().iter_rows()) for side in (frame, released))
    moves = {code: abs(after.get(code, 0) - before.get(code, 0)) for code in {*before, *after}}
    assert len(shown) == 12
    assert min(moves[code] for code in shown) >= max(move for code, move in moves.items() if code not in shown)
    farthest = max(moves.values())
    assert any(f"that of {code}," in report.distributions[0].sentence for code in moves if moves[code] == farthest)


def test_less_than_half_of_the_records_kept_is_a_caution_and_more_is_none():
    said = "% of the records kept their category of code"
    released, report = report_of(visits(), 0.001)
    assert (released["code"] == visits()["code"]).mean() < 0.5
    assert any(said in caution for caution in report.cautions)
    released, report = report_of(visits(codes=4), 100.0)
    assert (released["code"] == visits(codes=4)["code"]).mean() > 0.5
    assert not any(said in caution for caution in report.cautions)
    _, outside = report_of(visits(), 0.001, "external")
    assert not any(said in caution for caution in outside.cautions)
    assert "share that moved" not in outside.distributions[0].sentence
