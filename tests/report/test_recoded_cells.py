"""An outsider counts the cells that were recoded, and looks at the released ones: the external edition."""

import html

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import report
from shoal.report import assess

NUMBER = {"role": "quasi_identifier", "kind": "numeric"}
N = 60


def before_and_other(key):
    """A table, the recoding of one of its columns, and the same table with one original that recodes to the same."""
    rng = np.random.default_rng(4)
    pay = rng.uniform(10, 60, N).round(1)
    pay[N // 2 :] = 5 * (pay[N // 2 :] // 5)
    towns = np.repeat(["bath", "hull", "york", "deal", "dover"], [20, 16, 12, 6, 6])
    other_pay, other_towns = pay.copy(), towns.copy()
    if key == "clip":
        option = {"high": 40}
        other_pay[int(np.flatnonzero(pay > 40)[0])] = 40.0
    elif key == "round_to":
        option = 5
        other_pay[0] = round(pay[0] / 5) * 5
    else:
        option = {"below": 7}
        other_towns[-1] = "other"
    column = "town" if key == "rare" else "pay"
    tables = [
        pl.DataFrame({"pay": p, "town": t, "age": np.arange(N) % 31, "ill": ["flu", "gout"] * (N // 2)})
        for p, t in ((pay, towns), (other_pay, other_towns))
    ]
    return tables, {column: {key: option}}


@pytest.mark.parametrize("role", ["quasi_identifier", "confidential"])
@pytest.mark.parametrize("key", ["clip", "round_to", "rare"])
def test_how_many_cells_were_recoded_is_not_told(key, role):
    """Of sixty cells a whole percent is a count: one that stood at the bound, and was not beyond it, would show."""
    tables, recoding = before_and_other(key)
    ((column, asked),) = recoding.items()
    attributes = {
        "pay": NUMBER,
        "town": {"role": "quasi_identifier", "kind": "nominal"},
        "age": NUMBER,
        "ill": {"role": "confidential", "kind": "nominal"},
    }
    attributes[column] = {**attributes[column], "role": role, **asked}
    plan = shoal.Plan(k=5, subject="record", attributes=attributes)
    releases = [shoal.anonymize(table, plan).in_original_order() for table in tables]
    assert releases[0].data.equals(releases[1].data)
    counted = [release.manifest["recoding"][0]["cells"] for release in releases]
    assert counted[0] == counted[1] + 1
    pages = [
        report.collect(table, assess(table, releases[0].data, plan), plan, edition="external", attacks=["none"])
        for table in tables
    ]
    assert pages[0] == pages[1]
    assert pages[0].recoding[0].what in html.unescape(pages[0].to_html())


@pytest.mark.parametrize(("recoding", "last"), [({"clip": {"high": 10}}, 5.0), ({"round_to": 20}, 100.0)])
def test_people_are_counted_by_the_weights_that_left(recoding, last):
    """By the original ones the smallest class would tell the weight that was cut off or rounded."""
    ages, heights = np.repeat(np.arange(20) * 30.0, 5), np.repeat(np.arange(20) * 7 % 20 + 160.0, 5)
    plan = shoal.Plan(
        k=5,
        weights="w",
        attributes={"age": NUMBER, "height": NUMBER, "w": {"role": "other", "kind": "numeric", **recoding}},
    )
    pages = []
    for weight in (31.0, 37.0):
        weights = np.full(100, 900.0)
        weights[:5] = 30.0
        weights[2], weights[-1] = weight, last
        frame = pl.DataFrame({"age": ages, "height": heights, "w": weights})
        page = report.collect(frame, shoal.anonymize(frame, plan), plan, edition="external", attacks=["none"])
        pages.append({score.key: score.value for score in page.scores if score.key.startswith("population")})
    assert pages[0] == pages[1]
    assert {"population_k", "population_risk"} <= {*pages[0]}
