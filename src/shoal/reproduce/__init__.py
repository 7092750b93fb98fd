"""The papers' tables and figures, a folder for each paper: functions that return rows, and the exhibits they make."""

from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.exhibits import EXHIBITS
from shoal.reproduce.reference import Reference

__all__ = ["EXHIBITS", "Exhibit", "Reference"]
