"""What several records of one subject give away together, by sets and products."""

from __future__ import annotations

import math


def left_after_intersection(classes, subjects) -> dict:
    """Return for each subject how many are in all classes that it is in."""
    members: dict = {}
    for number, who in zip(classes, subjects, strict=True):
        members.setdefault(number, set()).add(who)
    own: dict = {}
    for number, who in zip(classes, subjects, strict=True):
        own[who] = own.get(who, members[number]) & members[number]
    return {who: len(others) for who, others in own.items()}


def chance_to_be_found(classes, subjects) -> dict:
    """Return for each subject the chance that a guess in one of its classes is right."""
    members: dict = {}
    for number, who in zip(classes, subjects, strict=True):
        members.setdefault(number, set()).add(who)
    return {
        who: 1 - math.prod(1 - 1 / len(others) for others in members.values() if who in others) for who in set(subjects)
    }
