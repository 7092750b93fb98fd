"""Every measure as its definition reads: plain loops over lists, quadratic where the definition is."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass


@dataclass
class Column:
    """A quasi-identifier: numbers, or ranks or codes with a number of levels."""

    name: str
    kind: str
    x: list
    y: list
    levels: int = 0


@dataclass
class Secret:
    """A confidential attribute: numbers, ranks or codes."""

    name: str
    kind: str
    values: list


def deviation(values):
    if len(set(values)) == 1 or len(values) < 2:
        return 0.0
    return statistics.stdev(values)


def distance(column, a, b, unit):
    if column.kind == "nominal":
        return float(a != b)
    if column.kind == "ordinal":
        return abs(a - b) / column.levels
    scale = deviation(column.x) if unit == "deviation" else max(column.x) - min(column.x)
    return abs(a - b) / scale if scale else 0.0


def differences(column, unit):
    return [distance(column, a, b, unit) for a, b in zip(column.x, column.y, strict=True)]


def average(kind, values):
    if kind == "nominal":
        return Counter(values).most_common(1)[0][0]
    if kind == "ordinal":
        return statistics.median_low(values)
    return math.fsum(values) / len(values)


def sse(columns):
    return math.fsum(d * d for column in columns for d in differences(column, "deviation"))


def sst(columns):
    total = []
    for column in columns:
        centre = average(column.kind, column.x)
        total += [distance(column, a, centre, "deviation") ** 2 for a in column.x]
    return math.fsum(total)


def il_percent(columns):
    error, total = sse(columns), sst(columns)
    return 100 * error / total if total else 100.0 * (error > 0)


def normalised_sse(columns):
    return mse(columns) / len(columns)


def squared_distances(columns):
    return [math.fsum(d * d for d in row) for row in zip(*[differences(c, "range") for c in columns], strict=True)]


def mse(columns):
    return statistics.fmean(squared_distances(columns))


def mae(columns):
    return statistics.fmean(math.sqrt(square) for square in squared_distances(columns))


def variation(before, after, tolerance=0.0):
    before = 0.0 if abs(before) <= tolerance else before
    after = 0.0 if abs(after) <= tolerance else after
    if before == 0:
        return float(after != 0)
    return abs(before - after) / abs(before)


def mean_of(values):
    return values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)


def covariance(a, b):
    mean_a, mean_b = mean_of(a), mean_of(b)
    return math.fsum((p - mean_a) * (q - mean_b) for p, q in zip(a, b, strict=True)) / max(len(a) - 1, 1)


def correlation(a, b):
    scale = deviation(a) * deviation(b)
    return covariance(a, b) / scale if scale else 0.0


def il(columns):
    columns = [column for column in columns if column.kind == "numeric"]
    cells = [variation(a, b) for c in columns for a, b in zip(c.x, c.y, strict=True)]
    means = [variation(mean_of(c.x), mean_of(c.y), 1e-12 * deviation(c.x)) for c in columns]
    covariances = [
        variation(covariance(c.x, d.x), covariance(c.y, d.y), 1e-12 * deviation(c.x) * deviation(d.x))
        for c, d in itertools.combinations_with_replacement(columns, 2)
    ]
    variances = [variation(covariance(c.x, c.x), covariance(c.y, c.y)) for c in columns]
    correlations = [
        abs(correlation(c.x, d.x) - correlation(c.y, d.y)) for c, d in itertools.combinations(columns, 2)
    ] or [0.0]
    return 100 * statistics.fmean(map(statistics.fmean, (cells, means, covariances, variances, correlations)))


def il1s(columns):
    columns = [column for column in columns if column.kind in ("numeric", "date")]
    return statistics.fmean(d / math.sqrt(2) for column in columns for d in differences(column, "deviation"))


def dld(columns, zscore):
    """Link by a full scan; ``zscore`` standardises a column, so that both sides of a test round alike."""
    n = len(columns[0].x)
    order = {"numeric": 0, "date": 0, "ordinal": 1, "nominal": 2}
    columns = sorted(columns, key=lambda column: order[column.kind])
    sides = [(zscore(c.x), zscore(c.y)) if c.kind in ("numeric", "date") else (c.x, c.y) for c in columns]

    def squared(released, original):
        total = 0.0
        for column, (x, y) in zip(columns, sides, strict=True):
            if column.kind == "nominal":
                total += float(x[original] != y[released])
            elif column.kind == "ordinal":
                step = 1.0 / column.levels
                total += (y[released] * step - x[original] * step) ** 2
            else:
                total += (y[released] - x[original]) ** 2
        return total

    right = []
    for i in range(n):
        distances = [squared(i, j) for j in range(n)]
        least = min(distances)
        if distances[i] == least:
            right.append(1 / distances.count(least))
    return 100 * math.fsum(right) / n


def id(columns):
    shares = []
    for column in (c for c in columns if c.kind != "nominal"):
        n, ranked = len(column.y), sorted(column.y)
        for p in range(1, 11):
            reach = p * n // 100
            for a, b in zip(column.x, column.y, strict=True):
                first = ranked.index(b)
                last = first + ranked.count(b) - 1
                shares.append(ranked[max(first - reach, 0)] <= a <= ranked[min(last + reach, n - 1)])
    return 100 * statistics.fmean(shares)


def id_sd(columns):
    shares = []
    for column in (c for c in columns if c.kind in ("numeric", "date")):
        s = deviation(column.x)
        shares += [abs(a - b) <= p * s / 100 for p in range(1, 11) for a, b in zip(column.x, column.y, strict=True)]
    return 100 * statistics.fmean(shares)


def classes(columns):
    rows = list(zip(*[column.y for column in columns], strict=True))
    members = defaultdict(list)
    for i, row in enumerate(rows):
        members[row].append(i)
    return list(members.values())


def k_min(columns):
    return min(map(len, classes(columns)))


def k_prime(columns):
    return len(columns[0].y) / len(classes(columns))


def standardised(values):
    mean, s = mean_of(values), deviation(values)
    return [(value - mean) / s if s else 0.0 for value in values]


def d_y(columns, secrets):
    error, total = [], []
    for secret in secrets:
        continuous = secret.kind in ("numeric", "date")
        values = standardised(secret.values) if continuous else sorted_places(secret.values)
        column = Column("", secret.kind, [], [], levels=len(set(values)))
        for groups, sums in ((classes(columns), error), ([range(len(values))], total)):
            for group in groups:
                predicted = "nominal" if secret.kind == "nominal" else "numeric"
                centre = average(predicted, [values[i] for i in group])
                for i in group:
                    gap = abs(values[i] - centre) if continuous else distance(column, values[i], centre, "")
                    sums.append(gap * gap)
    return math.fsum(error) / math.fsum(total) if math.fsum(total) else 0.0


def sorted_places(values):
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]


def l_avg(columns, secrets, width=0.2):
    cells = [
        [math.floor(z / width) for z in standardised(s.values)] if s.kind in ("numeric", "date") else s.values
        for s in secrets
    ]
    return statistics.fmean(min(len({cell[i] for i in group}) for cell in cells) for group in classes(columns))


def tallies(columns, secret):
    return [Counter(secret.values[i] for i in group) for group in classes(columns)]


def l_distinct(columns, secrets):
    return min(len(tally) for secret in secrets for tally in tallies(columns, secret))


def l_entropy(columns, secrets):
    def effective(tally):
        size = tally.total()
        return math.exp(-math.fsum(c / size * math.log(c / size) for c in tally.values()))

    return min(effective(tally) for secret in secrets for tally in tallies(columns, secret))


def l_recursive(columns, secrets, c=3.0):
    def largest(tally):
        counts = sorted(tally.values(), reverse=True)
        return max([j + 1 for j in range(len(counts)) if counts[0] < c * sum(counts[j:])], default=0)

    return min(largest(tally) for secret in secrets for tally in tallies(columns, secret))


def delta_disclosure(columns, secrets):
    worst = 0.0
    for secret in secrets:
        overall = Counter(secret.values)
        for tally in tallies(columns, secret):
            for value, count in tally.items():
                ratio = (count / tally.total()) / (overall[value] / overall.total())
                worst = max(worst, abs(math.log(ratio)))
    return worst


def mutual_information(columns, secrets):
    worst = 0.0
    for secret in secrets:
        overall = Counter(secret.values)
        n = overall.total()
        terms = [
            count / n * math.log(count * n / (tally.total() * overall[value]))
            for tally in tallies(columns, secret)
            for value, count in tally.items()
        ]
        worst = max(worst, math.fsum(terms))
    return worst


def emds(columns, secret):
    values = sorted_places(secret.values)
    m, n = len(set(values)), len(values)
    found = []
    for group in classes(columns):
        p, q = Counter(values[i] for i in group), Counter(values)
        gaps = [p[v] / len(group) - q[v] / n for v in range(m)]
        if secret.kind == "nominal":
            found.append(sum(map(abs, gaps)) / 2)
        else:
            found.append(sum(map(abs, itertools.accumulate(gaps))) / (m - 1) if m > 1 else 0.0)
    return found


def emd_max(columns, secrets):
    return max(max(emds(columns, secret)) for secret in secrets)


def emd_avg(columns, secrets):
    return max(statistics.fmean(emds(columns, secret)) for secret in secrets)
