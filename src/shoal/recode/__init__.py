"""Recoding: what is made coarser before records are compared, a line of the column in the plan each."""

from shoal.recode._recode_table import Recoded, Step, recode_table
from shoal.recode.clip import Clip
from shoal.recode.rare import Rare
from shoal.recode.recoding import Recoding
from shoal.recode.registry import RECODINGS

__all__ = ["RECODINGS", "Clip", "Rare", "Recoded", "Recoding", "Step", "recode_table"]
