"""Keys in files that only their owner can read: that of pseudonyms, and that which seals the state of a stream."""

from __future__ import annotations

from shoal.errors import DataError, PlanError
from shoal.files import read_secret
from shoal.plan import Plan
from shoal.run.pseudonyms import KEY_BYTES, new_key

FEWEST, MOST = 16, 4096
"""Bytes of a key that somebody else made."""


def read_or_make_key(path: str, plan: Plan) -> tuple[bytes, bool]:
    """Return the key of pseudonyms that a file holds, or a new one where there is none yet, and whether it is new.

    Raises
    ------
    PlanError
        The plan asks for no pseudonyms.
    DataError
        Others can read the file, or it holds no key.
    """
    if plan.pseudonym_column() is None:
        raise PlanError('--key-file is for pseudonyms, and the plan asks for none: set keep_subject = "pseudonym"')
    try:
        content = read_secret(path, option="--key-file", harm="undo pseudonyms", most=4 * KEY_BYTES)
    except FileNotFoundError:
        return new_key(), True
    try:
        key = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise DataError(
            f"--key-file {path} does not hold a key, which is a line of {2 * KEY_BYTES} hexadecimal digits: name a "
            "file that is not there yet, and shoal makes one"
        )
    return key, False


def read_state_key(path: str) -> bytes:
    """Return the key that seals the state of a stream: the bytes of a file, without a line end.

    Raises
    ------
    DataError
        The file is not there, others can read it, or it holds too few bytes to be a secret.
    """
    option = "--state-key-file"
    try:
        content = read_secret(path, option=option, harm="change the state unnoticed", most=MOST + 1)
    except FileNotFoundError:
        raise DataError(
            f"{option} {path} is not there: make one that is yours alone (umask 077; openssl rand -hex 32 > {path})"
        ) from None
    key = content.rstrip(b"\r\n")
    if not FEWEST <= len(key) <= MOST:
        raise DataError(f"{option} {path} must hold from {FEWEST} to {MOST} bytes, not {len(content)}")
    return key
