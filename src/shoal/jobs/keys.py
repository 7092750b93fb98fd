"""Keys in files that only their owner can read: that of pseudonyms, and that by which a model remembers subjects."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import DataError, PlanError
from shoal.files import read_secret
from shoal.masking.pseudonyms import KEY_BYTES, new_key
from shoal.plan import Plan


@dataclass(frozen=True)
class Key:
    """A secret key with its file; a new one was made for this run, and is still to be written."""

    path: str
    secret: bytes = field(repr=False)
    is_new: bool

    @classmethod
    def of(cls, path: str, *, option: str, harm: str) -> Key:
        """Read the key that a file holds, or make a new one where there is none yet.

        Messages name the option that asks for it, and the harm that others can do who have read it.
        """
        try:
            content = read_secret(path, option=option, harm=harm, most=4 * KEY_BYTES)
        except FileNotFoundError:
            return cls(path, new_key(), is_new=True)
        try:
            secret = bytes.fromhex(content.decode("ascii").strip())
        except ValueError:
            secret = b""
        if len(secret) != KEY_BYTES:
            raise DataError(
                f"{option} {path} does not hold a key, which is a line of {2 * KEY_BYTES} hexadecimal digits: name a "
                "file that is not there yet, and shoal makes one"
            )
        return cls(path, secret, is_new=False)


def read_keys(plan: Plan, key_file: str | None, remember: str | None) -> dict[str, Key]:
    """Read the keys that a job names, or make them; by the options that name them."""
    if key_file is not None and plan.pseudonym_column() is None:
        raise PlanError('--key-file is for pseudonyms, and the plan asks for none: set keep_subject = "pseudonym"')
    asked = (("--key-file", key_file, "undo pseudonyms"), ("--remember", remember, "find subjects in the model"))
    return {option: Key.of(path, option=option, harm=harm) for option, path, harm in asked if path is not None}
