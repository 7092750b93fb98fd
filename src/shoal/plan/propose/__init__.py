"""Propose a plan from the columns of a table: what can be seen is decided with its reason, the rest is asked."""

from shoal.plan.propose.decide import Proposal
from shoal.plan.propose.draft import Draft, draft_of_file, draft_plan, propose
from shoal.plan.propose.patterns import WORDS, looks_like_codes
from shoal.plan.propose.profile import sample_rows

__all__ = [
    "WORDS",
    "Draft",
    "Proposal",
    "draft_of_file",
    "draft_plan",
    "looks_like_codes",
    "propose",
    "sample_rows",
]
