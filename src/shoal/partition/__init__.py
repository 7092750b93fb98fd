"""Partitioners: points and a minimum group size in, the group of each record out."""

from shoal.partition.mdav import mdav
from shoal.partition.univariate import univariate
from shoal.partition.vmdav import vmdav

__all__ = ["mdav", "univariate", "vmdav"]
