"""One run: read, preflight, group, mask, verify, manifest: a frame and a plan in, a release out."""

from shoal.giveaways import Giveaway, GiveawayError, remedied
from shoal.masking.inputs import find_problems
from shoal.republish.earlier_release import Earlier
from shoal.run._check import Check, Fate, Problem, check
from shoal.run.backends import BACKENDS, Backend
from shoal.run.manifest import versions
from shoal.run.model import Applied, Ledger, Model
from shoal.run.pipeline import anonymize
from shoal.run.release import Block, Guarantees, Manifest, Partition, Release
from shoal.run.source_parsing import parsed

__all__ = [
    "BACKENDS",
    "Applied",
    "Backend",
    "Block",
    "Check",
    "Earlier",
    "Fate",
    "Giveaway",
    "GiveawayError",
    "Guarantees",
    "Ledger",
    "Manifest",
    "Model",
    "Partition",
    "Problem",
    "Release",
    "anonymize",
    "check",
    "find_problems",
    "parsed",
    "remedied",
    "versions",
]
