"""Attacks on a release: what is tried, how often it works, how often guessing works, and what the promise allows."""

from __future__ import annotations

from shoal.attacks._attack import attack, attack_measures, attack_release
from shoal.attacks.attempt import Attempt, Attempts
from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.material import Material
from shoal.attacks.registry import ATTACKS

__all__ = [
    "ATTACKS",
    "Attack",
    "Attempt",
    "Attempts",
    "Baseline",
    "Material",
    "Outcome",
    "attack",
    "attack_measures",
    "attack_release",
]
