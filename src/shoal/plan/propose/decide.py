"""Decide: role and kind of a column by its cells and its name, each with the reason in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.frames import MissingValue
from shoal.options import UNDECIDED
from shoal.plan.propose.missing_words import gap_candidates, without_gaps
from shoal.plan.propose.patterns import is_email, is_free_text, is_icd, is_national_number, is_phone, looks_like_codes
from shoal.plan.propose.profile import Profile
from shoal.plan.propose.vocabulary import (
    CLEAR_WEIGHTS,
    CODES,
    CONFIDENTIAL,
    COUNTS,
    FREE_TEXT,
    IDENTIFIERS,
    ORDERED,
    QUASI_IDENTIFIERS,
    SAMPLING,
    SOMEBODY,
    WEIGHTS,
    known_order,
)

NEARLY_ALL = 0.95
"""The share of different values above which text names records."""

_BODY = (0.3, 350.0)
"""What people weigh, in kilograms."""


@dataclass(frozen=True)
class Proposal:
    """What a column seems to be.

    Parameters
    ----------
    name
        The column.
    role
        `UNDECIDED` where only a person can know.
    reason
        Why, in a few words, with counts and never with values.
    kind, order
        How two values are compared; None where nobody compares them, or where the type has an order.
    missing_values
        What seems to mean "no value".
    gaps
        Whether cells are missing.
    is_weight
        It seems to say how many a record stands for.
    """

    name: str
    role: str
    reason: str
    kind: str | None = None
    order: tuple[str, ...] | None = None
    missing_values: tuple[MissingValue, ...] = ()
    gaps: bool = False
    is_weight: bool = False

    def declared(self) -> dict[str, Any]:
        """Return what the plan says of the column."""
        table: dict[str, Any] = {"role": self.role}
        if self.kind is not None:
            table["kind"] = self.kind
        if self.order is not None:
            table["order"] = list(self.order)
        if self.missing_values:
            table["missing_values"] = list(self.missing_values)
        return table


def decide(seen: Profile) -> Proposal:
    """Propose what a column is."""
    if seen.dtype in ("duration", "other"):
        words = f"{seen.holds}: it cannot be masked, only dropped or kept"
        return Proposal(seen.name, UNDECIDED, words)
    values = gap_candidates(seen)
    profile = without_gaps(seen, values)
    role, kind, why, order = _judged(profile)
    gaps = seen.rows - profile.present
    counts = f"{profile.distinct:,} distinct" + (f", {gaps:,} missing" if gaps else "")
    return Proposal(
        seen.name,
        role,
        f"{counts}: {why}" if why else counts,
        kind,
        order,
        values if role != "identifier" else (),
        gaps > 0,
        role != UNDECIDED and _is_weight(profile),
    )


def _judged(profile: Profile) -> tuple[str, str | None, str, tuple[str, ...] | None]:
    """Return role, kind, reason and order."""
    if profile.distinct <= 1 and profile.present in (0, profile.rows):
        return "other", None, "no value at all" if not profile.present else "the same in every record", None
    why = _names_somebody(profile)
    if why is not None:
        return "identifier", None, why, None
    if _is_weight(profile):
        if not profile.words & (SAMPLING | CLEAR_WEIGHTS):  # in pounds, grams or fine decimals, bodies weigh as much
            return UNDECIDED, "numeric", "sampling weights, or what somebody weighs?", None
        return "other", "numeric", "sampling weights by name and values", None
    kind, reason, order = _kind(profile)
    role, known = _role(profile, kind)
    asks = (
        "every value differs, an identifier?" if profile.uniqueness == 1 and profile.whole and profile.rows > 1 else ""
    )
    return role, kind, "; ".join(part for part in (reason, known, asks if role == UNDECIDED else "") if part), order


def _names_somebody(profile: Profile) -> str | None:
    """Say why a column names a person, or None where it does not seem to."""
    if is_email(profile):
        return "e-mail addresses"
    if is_national_number(profile):
        return "written as national or account numbers are"
    if is_phone(profile):
        return "phone numbers"
    is_text = profile.kind == "nominal" and profile.dtype != "boolean"
    if is_text and (is_free_text(profile) or (profile.words & FREE_TEXT and profile.uniqueness > 0.3)):
        return "free text, which may name people and cannot be masked"
    meaning = profile.words & (QUASI_IDENTIFIERS | CONFIDENTIAL)
    if profile.words & IDENTIFIERS and not meaning and profile.kind != "date":
        return "named as what leads to a person"
    # A number of a patient may look like a diagnosis; its name says what it is.
    numbers = profile.words & SOMEBODY and not profile.words & CONFIDENTIAL
    is_diagnosis = is_icd(profile) and not numbers
    if is_text and profile.distinct > 1 and profile.uniqueness >= NEARLY_ALL and not is_diagnosis:
        return "every value differs" if profile.uniqueness == 1 else "nearly every value differs"
    numbered = profile.whole and profile.words & SOMEBODY and not meaning - SOMEBODY
    if numbered and profile.uniqueness >= NEARLY_ALL and profile.rows > 1:
        return "whole numbers that differ, named as numbers of persons are"
    return None


def _kind(profile: Profile) -> tuple[str, str, tuple[str, ...] | None]:
    """Return the kind, why it is not the obvious one, and the order of an ordinal column of text."""
    if profile.kind == "date":
        return "date", "dates", None
    if profile.kind == "numeric":
        return _kind_of_numbers(profile)
    order = known_order(profile.texts) if profile.dtype in ("string", "categorical") else None
    if order is not None:
        return "ordinal", "a scale in words", None if profile.ordered else order
    if is_icd(profile):
        return "nominal", "codes of diagnoses (ICD)", None
    if profile.ordered and (profile.hint == "ordinal" or profile.words & ORDERED):
        return "ordinal", "labels in the order of their codes", None
    if all(text.isdigit() for text in profile.texts):
        return "nominal", "codes with leading zeros", None
    return "nominal", "", None


def _kind_of_numbers(profile: Profile) -> tuple[str, str, tuple[str, ...] | None]:
    stated = {"nominal": "nominal", "ordinal": "ordinal"}.get(profile.hint or "")
    if stated is not None:
        return stated, f"{stated} by the file", _ascending(profile) if stated == "ordinal" else None
    if not profile.whole or profile.hint == "scale":
        return "numeric", "", None
    few = looks_like_codes(profile.name, profile.distinct, profile.present)
    named = bool(profile.words & CODES and not profile.words & COUNTS)
    if not few and not named:
        return "numeric", "", None
    if few and profile.words & ORDERED:
        return "ordinal", "few whole numbers, by name in an order", _ascending(profile)
    return "nominal", "few whole numbers: codes, not amounts" if few else "codes by name, not amounts", None


def _ascending(profile: Profile) -> tuple[str, ...] | None:
    """Return the numbers of a column of text from the lowest up; None where its type has that order."""
    if profile.dtype != "string":
        return None
    known = np.flatnonzero(~np.isnan(profile.numbers))
    return tuple(profile.texts[i] for i in known[np.argsort(profile.numbers[known], kind="stable")])


def _role(profile: Profile, kind: str) -> tuple[str, str]:
    """Return the role that name and cells tell, and why."""
    if kind == "date":
        return "quasi_identifier", "others may know when it was"
    if is_icd(profile) or profile.words & CONFIDENTIAL:
        return "confidential", "what must not be learnt of a person, by name or content"
    if profile.words & QUASI_IDENTIFIERS:
        return "quasi_identifier", "others may know it, by its name"
    return UNDECIDED, ""


def _is_weight(profile: Profile) -> bool:
    """Whether a column is one of sampling weights: positive numbers, by name, and not what bodies weigh."""
    if (
        profile.kind != "numeric"
        or not profile.words & WEIGHTS
        or not len(profile.numbers)
        or not (profile.numbers > 0).all()
    ):
        return False
    if profile.words & SAMPLING:
        return True
    low, high = _BODY
    fine = (np.round(profile.numbers, 2) != profile.numbers).any()
    return len(profile.words) == 1 and bool(fine or profile.numbers.max() > high or profile.numbers.min() < low)
