"""Pseudonyms: subjects leave under random names, so that their rows can be followed and nobody be named."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from functools import partial

from shoal.encode import subject_texts
from shoal.errors import DataError, PlanError
from shoal.frames import FrameColumn, Table, Text
from shoal.masking.inputs import Inputs
from shoal.plan import Plan

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
    require_key_bytes(key, "key")


def require_key_bytes(key: bytes, option: str) -> None:
    """Refuse what is no key."""
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise PlanError(f"{option} must be {KEY_BYTES} random bytes: secrets.token_bytes({KEY_BYTES}) makes them")


def pseudonym_column(table: Table, inputs: Inputs, plan: Plan, key: bytes | None) -> Mapping[str, FrameColumn]:
    """Return the column of pseudonyms by name, where the plan asks for one; a forgotten key makes them if None."""
    name = plan.pseudonym_column()
    if name is None or inputs.subjects is None:
        return {}
    texts = subject_texts(table, name)
    names = pseudonyms(texts, key or new_key())
    while len(set(names)) < len(names):
        if key is not None:
            raise one_pseudonym_of_two(name)
        names = pseudonyms(texts, new_key())
    return {name: Text(inputs.subjects.numbers, names)}


def one_pseudonym_of_two(name: str) -> DataError:
    """Return the error of a key that gives two subjects the same pseudonym."""
    return DataError(
        f"two subjects of {name!r} have one pseudonym by this key, which is a rare accident: use another key"
    )


def pseudonyms(subjects: Sequence[str], key: bytes) -> tuple[str, ...]:
    """Return the pseudonym of each subject: the same for the same key and subject, and nothing to who lacks the key.

    A keyed BLAKE2b of the subject's text (Saarinen and Aumasson 2015), written in letters and digits.

    >>> pseudonyms(["Ana", "Bo"], bytes(32))
    ('qrr7wgph4lra2', 'q4sd2boncwbxu')
    """
    keyed = partial(hashlib.blake2b, digest_size=_DIGEST_BYTES, key=key, person=b"shoal pseudonym")
    digests = (keyed(text.encode("utf-8", "surrogatepass")).digest() for text in subjects)
    return tuple(base64.b32encode(digest).decode().rstrip("=").lower() for digest in digests)
