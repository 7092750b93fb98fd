"""Reports: the evidence a person signs, as HTML and JSON."""

from shoal.measure import assess
from shoal.report._collect import collect
from shoal.report.data import ReportData
from shoal.report.edition import Edition

__all__ = ["Edition", "ReportData", "assess", "collect"]
