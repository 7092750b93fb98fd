"""Attacks on a release: what is tried, how often it works, how often guessing works, and what the promise allows."""

from __future__ import annotations

from shoal.attack._attack import attack, attack_measures, attack_release
from shoal.attack.attempt import Attempt, Attempts
from shoal.attack.definition import Attack
from shoal.attack.material import Material
from shoal.attack.outcome import Baseline, Outcome
from shoal.attack.registry import ATTACKS
from shoal.callable_room import make_callable

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

make_callable(__name__)
