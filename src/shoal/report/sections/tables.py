"""Sections of facts and tables: numbers, attacks, columns, recoding, population, riskiest classes, provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.report.data import ReportData
from shoal.report.markup import Markup, element, join, quantity, table
from shoal.report.summary.words import percent

MOST_SHOWN = 8
"""Columns of the riskiest classes that a page has room for, on paper too."""


def facts(data: ReportData) -> Markup:
    """Show the numbers that people ask for first."""
    return element(
        "dl",
        *(
            element(
                "div",
                element("dt", fact.name),
                element("dd", quantity(fact.value, prefix="≤ " if fact.at_most else "", unit=fact.unit)),
            )
            for fact in data.facts
        ),
        class_="facts",
    )


def attempts(data: ReportData) -> Markup:
    """Show every attack with its definition, its interval and where it is published."""
    intro = element(
        "p",
        "Each attack was tried on the released table, against the persons in it. The interval is that of the "
        "difference between success and guessing: an attack that does no better than guessing has 0 inside.",
    )
    return join([intro, element("dl", *map(_attempt, data.attempts), class_="attempts")])


def _attempt(found: Mapping[str, Any]) -> Markup:
    base, interval = found["baseline"], found["interval"]
    attribute = f": {found['attribute']}" if "attribute" in found else ""
    some = f", a sample of {found['of']:,}" if found["sampled"] else ""
    sentence = (
        f"Worked against {percent(found['rate'])} of {found['tried']:,} {found['counted']}{some}; guessing "
        f"({base['how'] or base['from']}) {percent(base['rate'])}; difference {percent(found['difference'])}, "
        f"{100 * interval['level']:g} % interval {percent(interval['low'])} to {percent(interval['high'])} "
        f"({interval['method']})."
    )
    worst = [] if found["worst"] is None else [f" The best chance against anybody is {percent(found['worst'])}"]
    if worst:
        worst.append("." if found["allowed"] is None else f"; the promise allows {percent(found['allowed'])}.")
    return element(
        "div",
        element("dt", f"{found['title']}{attribute}", " ", element("code", found["attack"])),
        element("dd", sentence, *worst),
        element("dd", found["definition"], " ", element("small", found["reference"]), class_="definition"),
    )


def columns(data: ReportData) -> Markup:
    """Show what each column is, and what was done with it."""
    return table(
        ("column", "role", "kind", "in the release"),
        ((row.name, row.role.replace("_", "-"), row.kind, row.treatment) for row in data.attributes),
        class_="roles",
    )


def recoding(data: ReportData) -> Markup:
    """Show what was made coarser before records were compared; to how many cells, where that is told."""
    coarser = "These columns were made coarser before records were compared."
    if all(row.cells is None for row in data.recoding):
        rows = ((row.column, row.what) for row in data.recoding)
        return join([element("p", coarser), table(("column", "what was done"), rows)])
    intro = element(
        "p",
        f"{coarser} What that lost is counted in the measures, which compare with the original; the last column says "
        "how much of a column's information it is by itself.",
    )
    counted = (
        (row.column, row.what, row.cells, row.of, "" if row.lost is None else quantity(row.lost, unit="%"))
        for row in data.recoding
    )
    head = ("column", "what was done", "cells changed", "of", "lost by it")
    return join([intro, table(head, counted, right=(2, 3, 4))])


def population(data: ReportData) -> Markup:
    """Show estimates of the population before and after."""
    intro = element(
        "p",
        "What the table says of the people whom its records stand for, by their sampling weights, before and after. Of "
        "categories the shares that moved most are listed.",
    )
    rows = ((row.column, row.estimate, row.before, row.after) for row in data.population)
    return join([intro, table(("column", "estimate", "before", "after"), rows, right=(2, 3))])


def riskiest(data: ReportData) -> Markup:
    """Show the classes that give most away, and what."""
    names = list(data.riskiest[0].values)
    shown = names[:MOST_SHOWN]
    head = ["size", "what it gives away", *shown]
    rows = [(quantity(each.size), each.why, *(each.values[name] for name in shown)) for each in data.riskiest]
    others = len(names) - len(shown)
    more = f" The JSON file has {others:,} more columns of them." if others else ""
    intro = element(
        "p",
        "The classes that give most away, worst first: those whose records share one confidential value, then those "
        "farthest from the whole table (EMD), then the smallest. Whoever knows that somebody is in one of them learns "
        f"what stands beside it; its released values say which class it is.{more}",
    )
    return join([intro, table(head, rows)])


def provenance(data: ReportData) -> Markup:
    """Show where the release comes from."""
    return table(("", ""), data.provenance, class_="facts-list")
