"""Every figure on page one, recomputed from the files alone: the original, the release, its row map and the plan.

Nothing of shoal computes here: CSV, TOML, NumPy.
"""

import csv
import datetime
import itertools
import json
import math
import re
import tomllib
from collections import Counter, defaultdict

import numpy as np
import pytest

import command

PLAN = """
k = 4
order = "shuffle"

[about]
title     = "Pay and illness"
purpose   = "a study"
recipient = "an institute"
contact   = "somebody"
date      = 2026-03-31

[attributes]
name    = { role = "identifier" }
age     = { role = "quasi_identifier", kind = "numeric" }
grade   = { role = "quasi_identifier", kind = "ordinal", order = ["low", "mid", "high"] }
county  = { role = "quasi_identifier", kind = "nominal" }
seen    = { role = "quasi_identifier", kind = "date" }
pay     = { role = "confidential", kind = "numeric" }
illness = { role = "confidential", kind = "nominal" }
ward    = { role = "other" }
"""
NUMBERS = ("age", "seen")
N = 150


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a release with its report, as somebody who checks it has them."""
    folder = tmp_path_factory.mktemp("page")
    rng = np.random.default_rng(8)
    day = datetime.date(2024, 1, 1)
    with (folder / "data.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "grade", "county", "seen", "pay", "illness", "ward"])
        for i in rng.permutation(N):
            age = int(rng.integers(18, 90))
            writer.writerow(
                [
                    f"person-{i}",
                    age,
                    rng.choice(["low", "mid", "high"]),
                    rng.choice(["Osona", "Bages", "Anoia"]),
                    day + datetime.timedelta(days=int(rng.integers(0, 365))),
                    round(20 * age + float(rng.normal(0, 200)), 2),
                    rng.choice(["flu", "gout", "mumps"], p=[0.6, 0.3, 0.1]),
                    f"ward {rng.integers(7)}",
                ]
            )
    (folder / "plan.toml").write_text(PLAN)
    done = command.shoal(
        *("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", "--row-map", "rows.csv"),
        *("--report", "report.html"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr.decode()
    return folder


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def page(files):
    return json.loads((files / "report.json").read_text())["summary"]


@pytest.fixture(scope="module")
def tables(files):
    """Original and released records side by side, in the order of the original."""
    original, given = table(files / "data.csv"), table(files / "out.csv")
    place = {int(row["original_row"]) - 1: int(row["released_row"]) - 1 for row in table(files / "rows.csv")}
    return original, [given[place[i]] for i in range(len(original))], place


def number(name, text):
    return float(datetime.date.fromisoformat(text).toordinal()) if name == "seen" else float(text)


def column(rows, name):
    return np.array([number(name, row[name]) for row in rows])


def classes(released):
    return [tuple(row[name] for name in ("age", "grade", "county", "seen")) for row in released]


def distances(original, released):
    """Squared distance of every person from every released record, as the definition of linkage says."""
    ranks = tomllib.loads(PLAN)["attributes"]["grade"]["order"]
    total = np.zeros((len(original), len(released)))
    for name in NUMBERS:
        x, y = column(original, name), column(released, name)
        total += ((x[:, None] - y[None, :]) / y.std(ddof=1)) ** 2
    x, y = (np.array([ranks.index(row["grade"]) for row in rows]) for rows in (original, released))
    total += ((x[:, None] - y[None, :]) / len(ranks)) ** 2
    x, y = (np.array([row["county"] for row in rows]) for rows in (original, released))
    return total + (x[:, None] != y[None, :])


def tried(page, key):
    return next(each for each in page["tried"] if each["key"] == key)


def test_what_it_is_and_who_is_in_it(page, tables):
    original, released, _ = tables
    assert page["title"] == "Pay and illness"
    assert [text for _, text in page["about"]] == ["a study", "an institute", "somebody", "2026-03-31"]
    assert page["who"] == f"{len(released)} records, each about another person."
    assert f"in {len(released[0])} columns" in page["what"]
    assert len(original[0]) - len(released[0]) == 1
    assert "name was dropped" in page["what"]


def test_the_promise_is_the_smallest_class(page, tables):
    smallest = min(Counter(classes(tables[1])).values())
    (promise,) = page["promises"]
    assert (promise["asked"], promise["reached"]) == (4, smallest)
    assert promise["verdict"] == ("holds" if smallest >= 4 else "does not hold")
    assert f"finds at least {smallest} persons" in promise["sentence"]
    assert f"at most 1 of {smallest}" in promise["sentence"]


def test_linkage_is_the_nearest_record(page, tables):
    original, released, _ = tables
    far = distances(original, released)
    chances = []
    for person, row in enumerate(far):
        nearest = np.flatnonzero(row <= row.min() * (1 + 1e-12))
        chances.append((person in nearest) / len(nearest))
    found = tried(page, "linkage")
    assert found["rate"] == pytest.approx(np.mean(chances))
    assert found["guessing"] == pytest.approx(1 / len(released))
    assert found["allowed"] == 1 / 4
    assert max(chances) <= 1 / 4
    assert (found["tried"], found["of"]) == (N, N)
    assert found["interval"] == pytest.approx([end - 1 / N for end in clopper_pearson(sum(chances), N)], abs=1e-6)


def clopper_pearson(successes, n):
    """Return both ends, by adding up the density of the beta distribution in small steps."""

    def quantile(share, a, b):
        x = (np.arange(2_000_000) + 0.5) / 2_000_000
        log_density = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)
        below = np.cumsum(np.exp(log_density - log_density.max()))
        return x[np.searchsorted(below, share * below[-1])]

    return quantile(0.025, successes, n - successes + 1), quantile(0.975, successes + 1, n - successes)


def test_row_order_is_the_best_of_all_orders(page, tables):
    original, released, place = tables
    rates = []
    for name in ("age", "seen", "grade", "county", "name"):
        values = column(original, name).tolist() if name in NUMBERS else [row[name] for row in original]
        for down in (False, True):
            order = sorted(range(N), key=lambda i: values[i], reverse=down)
            chance = 0.0
            for _, same in itertools.groupby(enumerate(order), key=lambda each: values[each[1]]):
                ranks, persons = zip(*same, strict=True)
                chance += sum(place[person] in ranks for person in persons) / len(persons)
            rates.append(chance / len(released))
    assert tried(page, "row_order")["rate"] == pytest.approx(max(rates))


def test_singling_out_is_drawn_from_what_predicates_can_do(page, tables):
    original, released, _ = tables
    sizes, whose = Counter(classes(released)), classes(released)
    expected = []
    for name in ("age", "grade", "county", "seen"):
        number_like = name in NUMBERS
        x = column(original, name) if number_like else np.array([row[name] for row in original])
        y = column(released, name) if number_like else np.array([row[name] for row in released])
        cells = np.unique(y)
        for i in range(N):
            for narrower in (1, 0.5, 0.25, 0.125):
                if number_like:
                    at = int(np.searchsorted(cells, y[i]))
                    low = -math.inf if at == 0 else y[i] - (y[i] - cells[at - 1]) / 2 * narrower
                    high = math.inf if at == len(cells) - 1 else y[i] + (cells[at + 1] - y[i]) / 2 * narrower
                    found = np.flatnonzero((x >= low) & (x <= high))
                else:
                    found = np.flatnonzero(x == y[i])
                hit = len(found) == 1 and whose[found[0]] == whose[i]
                expected.append(hit / sizes[whose[i]])
    mean = float(np.mean(expected))
    spread = float(np.std(expected)) / math.sqrt(N)
    assert abs(tried(page, "singling_out")["rate"] - mean) <= 4 * spread + 1e-12
    assert tried(page, "singling_out")["allowed"] == 1 / 4


def test_inference_is_the_guess_of_the_nearest_class(page, tables):
    original, released, _ = tables
    far, groups = distances(original, released), defaultdict(list)
    for i, each in enumerate(classes(released)):
        groups[each].append(i)
    members = [groups[classes(released)[int(row.argmin())]] for row in far]
    pay = column(released, "pay")
    reach = 0.1 * pay.std(ddof=1)
    right = [abs(np.median(pay[rows]) - pay[i]) <= reach for i, rows in enumerate(members)]
    found = tried(page, "inference_class[pay]")
    assert found["rate"] == pytest.approx(np.mean(right))
    ordered = np.sort(pay)
    inside = [int(((ordered >= value) & (ordered <= value + 2 * reach)).sum()) for value in ordered]
    guess = ordered[int(np.argmax(inside))] + reach
    assert found["guessing"] == pytest.approx(np.mean(np.abs(pay - guess) <= reach), abs=1 / N)
    assert found["allowed"] is None

    illness = [row["illness"] for row in released]
    lucky, unlucky = 0, 0
    for i, rows in enumerate(members):
        counts = Counter(illness[row] for row in rows)
        best = [value for value, count in counts.items() if count == max(counts.values())]
        lucky += illness[i] in best
        unlucky += best == [illness[i]]
    found = tried(page, "inference_class[illness]")
    assert unlucky / N <= found["rate"] <= lucky / N  # values that are as common may be guessed either way
    assert found["guessing"] == pytest.approx(max(Counter(illness).values()) / N)


def test_information_lost_is_squares_by_squares(page, tables):
    original, released, _ = tables
    ranks = ["low", "mid", "high"]
    lost, total = {}, {}
    for name in NUMBERS:
        x, y = column(original, name), column(released, name)
        lost[name], total[name] = (((a - b) ** 2).sum() / x.var(ddof=1) for a, b in ((x, y), (x, x.mean())))
    x, y = (np.array([ranks.index(row["grade"]) for row in rows]) / 3 for rows in (original, released))
    lost["grade"], total["grade"] = ((x - y) ** 2).sum(), ((x - np.sort(x)[(N - 1) // 2]) ** 2).sum()
    x, y = ([row["county"] for row in rows] for rows in (original, released))
    lost["county"] = sum(a != b for a, b in zip(x, y, strict=True))
    total["county"] = N - max(Counter(x).values())
    kept = page["kept"][0]
    assert kept["value"] == pytest.approx(100 * sum(lost.values()) / sum(total.values()))
    worst = max(lost, key=lambda name: lost[name] / total[name])
    assert f"{worst} lost most, {100 * lost[worst] / total[worst]:.3g} %" in kept["sentence"]
    assert kept["much"] == 1 + (kept["value"] >= 10) + (kept["value"] >= 30)


def test_the_mean_or_share_that_moved_most(page, tables):
    original, released, _ = tables
    moves = []
    for name in (*NUMBERS, "pay"):
        x, y = column(original, name), column(released, name)
        moves.append((100 * abs(x.mean() - y.mean()) / x.std(ddof=1), name, None))
    for name in ("grade", "county", "illness"):
        before, after = (Counter(row[name] for row in rows) for rows in (original, released))
        moves += [(100 * abs(before[value] - after[value]) / N, name, value) for value in before]
    most, name, value = max(moves, key=lambda move: move[0])
    kept = page["kept"][1]
    assert kept["value"] == pytest.approx(most)
    assert name in kept["sentence"]
    assert value is None or value in kept["sentence"] or sum(move[0] == most for move in moves) > 1


def test_how_far_correlations_moved(page, tables):
    ranks = ["low", "mid", "high"]
    matrices = []
    for rows in tables[:2]:
        grade = [ranks.index(row["grade"]) for row in rows]
        matrices.append(np.corrcoef([column(rows, "age"), grade, column(rows, "seen"), column(rows, "pay")]))
    moves = (matrices[1] - matrices[0])[np.triu_indices(4, 1)]
    kept = page["kept"][2]
    assert kept["value"] == pytest.approx(np.abs(moves).mean())
    assert f"{moves[np.abs(moves).argmax()]:+.2f}" in kept["sentence"]


def test_what_is_left_to_decide_is_counted(page, tables):
    groups = defaultdict(list)
    for each, row in zip(classes(tables[1]), tables[1], strict=True):
        groups[each].append(row["illness"])
    alone = sum(len(set(values)) == 1 for values in groups.values())
    said = [text for text in page["decide"] if "share one value of illness" in text]
    assert bool(said) == bool(alone)
    if alone:
        assert said[0].startswith(f"In {alone} class")
        assert f" of {len(groups)} all" in said[0]
    for name in ("grade", "county"):
        before, after = ({row[name] for row in rows} for rows in tables[:2])
        said = [text for text in page["decide"] if f"of {name} " in text and "not in the release" in text]
        assert bool(said) == bool(before - after)


def test_the_page_says_these_figures_and_no_other_rates(page, files):
    html = (files / "report.html").read_text()
    first = html[html.index('class="page-one"') : html.index('class="signature"')]
    values = {float(value) for value in re.findall(r'<data value="([^"]+)"', first)}
    told = {each[key] for each in page["tried"] for key in ("rate", "guessing", "allowed") if each[key] is not None}
    told |= {kept["value"] for kept in page["kept"]}
    told |= {promise[key] for promise in page["promises"] for key in ("asked", "reached")}
    assert values == told
