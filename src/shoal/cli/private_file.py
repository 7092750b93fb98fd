"""Files that undo a release, and that are written for their owner alone."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import OutputError
from shoal.files import Outputs


def check_private(outputs: Outputs, option: str, target: str, release: str) -> None:
    """Refuse a file that could not be kept from who gets the release."""
    outputs.check(target, private=True, option=option)
    if Path(target).resolve().parent == Path(release).resolve().parent and outputs.is_private(release):
        raise OutputError(
            f"{option} {target} would stand beside the release with the same permissions, and whoever gets the folder "
            "could undo the release by it: choose another folder for it"
        )
