"""Guarantees, checked on the released table itself: the partition is not trusted."""

from shoal.check.guarantees import check_guarantees, released_classes

__all__ = ["check_guarantees", "released_classes"]
