"""Reports: the evidence a person signs, as HTML and JSON, and page one by itself."""

from shoal.measures import assess
from shoal.report._collect import collect
from shoal.report.external import external_edition
from shoal.report.report_data import ReportData
from shoal.report.summary import Summary
from shoal.report.summary.summary import Edition

__all__ = ["Edition", "ReportData", "Summary", "assess", "collect", "external_edition"]
