"""A report as files: HTML, or Markdown with page one alone, and JSON beside it."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import PlanError
from shoal.files import Outputs
from shoal.files.private import Privacy
from shoal.report.report_data import ReportData
from shoal.report.summary.summary import Edition

_MARKDOWN = ".md"


def report_paths(output: str) -> tuple[str, str]:
    """Return where the HTML (or Markdown) and the JSON of a report go."""
    path = Path(output)
    if path.suffix.lower() not in (".html", ".htm", _MARKDOWN):
        raise PlanError(
            f"a report is an HTML file, or Markdown with page one alone, so its name must end in .html or .md, not "
            f"{output!r}"
        )
    return output, str(path.with_suffix(".json"))


def stage_report(outputs: Outputs, target: tuple[str, str], report: ReportData, *, private: bool = False) -> None:
    """Add a report to the files that are about to appear together; ``private`` ones for their owner alone."""
    # The external edition is made to travel with the release; the internal one tells of the original.
    readers: Privacy = private or ("where possible" if report.edition is Edition.INTERNAL else False)
    is_markdown = Path(target[0]).suffix.lower() == _MARKDOWN
    outputs.text(target[0], report.summary.markdown if is_markdown else report.to_html(), private=readers)
    outputs.text(target[1], report.to_json(), private=readers)
