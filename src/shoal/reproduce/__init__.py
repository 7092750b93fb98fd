"""The papers' tables and figures, as pure functions that return their rows."""

from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.exhibits import EXHIBITS
from shoal.reproduce.reference import Reference

__all__ = ["EXHIBITS", "Exhibit", "Reference"]
