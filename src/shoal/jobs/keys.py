"""Keys in files that only their owner can read: that of pseudonyms, and that by which a model remembers subjects."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import DataError, PlanError
from shoal.files import Outputs, read_secret
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


@dataclass(frozen=True)
class Keys:
    """The keys of a run: that of pseudonyms, and that of the model's memory; None where nobody names its file."""

    pseudonym_key: Key | None = None
    memory_key: Key | None = None

    @classmethod
    def of(cls, plan: Plan, key_file: str | None, remember: str | None) -> Keys:
        """Read the keys that a job names, or make them."""
        if key_file is not None and plan.pseudonym_column() is None:
            raise PlanError('--key-file is for pseudonyms, and the plan asks for none: set keep_subject = "pseudonym"')
        return cls(
            None if key_file is None else Key.of(key_file, option="--key-file", harm="undo pseudonyms"),
            None if remember is None else Key.of(remember, option="--remember", harm="find subjects in the model"),
        )

    @property
    def pseudonyms(self) -> bytes | None:
        """What pseudonyms are made with."""
        return None if self.pseudonym_key is None else self.pseudonym_key.secret

    @property
    def memory(self) -> bytes | None:
        """What a model remembers subjects by."""
        return None if self.memory_key is None else self.memory_key.secret

    @property
    def read(self) -> tuple[str, ...]:
        """The files that were there, and are not written."""
        return tuple(key.path for key in self._all() if not key.is_new)

    def write(self, outputs: Outputs) -> None:
        """Add the new ones to the files that are about to appear together; one file for both is refused."""
        for key in self._all():
            if key.is_new:
                outputs.text(key.path, f"{key.secret.hex()}\n", private=True, new=True)

    def _all(self) -> list[Key]:
        return [key for key in (self.pseudonym_key, self.memory_key) if key is not None]
