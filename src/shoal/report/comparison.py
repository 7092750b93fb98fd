"""A comparison as a page: the map of risk and loss, and the table of the plans."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.comparison import Run
from shoal.comparison.tables import problems_of
from shoal.comparison.tradeoff import largest_weight, weight_trade_offs
from shoal.report.charts import risk_utility_map, trade_off_chart
from shoal.report.html import page
from shoal.report.markup import Markup, element, join, quantity, table
from shoal.report.sections.figures import drawing
from shoal.report.wording import plural


def comparison_page(
    runs: Sequence[Run],
    front: Sequence[bool],
    *,
    axes: tuple[str, str],
    picked: Run | None,
    name: str,
    k: int,
    unseen: Sequence[str] = (),
) -> str:
    """Return the comparison as a self-contained HTML page.

    Parameters
    ----------
    runs, front
        Results, and which of them no other beats.
    axes
        The measures of risk and of utility.
    picked
        The run that was picked, if any.
    name
        What to call the table.
    k
        The plan's k, for weights of dependence where k was not tried.
    unseen
        What measures did not see, in sentences.
    """
    title = f"Plans for {name}"
    body = element(
        "main",
        element(
            "header", element("h1", f"Plans for {name}"), element("p", _sentence(runs, front, axes), class_="lead")
        ),
        element("section", element("h2", "Risk and loss"), _map(runs, front, axes, picked), id="map"),
        *_weights(runs, k),
        element("section", element("h2", "The plans"), _table(runs, front, axes, picked), *_unseen(unseen), id="plans"),
    )
    return page(title, body)


def _sentence(runs: Sequence[Run], front: Sequence[bool], axes: tuple[str, str]) -> str:
    failed = sum(bool(run.problem) for run in runs)
    impossible = f" {plural(failed, 'plan')} could not be carried out." if failed else ""
    return (
        f"{plural(len(runs), 'plan')} on one map. No other plan beats the {sum(front)} on the dashed line in "
        f"{axes[0]} and {axes[1]} at once; the numbers at the points are those of the table.{impossible}"
    )


def _map(runs: Sequence[Run], front: Sequence[bool], axes: tuple[str, str], picked: Run | None) -> Markup:
    if not any(axes[0] in run.scores and axes[1] in run.scores for run in runs):
        return element("p", "No plan could be measured by both.")
    ring = "" if picked is None else f" The ring marks the plan that was picked: {picked.name}."
    hollow = "" if all(run.holds for run in runs) else " Hollow points do not guarantee k."
    return element(
        "figure",
        drawing(risk_utility_map(runs, front, axes=axes, picked=picked)),
        element(
            "figcaption",
            "Every point is a plan: to the right it loses more, upward it gives more away. Under the pointer it says "
            f"what it is, and a click leads to its line in the table.{hollow}{ring}",
        ),
    )


def _weights(runs: Sequence[Run], k: int) -> list[Markup]:
    """Draw what the weights of dependence cost and bring, where some were tried."""
    parts = []
    for words, rows in weight_trade_offs(runs, k).items():
        sizes = sorted({row.k for row in rows})
        picks = [(quantity(size), *(quantity(largest_weight(rows, p, k=size)) for p in BUDGETS)) for size in sizes]
        parts += [
            *([element("h3", words)] if words else []),
            element(
                "figure",
                drawing(trade_off_chart(rows)),
                element(
                    "figcaption",
                    "Every dot is a weight λ of dependence. More weight costs the quasi-identifiers (D_X) and keeps "
                    "what they tell of the confidential side (D_Y); it also makes a group's confidential values more "
                    "alike (ℓ_avg), for analysts and intruders.",
                ),
            ),
            element("p", "The largest weight that costs at most so many percent of D_X:"),
            table(("k", *(f"{percent} %" for percent in BUDGETS)), picks),
        ]
    return [element("section", element("h2", "Weights of dependence"), *parts, id="weights")] if parts else []


def _table(runs: Sequence[Run], front: Sequence[bool], axes: tuple[str, str], picked: Run | None) -> Markup:
    paths = list(dict.fromkeys(path for run in runs for path in run.choices))
    keys = [key for key in dict.fromkeys((*axes, *_KEYS)) if any(key in run.scores for run in runs)]
    rows = []
    for number, (run, best) in enumerate(zip(runs, front, strict=True), 1):
        marks = [("picked", run is picked), ("front", best), ("not possible", run.problem)]
        remarks = [mark for mark, holds in [*marks, ("k not guaranteed", not run.holds)] if holds]
        choices = [str(run.choices.get(path, "")) for path in paths]
        scores = [quantity(run.scores.get(key)) for key in keys]
        rows.append((element("span", quantity(number), id=f"plan-{number}"), *choices, *scores, ", ".join(remarks)))
    problems = [
        element("li", f"{', '.join(map(str, numbers))}: {problem}") for problem, numbers in problems_of(runs).items()
    ]
    listed = [element("h3", "Why some were not possible"), element("ul", *problems)] if problems else []
    return join([table(("", *paths, *keys, ""), rows), *listed])


def _unseen(sentences: Sequence[str]) -> list[Markup]:
    """Say what the measures of the table did not see: a plan that is best by one of them may lose the rest."""
    if not sentences:
        return []
    return [element("h3", "Columns that a measure does not see"), element("ul", *(element("li", s) for s in sentences))]


BUDGETS = (5, 10, 20)
"""Percents of D_X that a weight of dependence may cost."""

_KEYS = ("k_min", "emd_max", "dld", "id", "il_percent", "il", "score")
"""Measures that the page shows beside its axes: a table of all of them is in the CSV."""
