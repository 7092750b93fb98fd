"""Page one as an element of HTML, as it stands in a report, and in a notebook."""

from __future__ import annotations

from shoal.report.markup import Markup, render
from shoal.report.summary import Summary, words

BEHIND = {"information lost": "measures", "means and shares": "distributions", "relations": "correlations"}
"""The section of a report that a number of what analysts keep rests on."""


def page_one(summary: Summary) -> Markup:
    """Return page one by itself."""
    return render("report/summary.html", summary=summary, words=words, behind=BEHIND, sections=(), remedies={})
