"""Two originals of one release: what external readers see must not tell them apart, beyond the steps it promises.

A release is made first, as any tool could have made it (`fuzz.classes_drawn`): classes, their means, the categories
that stand for them, persons with pseudonyms. Then two originals are drawn from all that it leaves open, near to what
was released or as far from it as can be. The external editions of both must be the same, but for shares of the original
and the variance lost, in the columns where these are told; and what is told there must leave each class all that the
release alone leaves it (`fuzz.outsider`).
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from fuzz.classes_drawn import Case, make
from fuzz.judging import Found
from fuzz.outsider import Column, said_too_much, tells_shares
from shoal.report import assess, collect

Edition = dict[str, Any]
"""The JSON of a report."""


def trouble(seed: int, edition: str = "external") -> Found:
    """Report on a release beside two originals, and compare what is seen."""
    case, dice = make(seed), random.Random(seed)
    one = case.original(dice)
    other = case.with_one_class_anew(one, dice) if dice.random() < 0.5 else case.original(dice)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts = dice.random() < 0.02  # which take a second
        seen = [_seen(case, frame, edition, charts=charts) for frame in (one, other)]
    wrong = list(judge(case.columns, case.plan.k, *seen))
    told = any(_is_told(each) for written, _ in seen for each in json.loads(written)["distributions"])
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}\n{case.plan.to_toml()}" if wrong else "", taken=told)


Seen = tuple[str, tuple[str, ...]]
"""The JSON that a reader gets, and everything else."""


def _seen(case: Case, original: pl.DataFrame, edition: str, *, charts: bool) -> Seen:
    release = assess(original, case.released, case.plan)
    tried = None if len(original) < 200 else ["none"]  # attacks take long, and are named alone
    found = collect(original, release, case.plan, edition=edition, name="a.csv", attacks=tried)
    pages = found.summary.text, found.summary.markdown, found.to_html() if charts else ""
    return found.to_json(), pages


def judge(columns: Mapping[str, Column], k: int, one: Seen, other: Seen) -> Iterator[str]:
    """Say what in two editions tells their originals apart, or tells of one class.

    Parameters
    ----------
    columns, k
        The released columns of which shares and the variance may be told, of no others, and what was promised.
    one, other
        What is seen with each original.
    """
    editions = [json.loads(written) for written, _ in (one, other)]
    if one[0] == other[0] and one[1] != other[1]:
        yield "the pages differ, and the JSON does not"
    told = {each["name"] for edition in editions for each in edition["distributions"] if _is_told(each)}
    first, second = (_without(edition, told & set(columns)) for edition in editions)
    yield from (f"{where} differs" for where in _differences(first, second))
    yield from (f"{name}: its original is told of" for name in sorted(told - set(columns)))
    yield from (f"{name}: other categories are joined" for name in told if len(_named(columns, editions, name)) > 1)
    for edition in editions:
        for each in edition["distributions"]:
            if _is_told(each) and (column := columns.get(each["name"])) is not None:
                yield from said_too_much(each, column, max(10, k, -(-sum(column.sizes) // 100)))


def _named(columns: Mapping[str, Column], editions: Sequence[Edition], name: str) -> set[frozenset[str]]:
    """Return which categories of the release each edition shows by themselves: these follow from the release alone."""
    shown = [each["bins"] for edition in editions for each in edition["distributions"] if each["name"] == name]
    known = set(columns[name].values) if name in columns else set()
    return {frozenset(cell["label"] for cell in cells if cell["label"] in known) for cells in shown}


def _is_told(distribution: dict[str, Any]) -> bool:
    return distribution["changed"] and (bool(distribution["summary"]) or tells_shares(distribution))


def _without(edition: Edition, told: set[str]) -> Edition:
    """Leave out what may differ: what is told of the original of some columns, and the bound that follows from it."""
    rest = dict(edition)
    rest["distributions"] = [each for each in edition["distributions"] if each["name"] not in told]
    if told:
        rest["scores"] = [row for row in edition["scores"] if row["key"] != "il_percent"]
        rest["facts"] = [fact for fact in edition["facts"] if fact["name"] != "information lost"]
        kept = [each for each in edition["summary"]["kept"] if each["name"] != "information lost"]
        rest["summary"] = {**edition["summary"], "kept": kept}
    return rest


def _differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _differences(one[key], other[key], f"{where}.{key}" if where else key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _differences(a, b, f"{where}[{place}]")
    elif one != other:
        yield f"{where} ({str(one)[:80]} and {str(other)[:80]})"
