"""Cards: results as a notebook shows them, small, in the colours of the report, by light and in the dark.

A card shows what the text of a result shows, and no value of a record: measures and counts of the release alone, in
the notebook of somebody who has both tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from typing import Any

from shoal.attacks import Attempts
from shoal.comparison import Comparison
from shoal.comparison.exports import distinct_names, rows_of
from shoal.errors import counted, sentence
from shoal.measures import Scores
from shoal.plan import Plan
from shoal.report.common_sections import attribute_rows
from shoal.report.markup import Markup, fill, join, quantity, render, table
from shoal.report.summary import Summary
from shoal.report.summary.renderers import as_html
from shoal.run._check import Check
from shoal.run.release import Guarantees, Release

MOST_ROWS = 40
"""Rows of a table on a card; the others are counted."""


def card(result: Any) -> str:
    """Return a result as a small element of HTML with its own style.

    Examples
    --------
    >>> plan = Plan(k=5, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> "quasi-identifier" in card(plan)
    True
    """
    draw = next(draw for kind, draw in _CARDS if isinstance(result, kind))
    return render("report/card.html", style=Markup(_STYLE), parts=list(draw(result)))


def _plan(plan: Plan) -> Iterable[Markup]:
    asked = ", ".join(f"{name} = {value}" for name, value in _choices(plan))
    yield _head("Plan", asked)
    rows = [(each.name, each.role.replace("_", "-"), each.kind, each.treatment) for each in attribute_rows(plan)]
    yield _rows(("column", "role", "kind", "what happens"), rows)


def _choices(plan: Plan) -> Iterable[tuple[str, Any]]:
    """Yield the choices of a plan that are single values; sections by their keys."""
    values = {"k": plan.k, "method": plan.method, **plan.to_dict()}
    for name, value in values.items():
        if name in ("version", "attributes", "compare", "about"):
            continue
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items() if not isinstance(inner, dict | list))
        elif not isinstance(value, list):
            yield name, value


def _release(release: Release) -> Iterable[Markup]:
    # Counted in the manifest: a release on a cluster has no labels here.
    records, groups = release.manifest["output"]["rows"], release.manifest["groups"]["count"]
    yield _head("Release", f"{records:,} records in {groups:,} groups")
    yield from _guaranteed(release.guarantees)
    if len(release.rows) and release.manifest.get("order", {}).get("shuffled"):
        yield _note("Rows are shuffled: release.rows says where each of them stood.")
    yield from _warnings([giveaway.sentence for giveaway in release.giveaways])


def _guarantees(guarantees: Guarantees) -> Iterable[Markup]:
    verdict = "everything that was asked holds" if guarantees.holds else "not everything that was asked holds"
    yield _head("Guarantees", verdict, good=guarantees.holds)
    yield from _guaranteed(guarantees)


def _guaranteed(guarantees: Guarantees) -> Iterable[Markup]:
    rows = [
        (
            _verdict(f"{'✓' if each.holds else '✗'} {each.name.replace('_', ' ')}", good=each.holds),
            quantity(each.achieved),
            quantity(each.asked),
            sentence(each.definition),
        )
        for each in guarantees.values()
    ]
    yield _rows(("guarantee", "reached", "asked", "what it says"), rows)


def _scores(scores: Scores) -> Iterable[Markup]:
    yield _head("Scores", f"{len(scores)} measure{'' if len(scores) == 1 else 's'}")
    rows = [
        (
            fill('<span title="{}">{}</span>', score.definition.text, score.definition.called),
            fill("<code>{}</code>", score.key),
            quantity(score.value, unit=score.definition.unit),
            score.definition.aspect,
            f"{score.better} is better",
        )
        for score in scores.values()
    ]
    yield _rows(("measure", "key", "value", "of", ""), rows, right=(2,))


def _comparison(comparison: Comparison) -> Iterable[Markup]:
    risk, utility = comparison.axes
    yield _head("Comparison", f"{counted(len(comparison), 'plan')} by {risk} and {utility}")
    paths = distinct_names(run.choices for run in comparison)
    rows = []
    for _, run, best in rows_of(comparison):
        remark = f"not possible: {run.problem}" if run.problem else "" if run.holds else "k not guaranteed"
        rows.append(
            (
                _verdict("● front", good=True) if best else "",
                *(str(run.choices.get(path, "")) for path in paths),
                *(quantity(run.scores.get(key)) for key in comparison.axes),
                remark,
            )
        )
    yield _rows(("", *paths, risk, utility, ""), rows, right=range(1, len(paths) + 3))
    yield _note("No other plan beats those on the front in both measures at once.")


def _attempts(attempts: Attempts) -> Iterable[Markup]:
    good = attempts.within_promise if any(each.allowed is not None for each in attempts.values()) else None
    verdict = {
        None: "nothing is promised against them",
        True: "none beyond the promise",
        False: "somebody is found with a better chance than promised",
    }[good]
    yield _head("Attacks", f"{len(attempts)} tried, {verdict}", good=good)
    rows = [
        (
            fill('<span title="{}">{}</span>', each.definition, each.name),
            _percent(each.rate),
            _percent(each.baseline),
            _percent(each.allowed),
            f"{each.tried:,} {each.counted}",
        )
        for each in attempts.values()
    ]
    yield _rows(("attack", "worked", "guessing", "promise allows", "tried on"), rows, right=(1, 2, 3, 4))
    if attempts.skipped:
        reasons = join(fill("<li>{}: {}</li>", name, reason) for name, reason in attempts.skipped.items())
        yield fill("<details><summary>{} not tried</summary><ul>{}</ul></details>", len(attempts.skipped), reasons)


def _check(check: Check) -> Iterable[Markup]:
    verdict = "nothing is wrong" if check.ok else "this cannot be released"
    yield _head("Check", f"{check.records:,} records: {verdict}", good=check.ok)
    yield from _warnings([f"{problem.kind}: {problem.sentence}" for problem in check.problems])
    if check.columns:
        rows = [(each.column, each.role.replace("_", "-"), each.kind, each.what) for each in check.columns]
        yield _rows(("column", "role", "kind", "what happens"), rows)
    yield from map(_note, check.forecast)


def _head(title: str, words: str, *, good: bool | None = None) -> Markup:
    styled = words if good is None else _verdict(words, good=good)
    return fill('<p class="head"><strong>{}</strong> <span class="words">{}</span></p>', title, styled)


def _note(text: str) -> Markup:
    return fill('<p class="note">{}</p>', text)


def _verdict(words: str, *, good: bool) -> Markup:
    return fill('<span class="{}">{}</span>', "good" if good else "bad", words)


def _warnings(sentences: Sequence[str]) -> Iterable[Markup]:
    if sentences:
        yield fill('<ul class="warnings">{}</ul>', join(fill("<li>{}</li>", sentence) for sentence in sentences))


def _rows(head: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] | None = None) -> Markup:
    drawn = table(head, rows[:MOST_ROWS], right=right)
    return drawn if len(rows) <= MOST_ROWS else drawn + _note(f"and {len(rows) - MOST_ROWS} more")


def _percent(share: float | None) -> Markup:
    return Markup("–") if share is None else fill('<data value="{}">{}</data>', float(share), f"{100 * share:.1f} %")


_CARDS: tuple[tuple[type, Callable[[Any], Iterable[Markup]]], ...] = (
    (Plan, _plan),
    (Release, _release),
    (Guarantees, _guarantees),
    (Scores, _scores),
    (Comparison, _comparison),
    (Attempts, _attempts),
    (Check, _check),
    (Summary, lambda summary: [as_html(summary)]),
)
"""What each kind of result is drawn by."""

# Notebooks have themes of their own, and say so on an element above; what they say counts more than the system does.
_SHEET, _PAGE = (files("shoal.report").joinpath(name).read_text(encoding="utf-8") for name in ("card.css", "style.css"))
# The colours of the report's sheet that cards have, by light and in the dark.
_LIGHT, _DARK = (
    "".join(
        f"{name}:{value};" for name, value in re.findall(r"(--[\w-]+): ([^;]+);", block) if f"var({name})" in _SHEET
    )
    for block in re.findall(r":root \{(.*?)\}", _PAGE, re.DOTALL)
)
_STYLE = "".join(_SHEET.splitlines()).replace("LIGHT", _LIGHT).replace("DARK", _DARK)
