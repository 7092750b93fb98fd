"""Artificial attributes with weights: what a partitioner should also look at besides the quasi-identifiers."""

from shoal.steer._buckets import bucket_count, buckets, number_buckets, separating_weight
from shoal.steer.steering import Steering, column, dependence, position

__all__ = [
    "Steering",
    "bucket_count",
    "buckets",
    "column",
    "dependence",
    "number_buckets",
    "position",
    "separating_weight",
]
