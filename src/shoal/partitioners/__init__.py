"""Partitioners: points and a minimum group size in, the group of each record out."""

from shoal.partitioners._blocks import block_count, blocked, blocks, make_blocks
from shoal.partitioners._cells import cells
from shoal.partitioners._individual import individual
from shoal.partitioners._mdav import mdav
from shoal.partitioners._mic1d import mic1d
from shoal.partitioners._mondrian import mondrian
from shoal.partitioners._partition import partition
from shoal.partitioners._projected import projected
from shoal.partitioners._univariate import univariate
from shoal.partitioners._vmdav import vmdav
from shoal.partitioners.method import Method
from shoal.partitioners.registry import METHODS

__all__ = [
    "METHODS",
    "Method",
    "block_count",
    "blocked",
    "blocks",
    "cells",
    "individual",
    "make_blocks",
    "mdav",
    "mic1d",
    "mondrian",
    "partition",
    "projected",
    "univariate",
    "vmdav",
]
