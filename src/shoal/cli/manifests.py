"""The manifest of a release as a file: where it stands, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.errors import DataError


def read_manifest(path: str, release: str) -> dict[str, Any]:
    """Read the manifest of a release from its file.

    Raises
    ------
    DataError
        It is not there, or is none.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"the manifest of {release} is not there: {path} should say of which table it was made and how; name "
            "another file by manifest=FILE"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise DataError(f"the manifest {path} of {release} cannot be read: {reason}") from None
    if not isinstance(content, dict):
        raise DataError(f"the manifest {path} of {release} is none that shoal wrote")
    return content
