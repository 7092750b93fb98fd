"""Page one of a report: built once, and drawn as text, as Markdown and as HTML."""

from shoal.report.summary.summary import Kept, Promise, Summary, Tried, Verdict

__all__ = ["Kept", "Promise", "Summary", "Tried", "Verdict"]
