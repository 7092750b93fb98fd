"""Ways to reach a guarantee on confidential attributes: merging, k-anonymity first, t-closeness first, steering."""

from shoal.constrain._k_first import k_first
from shoal.constrain._merge import merge, repair
from shoal.constrain._steered import steered
from shoal.constrain._t_first import t_first
from shoal.constrain.registry import WAYS
from shoal.constrain.way import Way
from shoal.protect import emd

__all__ = ["WAYS", "Way", "emd", "k_first", "merge", "repair", "steered", "t_first"]
