"""The ways to closeness that a plan can name: a new one is a file of this room and a line here."""

from __future__ import annotations

from shoal.constrain._k_first import K_FIRST
from shoal.constrain._merge import MERGE
from shoal.constrain._steered import STEERED
from shoal.constrain._t_first import T_FIRST
from shoal.registry import Registry

WAYS = Registry("way to closeness", (T_FIRST, K_FIRST, MERGE, STEERED))
"""Name to way, the default first."""
