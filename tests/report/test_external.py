"""What an external edition must not give away."""

import datetime
import json
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from report.tables import people, plan, with_first
from shoal.measures import MEASURES
from shoal.report import collect
from shoal.report.edition import Edition, Guard
from shoal.report.group_histograms import ClassSpread, size_histogram
from shoal.report.histogram_cells import intervals
from shoal.report.spread import ArraySpread


def collected(frame, chosen):
    return collect(frame, shoal.anonymize(frame, chosen), chosen, edition="external", name="secret-name.csv")


def external(frame, chosen):
    data = collected(frame, chosen)
    return data, data.to_html(), data.to_json()


@pytest.fixture(scope="module")
def usual():
    """The report on a table and a plan that several tests look at."""
    return external(people(), plan())


def writings(value):
    """The ways a number could stand in a file."""
    texts = {repr(value), str(int(value)), f"{value:,}", f"{int(value):,}", f"{value:.2f}", f"{value:,.2f}"}
    texts |= {f"{value:.{digits}e}" for digits in range(2, 7)} | {f"{value:.{digits}g}" for digits in range(3, 12)}
    texts |= {f"{int(value):,}".replace(",", mark) for mark in (" ", "\u2009", "\u00a0", "'", ".")}
    return texts


def spoken(html):
    """What a page says to eyes and ears, without hashes and without the commas of thousands."""
    body = html.split("</style>")[1]
    words = " ".join([*re.findall(r'(?:aria-label|value)="([^"]*)"', body), re.sub(r"<[^>]*>", " ", body)])
    return re.sub(r"(?<=\d),(?=\d{3})", "", re.sub(r"[0-9a-f]{64}", "", words))


@pytest.mark.parametrize("column", ["age", "pay"])
@pytest.mark.parametrize("extreme", [987_654.25, -4_321_098.5])
def test_no_trace_of_an_extreme_value(column, extreme):
    frame = with_first(people(), **{column: extreme})
    _, html, text = external(frame, plan())
    # What averages, sums and deviations would make of it is a trace too.
    traces = [abs(extreme) / divisor for divisor in (1, 5, len(frame), len(frame) - 1, np.sqrt(len(frame)))]
    for trace in traces:
        for written in writings(trace):
            assert written not in html
            assert written not in text
    largest = max(float(found) for found in re.findall(r"\d+(?:\.\d+)?", spoken(html)))
    assert largest < 3000  # years and counts of records; the extreme and what is made of it are far above


def test_the_report_does_not_depend_on_how_extreme_a_confidential_value_is():
    pages = []
    for extreme in (5e5, 8e11):
        frame = with_first(people(), pay=extreme)
        data, html, _ = external(frame, plan())
        hashes = dict(data.provenance)["released contents, SHA-256"]
        pages.append(html.replace(hashes, ""))
    assert pages[0] == pages[1]


def test_an_extreme_date_leaves_no_trace():
    frame = with_first(people(), seen=datetime.date(1899, 4, 27))
    _, html, text = external(frame, plan())
    for trace in ("1899", "27/04", "04-27"):
        assert trace not in spoken(html)
        assert trace not in text


def test_rare_categories_are_not_named_or_counted():
    frame = with_first(people(), county="Atlantis", illness="kuru", grade="emeritus")
    data, html, text = external(frame, plan())
    for rare in ("Atlantis", "kuru", "emeritus"):
        assert rare not in html
        assert rare not in text
    assert all(not bin.before or bin.before >= 2 for d in data.distributions for bin in d.bins)


def test_missing_cells_are_not_what_shares_lack_to_a_hundred():
    there = pl.int_range(pl.len()) >= 5
    frame = people(n=105).with_columns(pl.when(there).then(pl.col(name)) for name in ("age", "pay"))
    for distribution in collected(frame, plan(missing="impute")).distributions:
        if distribution.name in ("age", "pay"):
            assert sum(bin.after for bin in distribution.bins) == 100  # records that have a value, exactly
            assert {bin.before is None for bin in distribution.bins} == {distribution.name == "age"}


def test_names_seeds_hashes_of_the_original_and_single_groups_stay_inside():
    frame = people()
    chosen = plan(seed=918273645)
    data, html, text = external(frame, chosen)
    original = shoal.anonymize(frame, chosen).manifest["input"]["sha256"]
    for secret in ("918273645", original, "secret-name", "person-1"):
        assert secret not in html
        assert secret not in text
    assert data.riskiest == ()


def test_trees_of_categories_stay_inside():
    tree = {"illness": {"catching": ["flu", "mumps"], "prion": ["kuru"], "other": ["gout"]}}
    chosen = plan(closeness={"t": {"pay": 0.4, "illness": 0.5}, "method": "merge", "hierarchy": tree})
    data, html, text = external(people(), chosen)
    for name in ("kuru", "prion", "catching"):
        assert name not in html
        assert name not in text
    assert "[closeness]" in data.plan
    assert "t = { pay = 0.4, illness = 0.5 }" in data.plan


def test_measures_are_shown_to_outsiders_by_decision():
    # Whoever changes one of these words changes what strangers learn: change it here too, and say why.
    words = {key: measure.definition.external for key, measure in MEASURES.items()}
    assert {key for key, word in words.items() if word == "withheld"} == {
        *("sse", "il", "il1s", "d_x", "normalised_sse", "mse", "mae"),  # an extreme value can be solved for
        *("id", "id_sd", "dr", "score", "k_linked", "subject_risk"),  # these count values and people that are found
        *("population_il", "population_error"),  # sums of weights may tell which records moved
    }
    assert {key for key, word in words.items() if word == "bound"} == {"il_percent", "dld"}


def test_a_number_of_linked_records_is_only_bounded():
    data = collected(people(), plan(k=40))
    rows = {row.key: row for row in data.scores}
    assert rows["dld"].at_most
    # One of each class at the most: what anybody sees in the release.
    classes = next(fact.value for fact in data.facts if fact.name == "classes")
    assert rows["dld"].value == np.ceil(100 * classes / 400)
    assert not {"dr", "il", "score"} & set(rows)
    assert all(MEASURES[key].definition.external != "withheld" for key in rows)


def test_a_number_of_changed_records_is_not_told(usual):
    frame = people().select("county", "pay", "illness")
    chosen = shoal.Plan(
        k=5,
        attributes={
            "county": {"role": "quasi_identifier", "kind": "nominal"},
            "pay": {"role": "other"},
            "illness": {"role": "confidential", "kind": "nominal"},
        },
    )
    rare = with_first(frame, county="Atlantis")  # the one record whose category has to change
    data = collected(rare, chosen)
    sentence = data.distributions[0].sentence
    assert sentence.startswith("How many records have another category than before is not told")
    assert sentence == collected(frame, chosen).distributions[0].sentence
    assert not {"il_percent", "normalised_sse", "mse", "mae", "d_x", "sse"} & {row.key for row in data.scores}
    assert "information lost" not in {fact.name for fact in data.facts}  # the same number at the head of the page
    assert all(not row.attributes for row in usual[0].scores if row.key == "il_percent")
    assert "0.0025" not in data.to_json()  # one of 400


def test_numbers_have_three_digits(usual):
    for row in usual[0].scores:
        assert row.value == float(f"{row.value:.3g}")


def test_no_group_is_shown_by_itself():
    sizes = np.array([5] * 60 + [7] * 20 + [331])
    histogram = size_histogram(ClassSpread.of(sizes, sizes), Guard(Edition.EXTERNAL, int(sizes.sum()), 5))
    assert "331" not in str(histogram)
    assert histogram.bars == ()  # the large one joined the others, and one bar says nothing
    sizes = np.array([5] * 60 + [12] * 20 + [331])
    spread = size_histogram(ClassSpread.of(sizes, sizes), Guard(Edition.EXTERNAL, 871, 5))
    assert [(bar.label, bar.amount) for bar in spread.bars] == [("5 to 9", 34), ("10 or more", 66)]


def test_few_records_show_nothing():
    data, html, _ = external(people(n=18), plan())
    assert all(not distribution.bins for distribution in data.distributions)
    assert data.drift is None
    assert data.sizes.bars == ()
    assert "Too few records" in html


def test_a_permutation_reports_without_its_seed():
    frame = people()
    chosen = plan(release="permute", seed=77_345_881)
    data, html, _ = external(frame, chosen)
    assert "77345881" not in html
    assert data.guarantees[0]["name"] == "probabilistic_k_anonymity"


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=150),
    shift=st.floats(-10, 10),
    k=st.integers(2, 30),
)
def test_every_interval_shown_stands_for_enough_records(values, shift, k):
    before = np.array(values)
    after = before + shift
    guard = Guard(Edition.EXTERNAL, len(before), k)
    cells = intervals(ArraySpread(before), ArraySpread(after), guard)
    for cell in cells:
        assert cell.before >= guard.fewest
        assert cell.after == 0 or cell.after >= guard.fewest
    if cells:
        assert (cells[0].low, cells[-1].high) == (None, None)
        assert sum(cell.before for cell in cells) == len(before)
        inner = [cell.high for cell in cells[:-1]]
        # Enough original records lie beyond the outermost edges.
        assert min((before < inner[0]).sum(), (before >= inner[-1]).sum()) >= guard.fewest


def test_the_json_says_what_the_page_says(usual):
    _, html, text = usual
    written = json.loads(text)
    assert written["edition"] == "external"
    assert [guarantee["achieved"] for guarantee in written["guarantees"]] == [5]
    for distribution in written["distributions"]:
        assert distribution["unit"] == "percent of records"
        assert distribution["sentence"].split(";")[0].replace("\N{NO-BREAK SPACE}", " ") in html.replace(
            "\N{NO-BREAK SPACE}", " "
        )
    assert pl.Series([bin["before"] for bin in written["distributions"][0]["bins"]]).sum() in range(95, 106)


def test_what_recoding_hides_stays_hidden():
    random = np.random.default_rng(4)
    towns = np.where(np.arange(300) < 14, "hamlet", random.choice(["north", "south", "west"], 300))
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 100, 300),
            "lat": random.normal(40, 1, 300).round(2),
            "lon": random.normal(3, 1, 300).round(2),
            "town": towns,
            "ill": random.permutation(towns),
        }
    )
    chosen = shoal.Plan(
        k=5,
        subject="record",
        attributes={
            "age": {"role": "quasi_identifier", "kind": "numeric", "clip": {"high": 60}},
            "lat": {"role": "quasi_identifier", "kind": "place", "longitude": "lon"},
            "town": {"role": "quasi_identifier", "kind": "nominal", "rare": {"below": 20}},
            "ill": {"role": "confidential", "kind": "nominal", "rare": {"below": 20}},
        },
    )
    data, html, text = external(frame, chosen)
    assert "hamlet" not in html + text
    bins = {shown.name: shown.bins for shown in data.distributions}
    assert all(shown.low is None or shown.low <= 60 for shown in bins["age"])
    assert {"other"} <= {shown.label for shown in bins["town"]}
    # The latitude of a mean of directions is not a mean of latitudes, on which bounds could rest.
    assert all(shown.before is None for name in ("lat", "lon") for shown in bins[name])
    internal = collect(frame, shoal.anonymize(frame, chosen), chosen)
    assert "hamlet" in internal.to_json()
