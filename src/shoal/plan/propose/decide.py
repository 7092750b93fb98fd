"""Decide: role and kind of a column by its cells and its name, each with the reason in a few words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.frames import MissingValue
from shoal.options import UNDECIDED
from shoal.plan.propose import column_words as words
from shoal.plan.propose import patterns
from shoal.plan.propose.profile import Profile

NEARLY_ALL = 0.95
"""The share of different values above which text names records."""

_BODY = (0.3, 350.0)
"""What people weigh, in kilograms."""


@dataclass(frozen=True)
class Proposal:
    """What a column seems to be."""

    name: str
    role: str  # `UNDECIDED` where only a person can know
    reason: str  # in a few words, with counts and never with values
    kind: str | None = None  # how two values are compared; None where nobody compares them
    order: tuple[str, ...] | None = None  # None also where the type has one
    missing_values: tuple[MissingValue, ...] = ()  # what seems to mean "no value"
    gaps: bool = False  # cells are missing
    is_weight: bool = False  # it seems to say how many a record stands for

    def declared(self) -> dict[str, Any]:
        """Return what the plan says of the column."""
        said = {
            "role": self.role,
            "kind": self.kind,
            "order": None if self.order is None else list(self.order),
            "missing_values": list(self.missing_values) or None,
        }
        return {key: value for key, value in said.items() if value is not None}


def decide(seen: Profile) -> Proposal:
    """Propose what a column is."""
    if seen.dtype in ("duration", "other"):
        return Proposal(seen.name, UNDECIDED, f"{seen.holds}: it cannot be masked, only dropped or kept")
    values = patterns.gap_candidates(seen)
    profile = patterns.without_gaps(seen, values)
    judged = _judged(profile)
    gaps = seen.rows - profile.present
    counts = f"{profile.distinct:,} distinct" + (f", {gaps:,} missing" if gaps else "")
    return replace(
        judged,
        reason=f"{counts}: {judged.reason}" if judged.reason else counts,
        missing_values=values if judged.role != "identifier" else (),
        gaps=gaps > 0,
        is_weight=judged.role != UNDECIDED and _is_weight(profile),
    )


@dataclass(frozen=True)
class _Kind:
    """A kind, why it is not the obvious one, and the order of an ordinal column of text."""

    name: str
    reason: str = ""
    order: tuple[str, ...] | None = None


def _judged(profile: Profile) -> Proposal:
    """Propose what a column is, with the reason but for its counts."""
    name = profile.name
    if profile.distinct <= 1 and profile.present in (0, profile.rows):
        return Proposal(name, "other", "no value at all" if not profile.present else "the same in every record")
    why = _names_somebody(profile)
    if why is not None:
        return Proposal(name, "identifier", why)
    if _is_weight(profile):
        # In pounds, grams or fine decimals, bodies weigh as much.
        if not profile.words & (words.SAMPLING | words.CLEAR_WEIGHTS):
            return Proposal(name, UNDECIDED, "sampling weights, or what somebody weighs?", "numeric")
        return Proposal(name, "other", "sampling weights by name and values", "numeric")
    kind = _kind(profile)
    judged = _role(profile, kind.name)
    numbers_rows = profile.uniqueness == 1 and profile.whole_numbers and profile.rows > 1
    asks = "every value differs, an identifier?" if numbers_rows and judged.role == UNDECIDED else ""
    reasons = (kind.reason, judged.reason, asks)
    return Proposal(name, judged.role, "; ".join(part for part in reasons if part), kind.name, kind.order)


def _names_somebody(profile: Profile) -> str | None:
    """Say why a column names a person, or None where it does not seem to."""
    if patterns.is_email(profile):
        return "e-mail addresses"
    if patterns.is_national_number(profile):
        return "written as national or account numbers are"
    if patterns.is_phone(profile):
        return "phone numbers"
    is_text = profile.kind == "nominal" and profile.dtype != "boolean"
    if is_text and (patterns.is_free_text(profile) or (profile.words & words.FREE_TEXT and profile.uniqueness > 0.3)):
        return "free text, which may name people and cannot be masked"
    meaning = profile.words & (words.QUASI_IDENTIFIERS | words.CONFIDENTIAL)
    if profile.words & words.IDENTIFIERS and not meaning and profile.kind != "date":
        return "named as what leads to a person"
    # A number of a patient may look like a diagnosis; its name says what it is.
    numbers = profile.words & words.SOMEBODY and not profile.words & words.CONFIDENTIAL
    is_diagnosis = patterns.is_icd(profile) and not numbers
    if is_text and profile.distinct > 1 and profile.uniqueness >= NEARLY_ALL and not is_diagnosis:
        return "every value differs" if profile.uniqueness == 1 else "nearly every value differs"
    numbered = profile.whole_numbers and profile.words & words.SOMEBODY and not meaning - words.SOMEBODY
    if numbered and profile.uniqueness >= NEARLY_ALL and profile.rows > 1:
        return "whole numbers that differ, named as numbers of persons are"
    return None


def _kind(profile: Profile) -> _Kind:
    if profile.kind == "date":
        return _Kind("date", "dates")
    if profile.kind == "numeric":
        return _kind_of_numbers(profile)
    order = words.known_order(profile.texts) if profile.dtype in ("string", "categorical") else None
    if order is not None:
        return _Kind("ordinal", "a scale in words", None if profile.ordered else order)
    if patterns.is_icd(profile):
        return _Kind("nominal", "codes of diagnoses (ICD)")
    if profile.ordered and (profile.hint == "ordinal" or profile.words & words.ORDERED):
        return _Kind("ordinal", "labels in the order of their codes")
    if all(text.isdigit() for text in profile.texts):
        return _Kind("nominal", "codes with leading zeros")
    return _Kind("nominal")


def _kind_of_numbers(profile: Profile) -> _Kind:
    stated = {"nominal": "nominal", "ordinal": "ordinal"}.get(profile.hint or "")
    if stated is not None:
        return _Kind(stated, f"{stated} by the file", _ascending(profile) if stated == "ordinal" else None)
    if not profile.whole_numbers or profile.hint == "scale":
        return _Kind("numeric")
    few = patterns.looks_like_codes(profile.name, profile.distinct, profile.present)
    named = bool(profile.words & words.CODES and not profile.words & words.COUNTS)
    if not few and not named:
        return _Kind("numeric")
    if few and profile.words & words.ORDERED:
        return _Kind("ordinal", "few whole numbers, by name in an order", _ascending(profile))
    return _Kind("nominal", "few whole numbers: codes, not amounts" if few else "codes by name, not amounts")


def _ascending(profile: Profile) -> tuple[str, ...] | None:
    """Return the numbers of a column of text from the lowest up; None where its type has that order."""
    if profile.dtype != "string":
        return None
    present = np.flatnonzero(~np.isnan(profile.numbers))
    return tuple(profile.texts[i] for i in present[np.argsort(profile.numbers[present], kind="stable")])


def _role(profile: Profile, kind: str) -> Proposal:
    if kind == "date":
        return Proposal(profile.name, "quasi_identifier", "others may know when it was")
    if patterns.is_icd(profile) or profile.words & words.CONFIDENTIAL:
        return Proposal(profile.name, "confidential", "what must not be learnt of a person, by name or content")
    if profile.words & words.QUASI_IDENTIFIERS:
        return Proposal(profile.name, "quasi_identifier", "others may know it, by its name")
    return Proposal(profile.name, UNDECIDED, "")


def _is_weight(profile: Profile) -> bool:
    """Whether a column is one of sampling weights: positive numbers, by name, and not what bodies weigh."""
    positive = len(profile.numbers) > 0 and bool((profile.numbers > 0).all())
    if profile.kind != "numeric" or not profile.words & words.WEIGHTS or not positive:
        return False
    if profile.words & words.SAMPLING:
        return True
    low, high = _BODY
    fine = (np.round(profile.numbers, 2) != profile.numbers).any()
    return len(profile.words) == 1 and bool(fine or profile.numbers.max() > high or profile.numbers.min() < low)
