"""How few subjects a sum is about, beside trying every set of subjects."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from shoal.republish import sums
from shoal.republish.sums import fewest_in_a_sum


def spanned(histories):
    """Return the dimension of what the values of some histories span."""
    values = [[float(one == value) for one in history] for history in histories for value in set(history) - {-1}]
    return int(np.linalg.matrix_rank(np.array(values))) if values else 0


def slowly(counted, k):
    """Take every set of histories away, and look whether the others span less."""
    everything = spanned([history for history, _ in counted])
    parts = itertools.chain.from_iterable(itertools.combinations(counted, n) for n in range(1, len(counted) + 1))
    found = [
        sum(count for _, count in gone)
        for gone in parts
        if spanned([history for history, count in counted if (history, count) not in gone]) < everything
    ]
    return min([k, *found])


def drawn(rng):
    """Draw histories: few values, so that many come back to an earlier one, and gaps in every other."""
    observed = rng.choice([1.0, 0.8])
    releases, counts = rng.randint(2, 6), {}
    for _ in range(rng.randint(1, 7)):
        seen: dict[int, int] = {}
        values = [rng.randrange(rng.randint(1, 3)) if rng.random() < observed else -1 for _ in range(releases)]
        history = tuple(value if value < 0 else seen.setdefault(value, len(seen)) for value in values)
        counts[history] = counts.get(history, 0) + rng.randint(1, 3)
    return tuple(counts.items())


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_what_trying_all_finds(seed):
    rng, below = random.Random(seed), 0
    for _ in range(40):
        counted, k = drawn(rng), rng.randint(2, 6)
        found = fewest_in_a_sum(counted, k)
        assert found == slowly(counted, k)
        below += found < k
    assert 0 < below < 40


def test_what_is_not_decided_in_time_counts_as_too_few(monkeypatch):
    counted = tuple(((0, *(int(place == moved) for place in range(6))), 2) for moved in range(6))
    assert fewest_in_a_sum(counted, 3) == slowly(counted, 3) == 2
    enough = tuple((history, 3) for history, _ in counted)
    assert fewest_in_a_sum(enough, 3) == 3
    monkeypatch.setattr(sums, "_MOST_WORK", 1)
    fewest_in_a_sum.cache_clear()
    assert fewest_in_a_sum(counted, 5) < 5
    fewest_in_a_sum.cache_clear()


BOTH_MUST_GO = (((0, 0, 0), 5), ((0, 1, 1), 1), ((0, -1, -1), 1), ((0, 0, 1), 1), ((0, 0, -1), 1))


@pytest.mark.parametrize(
    ("histories", "k", "work", "fewest"),
    [
        (tuple(((0, *(int(place == moved) for place in range(6))), 2) for moved in range(6)), 3, 105, 2),
        (BOTH_MUST_GO, 4, 63, 2),
        (tuple((history, 2) for history, _ in BOTH_MUST_GO), 5, 87, 4),
    ],
)
def test_a_search_looks_at_so_many_numbers_and_no_more(monkeypatch, histories, k, work, fewest):
    search = fewest_in_a_sum.__wrapped__  # remembers nothing
    assert slowly(histories, k) == fewest
    monkeypatch.setattr(sums, "_MOST_WORK", work)
    assert search(histories, k) == fewest
    monkeypatch.setattr(sums, "_MOST_WORK", work - 1)
    assert search(histories, k) < fewest
    monkeypatch.setattr(sums, "_MOST_WORK", -1)
    assert search(histories, k) == 0


def test_spans_are_reckoned_where_a_factor_is_two():
    histories = (((-1, 0, 0, -1), 2), ((0, 0, -1, -1), 3), ((-1, 0, -1, 0), 2), ((0, -1, 0, 0), 3))
    assert fewest_in_a_sum(histories, 5) == slowly(histories, 5) == 2
