"""Partitioners: points and a minimum group size in, the group of each record out."""

from shoal.callable_room import make_callable
from shoal.partition._blocked import blocked
from shoal.partition._blocks import block_count, blocks, make_blocks
from shoal.partition._cells import cells
from shoal.partition._individual import individual
from shoal.partition._mdav import mdav
from shoal.partition._mic1d import mic1d
from shoal.partition._mondrian import mondrian
from shoal.partition._partition import partition
from shoal.partition._projected import projected
from shoal.partition._univariate import univariate
from shoal.partition._vmdav import vmdav
from shoal.partition.method import Method
from shoal.partition.registry import METHODS

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

make_callable(__name__)
