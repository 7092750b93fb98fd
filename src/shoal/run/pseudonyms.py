"""Pseudonyms: subjects leave under random names, so that their rows can be followed and nobody be named."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from shoal.encode import subject_texts
from shoal.errors import DataError, PlanError
from shoal.frames import FrameColumn, Table, Text
from shoal.plan import Plan
from shoal.protect import released_classes
from shoal.run.inputs import Inputs

KEY_BYTES = 32
"""The length of a key."""

_DIGEST_BYTES = 8
"""Of a million subjects, two have the same pseudonym with a probability below one in thirty million."""


def new_key() -> bytes:
    """Return a random key."""
    return secrets.token_bytes(KEY_BYTES)


def check_key(key: bytes | None, plan: Plan) -> None:
    """Refuse a key that is none, or that a plan has no use for."""
    if key is None:
        return
    if plan.pseudonym_column() is None:
        raise PlanError('key makes pseudonyms, and the plan does not ask for any: set keep_subject = "pseudonym"')
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise PlanError(f"key must be {KEY_BYTES} random bytes: secrets.token_bytes({KEY_BYTES}) makes them")


def pseudonym_column(table: Table, inputs: Inputs, plan: Plan, key: bytes | None) -> Mapping[str, FrameColumn]:
    """Return the column of pseudonyms by name, where the plan asks for one; a forgotten key makes them if None."""
    name = plan.pseudonym_column()
    if name is None or inputs.subjects is None:
        return {}
    texts = subject_texts(table, name)
    names = pseudonyms(texts, key or new_key())
    while len(set(names)) < len(names):
        if key is not None:
            raise DataError(
                f"two subjects of {name!r} have one pseudonym by this key, which is a rare accident: use another key"
            )
        names = pseudonyms(texts, new_key())
    return {name: Text(inputs.subjects.numbers, names)}


def pseudonyms(subjects: Sequence[str], key: bytes) -> tuple[str, ...]:
    """Return the pseudonym of each subject: the same for the same key and subject, and nothing to who lacks the key.

    Notes
    -----
    A keyed BLAKE2b of the subject's text (Saarinen and Aumasson 2015), written in letters and digits.

    Examples
    --------
    >>> pseudonyms(["Ana", "Bo"], bytes(32))
    ('qrr7wgph4lra2', 'q4sd2boncwbxu')
    """
    return tuple(
        base64.b32encode(
            hashlib.blake2b(
                text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES, key=key, person=b"shoal pseudonym"
            ).digest()
        )
        .decode()
        .rstrip("=")
        .lower()
        for text in subjects
    )


def warn_of_row_counts(released: Table, plan: Plan) -> Iterator[str]:
    """Warn of subjects who can be told by the number of their rows, which pseudonyms show."""
    name = plan.pseudonym_column()
    if name is None or name not in released.names:
        return
    classes = released_classes(released, plan.demand())
    _, first, rows = np.unique(released.class_codes(name), return_index=True, return_counts=True)
    # Class and number of rows of each pseudonym, and how many have both.
    _, kind, alike = np.unique(np.column_stack([classes[first], rows]), axis=0, return_inverse=True, return_counts=True)
    rare = int((alike[kind] < plan.k).sum())
    if rare:
        yield (
            f"{rare:,} of {len(rows):,} subjects ({name}) have a number of rows that fewer than k = {plan.k} of their "
            "class have: whoever knows how often a person comes finds it among fewer; bring as many rows of each, or "
            "leave keep_subject out"
        )
