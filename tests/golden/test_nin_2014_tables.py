"""Nin 2014, Tables 4 and 6: what does not depend on the data is met, and what the paper concludes holds."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.reproduce.nin_2014 import (
    ATTRIBUTES,
    BLOCKED,
    BLOCKED_KS,
    MIC1D_KS,
    anonymity_table,
    attributes_of,
    lines,
    score_table,
    similar_mic1d,
)


@pytest.fixture(scope="module")
def census(reference_data):
    frame = pl.read_csv(reference_data / "census.csv")
    return attributes_of({name: frame[name].to_numpy() for name in ATTRIBUTES})


@pytest.fixture(scope="module")
def anonymity_rows(census):
    return anonymity_table(census)


def test_every_way_that_the_paper_compares_is_there(anonymity_rows):
    assert len(anonymity_rows) == 2 * (len(BLOCKED) * len(BLOCKED_KS) + len(MIC1D_KS))


def test_within_a_block_mdav_keeps_the_k_that_the_paper_prints(anonymity_rows):
    for row in anonymity_rows:
        if row.method == "MDAV":
            assert row.k_primes[0] == pytest.approx(row.published[1], abs=0.005)


def test_blocks_lose_their_k_to_an_intruder_who_knows_attributes_of_two_or_three(anonymity_rows):
    for row in anonymity_rows:
        if row.method in BLOCKED:
            one, two, three = row.k_primes
            assert one >= row.k
            assert row.k > two > three >= 1


def test_at_similar_sse_mic1d_leaves_more_records_alike_than_every_blocked_method(census, anonymity_rows):
    for row in anonymity_rows:
        if row.method in BLOCKED:
            sse, (_, two, three), _ = similar_mic1d(census, row.sse, row.blocks)
            assert row.sse / 2 < sse <= row.sse
            assert two > row.k_primes[1]
            assert three > row.k_primes[2]


def test_mic1d_3000_does_so_at_less_sse_than_all_but_the_smallest_k_of_mdav(anonymity_rows):
    for blocks in ("correlated", "non-correlated"):
        rows = [row for row in anonymity_rows if row.blocks == blocks]
        mixed = next(row for row in rows if row.k == 3000)
        others = [row for row in rows if row.method in BLOCKED and (row.method, row.k) != ("MDAV", 5)]
        for row in others:
            assert mixed.sse < row.sse
            assert mixed.k_primes[1] > row.k_primes[1]
            assert mixed.k_primes[2] > row.k_primes[2]


def test_mic1d_does_not_look_at_blocks_and_trades_loss_for_anonymity(anonymity_rows):
    mixed = {(row.blocks, row.k): row for row in anonymity_rows if row.method == "Mic1D"}
    for k in MIC1D_KS:
        assert mixed["correlated", k].sse == mixed["non-correlated", k].sse
    for blocks in ("correlated", "non-correlated"):
        small, middle, large = (mixed[blocks, k] for k in MIC1D_KS)
        assert small.sse < middle.sse < large.sse
        assert all(a < b < c for a, b, c in zip(small.k_primes, middle.k_primes, large.k_primes, strict=True))


def test_scores_over_all_sets_of_attributes(census):
    calls = []
    rows = score_table(census, progress=lambda *call: calls.append(call))
    assert calls[-1] == (24, 24)
    for row in rows:
        assert row.score == pytest.approx(0.5 * row.il + 0.25 * row.dld + 0.25 * row.id)
    # Larger groups, fewer links; k decides, as in the paper.
    for blocks in ("correlated", "non-correlated"):
        for method in (*BLOCKED, "Mic1D"):
            linked = [row.dld for row in rows if row.blocks == blocks and row.method == method]
            assert linked == sorted(linked, reverse=True)
    text = [line for line in lines(rows) if line]
    assert len(text) == 26
    assert text[2].startswith("| correlated | MDAV | 5 | ")
    assert "(41.79) |" in text[2]


def test_the_page_on_one_dimension_shows_the_reproduced_figures():
    docs = Path(__file__).parents[2] / "docs"
    shown, made = (
        [
            line
            for line in (docs / page).read_text().splitlines()
            if line.startswith(("| correlated", "| non-correlated"))
        ]
        for page in ("one-dimension.md", "reproduction.md")
    )
    assert len(shown) == 24 + 18 + 24
    assert shown == made
