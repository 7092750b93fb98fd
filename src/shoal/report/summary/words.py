"""Words of page one that more than one drawing needs: headings, rates, who was attacked."""

from __future__ import annotations

from shoal.report.summary.summary import Edition, Kept, Promise, Summary, Tried
from shoal.report.wording import number, percent

WHAT, WHO = "What this is", "Who is in it"
PROMISED, TRIED, KEPT = "What is promised", "What was tried against it", "What analysts keep and lose"
DECIDE = "Before you sign"

ATTACK_COLUMNS = ("attack", "worked", "guessing", "promise allows", "")

EDITIONS = {
    Edition.INTERNAL: "Internal edition: it compares with the original, so keep it where the original table is kept.",
    Edition.EXTERNAL: "External edition: it may be handed out with the release.",
}

_SLIGHT = 0.001
"""Below, a number without a unit is told by this bound: nobody reads more of it."""

READING = (
    "Worked: the share of those attacked against whom the attack succeeded. Guessing: the share that the same intruder "
    "reaches without the release. Promise allows: the share that the promise leaves to anybody."
)


def attack_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Return the rows of the table of attacks, as texts."""
    return [
        (tried.name, percent(tried.rate), percent(tried.guessing), percent(tried.allowed), verdict_of(tried))
        for tried in summary.tried
    ]


def verdict_of(tried: Tried) -> str:
    """Say what came of an attack, its shape first."""
    sampled = f" (a sample of {tried.tried:,} of {tried.of:,})" if tried.tried < tried.of else ""
    return f"{tried.verdict.sign} {tried.verdict.value}{sampled}"


def figure_of(utility: Kept) -> str:
    """Write a number of what analysts keep and lose."""
    if utility.value is None:
        return utility.words
    if not utility.unit and 0 < utility.value < _SLIGHT:
        return f"under {_SLIGHT}"
    at_most = "at most " if utility.at_most else ""
    return f"{at_most}{number(utility.value, 3)}{f' {utility.unit}' if utility.unit else ''}"


def measured(promise: Promise) -> str:
    """Say what was reached and asked."""
    asked = "" if promise.asked is None else f", asked {number(promise.asked)}"
    return f"Measured on the released table: {number(promise.reached)}{asked}."


def kept_line(utility: Kept) -> str:
    """Say a number of what analysts keep and lose in one line, without its sentence."""
    words = "" if utility.value is None else f" ({utility.words})"
    return f"{utility.name}, {figure_of(utility)}{words}"
