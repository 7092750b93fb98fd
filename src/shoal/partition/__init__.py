"""Partitioners: points and a minimum group size in, the group of each record out."""

from shoal.partition.mdav import mdav

__all__ = ["mdav"]
