"""The files of earlier releases: each with its manifest, and its row map where rows were shuffled."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import DataError, PlanError
from shoal.files import SourceFile, is_address, read
from shoal.frames import Table
from shoal.plan import Plan
from shoal.republish.earlier_release import Earlier, require_fingerprints
from shoal.run.saved_release import manifest_beside, read_row_map
from shoal.run.source_parsing import parsed

METAVAR = "FILE[,rows=MAP][,manifest=FILE]"

_PART = re.compile(r",(rows|manifest)=")


@dataclass(frozen=True)
class EarlierFiles:
    """The files of an earlier release.

    Examples
    --------
    >>> EarlierFiles.parse("2023.csv,rows=private/2023.csv")
    EarlierFiles(release='2023.csv', manifest='2023.manifest.json', rows='private/2023.csv')
    """

    release: str  # the table that left
    manifest: str
    rows: str | None = None  # the row map that was written with it

    @classmethod
    def parse(cls, text: str) -> EarlierFiles:
        """Read what stands on the command line."""
        if is_address(text):  # which may hold a password
            raise PlanError(
                f"--after takes {METAVAR}: an earlier release in a database must be written to a file first"
            )
        release, *parts = _PART.split(text)
        named = dict(zip(parts[::2], parts[1::2], strict=True))
        if not Path(release).name or release == "-" or "" in parts or len(named) < len(parts) // 2:
            raise PlanError(f"--after takes {METAVAR}, each part once, not {text!r}")
        return cls(release, named.get("manifest", str(manifest_beside(Path(release)))), named.get("rows"))

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, which a run must not overwrite."""
        return (self.release, self.manifest, *([self.rows] if self.rows else []))

    def match(self, data: SourceFile, plan: Plan) -> Earlier:
        """Match the release with the table it was made of, which is to be anonymized again by another plan."""
        name = Path(self.release).name
        manifest = read_manifest(self.manifest, name)
        released = read(self.release, missing=() if data.dialect is None else data.dialect.missing)
        require_fingerprints(
            manifest,
            name,
            original=[data.sha256, Table.of(parsed(data, plan).frame).sha256()],
            released=[released.sha256, Table.of(released.frame).sha256()],
        )
        then = Plan.from_mapping(manifest["plan"])
        return Earlier.matched(
            Table.of(parsed(data, then).frame),
            Table.of(parsed(released, then, released=True).frame),
            manifest,
            rows=None if self.rows is None else read_row_map(self.rows, released),
            name=name,
        )


def read_earlier(files: Sequence[EarlierFiles], data: SourceFile, plan: Plan) -> tuple[Earlier, ...]:
    """Match earlier releases with the table to anonymize."""
    return tuple(each.match(data, plan) for each in files)


def read_manifest(path: str, release: str) -> dict[str, Any]:
    """Read the manifest of a release from its file; refuse one that is not there, or is none."""
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
