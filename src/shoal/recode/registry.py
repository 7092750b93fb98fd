"""Every recoding by the key that asks for it, in the order in which they are applied."""

from __future__ import annotations

from operator import attrgetter

from shoal.recode.clip import Clipping
from shoal.recode.rare import MergingRare
from shoal.recode.recoding import Recoding
from shoal.recode.relative import Relative
from shoal.recode.round_to import Rounding
from shoal.registry import Registry

RECODINGS: Registry[Recoding] = Registry(
    "recoding",
    # A bound holds for what leaves, so a column is cut off after it was rounded.
    (Relative(), Rounding(), Clipping(), MergingRare()),
    name=attrgetter("key"),
)
"""Every recoding by the key that asks for it, in the order in which they are applied to a column.

The key is a field of `shoal.plan.attribute.Attribute`, with the options of the recoding as its type.
"""
