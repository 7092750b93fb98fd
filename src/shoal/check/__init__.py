"""Guarantees, checked on the released table itself: the partition is not trusted."""

from shoal.check.giveaways import find_giveaways
from shoal.check.guarantees import check_guarantees, released_classes

__all__ = ["check_guarantees", "find_giveaways", "released_classes"]
