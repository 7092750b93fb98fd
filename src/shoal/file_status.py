"""What a name leads to in the file system: nothing, a file, a folder, or a pipe or device, which are special files."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def file_status(path: str | Path) -> os.stat_result | None:
    """Return the status of what a name leads to, through links; None where nothing is seen there.

    So a name that no file can have (too long, with a zero byte) is one of nothing: whoever opens it says what is wrong.
    """
    try:
        return Path(path).stat()
    except (OSError, ValueError):
        return None


def is_special_file(path: str | Path) -> bool:
    """Tell whether a name is that of a pipe or a device, which is written and read once and never replaced."""
    status = file_status(path)
    return status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)


def is_one_stream(path: str | Path, other: str | Path) -> bool:
    """Tell whether two names are those of one pipe or device, in which what is written to both runs together.

    Nothing does in the null device.
    """
    first, second, nothing = file_status(path), file_status(other), file_status(os.devnull)
    if first is None or second is None or not is_special_file(path):
        return False
    return os.path.samestat(first, second) and (nothing is None or not os.path.samestat(first, nothing))


def is_one_file(path: str | Path, other: str | Path) -> bool:
    """Tell whether two names are those of one file, by whatever links; pipes and devices are none."""
    first, second = file_status(path), file_status(other)
    if first is None or second is None:
        return False
    return stat.S_ISREG(first.st_mode) and os.path.samestat(first, second)
