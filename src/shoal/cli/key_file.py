"""The key of pseudonyms in a file that only its owner can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from shoal.errors import DataError, PlanError
from shoal.files.output import is_private
from shoal.plan import Plan
from shoal.run.pseudonyms import KEY_BYTES, new_key


def read_or_make_key(path: str, plan: Plan) -> tuple[bytes, bool]:
    """Return the key that a file holds, or a new one where there is none yet, and whether it is new.

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
        with Path(path).open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(4 * KEY_BYTES) if stat.S_ISREG(status.st_mode) else b""
    except FileNotFoundError:
        return new_key(), True
    except OSError as error:
        raise DataError(f"--key-file {path} cannot be read: {(error.strerror or '').lower()}") from None
    if not is_private(status):
        raise DataError(
            f"--key-file {path} can be read or written by others than its owner, and whoever has the key can undo "
            "pseudonyms: make it yours alone (chmod 600), and a new one if somebody may have read it"
        )
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
