"""Keys in files that only their owner can read: that of pseudonyms, and that which seals the state of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import DataError, PlanError
from shoal.files import Outputs, read_secret
from shoal.masking.pseudonyms import KEY_BYTES, new_key
from shoal.plan import Plan

FEWEST, MOST = 16, 4096
"""Bytes of a key that somebody else made."""


def require_pseudonyms(plan: Plan) -> None:
    """Refuse a key of pseudonyms where the plan asks for none."""
    if plan.pseudonym_column() is None:
        raise PlanError('--key-file is for pseudonyms, and the plan asks for none: set keep_subject = "pseudonym"')


@dataclass(frozen=True)
class Keys:
    """The keys of a run, and the files that are to be made for those that are new.

    Parameters
    ----------
    pseudonyms, memory
        That of pseudonyms, and that by which a model remembers subjects.
    read
        The files that were there.
    new
        What is to be written, with its file.
    """

    pseudonyms: bytes | None = field(default=None, repr=False)
    memory: bytes | None = field(default=None, repr=False)
    read: tuple[str, ...] = ()
    new: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, plan: Plan, key_file: str | None, remember: str | None) -> Keys:
        """Read the keys that the command line names, or make them."""
        if key_file is not None:
            require_pseudonyms(plan)
        named = (("--key-file", key_file, "undo pseudonyms"), ("--remember", remember, "find subjects in the model"))
        keys: dict[str, bytes] = {}
        new: list[tuple[str, bytes]] = []
        for option, path, harm in named:
            if path is not None:
                keys[option], is_new = read_or_make_key(path, option=option, harm=harm)
                if is_new:
                    new.append((path, keys[option]))  # one file for both is refused where it is written
        there = tuple(path for _, path, _ in named if path is not None and path not in dict(new))
        return cls(keys.get("--key-file"), keys.get("--remember"), there, tuple(new))

    def write(self, outputs: Outputs) -> None:
        """Add the new ones to the files that are about to appear together."""
        for path, key in self.new:
            outputs.text(path, f"{key.hex()}\n", private=True, new=True)


def read_or_make_key(path: str, *, option: str, harm: str) -> tuple[bytes, bool]:
    """Return the key that a file holds, or a new one where there is none yet, and whether it is new.

    Parameters
    ----------
    path
        The file.
    option, harm
        Who asks, and what others can do who have read it, for messages.

    Raises
    ------
    DataError
        Others can read the file, or it holds no key.
    """
    try:
        content = read_secret(path, option=option, harm=harm, most=4 * KEY_BYTES)
    except FileNotFoundError:
        return new_key(), True
    try:
        key = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise DataError(
            f"{option} {path} does not hold a key, which is a line of {2 * KEY_BYTES} hexadecimal digits: name a "
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
