"""The partitioning methods a plan can name: a new one is a file of this room and a line here."""

from __future__ import annotations

from shoal.partition._cells import CELLS
from shoal.partition._individual import INDIVIDUAL
from shoal.partition._mdav import MDAV
from shoal.partition._mic1d import MIC1D
from shoal.partition._projected import PROJECTED
from shoal.partition._univariate import UNIVARIATE
from shoal.partition._vmdav import VMDAV
from shoal.registry import Registry

METHODS = Registry("method", (MDAV, VMDAV, CELLS, PROJECTED, UNIVARIATE, INDIVIDUAL, MIC1D))
"""Name to method: ``METHODS.register(method)`` lets plans name another one."""


def nominal_methods() -> str:
    """Return the names of the methods that take nominal attributes, for messages."""
    *others, last = (name for name, method in METHODS.items() if method.nominal)
    return f"{', '.join(others)} or {last}"
