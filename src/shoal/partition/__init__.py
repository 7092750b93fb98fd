"""Partitioners: points and a minimum group size in, the group of each record out."""

from shoal.partition.blocked import blocked
from shoal.partition.blocks import blocks
from shoal.partition.individual import individual
from shoal.partition.mdav import mdav
from shoal.partition.mic1d import mic1d
from shoal.partition.projected import projected
from shoal.partition.univariate import univariate
from shoal.partition.vmdav import vmdav

__all__ = ["blocked", "blocks", "individual", "mdav", "mic1d", "projected", "univariate", "vmdav"]
