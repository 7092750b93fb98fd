"""The partitioning methods a plan can name: a new one is a file of this room and a line here."""

from __future__ import annotations

from shoal.partitioners._cells import CELLS
from shoal.partitioners._individual import INDIVIDUAL
from shoal.partitioners._mdav import MDAV
from shoal.partitioners._mic1d import MIC1D
from shoal.partitioners._projected import PROJECTED
from shoal.partitioners._univariate import UNIVARIATE
from shoal.partitioners._vmdav import VMDAV
from shoal.registry import Registry

METHODS = Registry("method", (MDAV, VMDAV, CELLS, PROJECTED, UNIVARIATE, INDIVIDUAL, MIC1D))
"""Name to method: ``METHODS.register(method)`` lets plans name another one."""


def nominal_methods() -> str:
    """Return the names of the methods that take nominal attributes, for messages."""
    *others, last = (name for name, method in METHODS.items() if method.nominal)
    return f"{', '.join(others)} or {last}"
