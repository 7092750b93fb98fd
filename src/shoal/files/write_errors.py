"""Why a file cannot be written, in one sentence."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import OutputError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "the file is larger than this system allows",
    errno.EACCES: "you have no permission to write there",
    errno.EPERM: "you have no permission to write there",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EPIPE: "nobody reads it any more",
}


def write_error(error: BaseException, target: str | Path) -> OutputError:
    """Say in one sentence why a file could not be written."""
    return OutputError(f"{target} cannot be written: {write_reason(error)}; nothing was written")


def write_reason(error: BaseException) -> str:
    """Say why something could not be written, in a clause."""
    number = getattr(error, "errno", None)
    if number is None:  # polars gives the system's error as text
        match = re.search(r"\(os error (\d+)\)", str(error))
        number = int(match.group(1)) if match else 0
    return _REASONS.get(number) or (os.strerror(number).lower() if number else type(error).__name__)


@contextlib.contextmanager
def write_errors_of(target: str | Path) -> Iterator[None]:
    """Turn the system's errors inside the block into one clear sentence about ``target``."""
    try:
        yield
    except OSError as error:
        raise write_error(error, target) from None
