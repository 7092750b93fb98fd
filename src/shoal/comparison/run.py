"""Runs: what came of the plans of a comparison, kept so that none is computed twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from shoal.errors import OutputError
from shoal.files import Outputs
from shoal.files.private import FOR_OWNER_FOLDER
from shoal.run.manifest import versions


@dataclass(frozen=True)
class Run:
    """What came of one plan."""

    choices: Mapping[str, Any]  # the values of the fields that were tried, by path
    plan_sha256: str = ""  # of everything in the plan; empty where the choices do not go together
    problem: str = ""  # why nothing could be released, where that is so
    groups: int = 0  # how many groups there are
    guarantees: Mapping[str, float] = field(default_factory=dict)  # what was reached, by the name of the guarantee
    holds: bool = True  # whether everything that was asked holds: not where the method cannot guarantee k
    scores: Mapping[str, float] = field(default_factory=dict)  # values of the measures
    seconds: float = 0.0  # what it took to anonymize
    computed: bool = True  # whether it was computed now, rather than read from an earlier comparison

    __pydantic_config__ = ConfigDict(revalidate_instances="always", strict=True)  # files can say anything

    @property
    def name(self) -> str:
        """The choices in a line."""
        return ", ".join(f"{path} = {value}" for path, value in self.choices.items())


_RUN = TypeAdapter(Run)


class RunCache:
    """Results of earlier comparisons, one file each, by table, plan and versions.

    A result that was kept must have been ``asked`` for the same measures and attacks, or for more.
    """

    def __init__(self, data_sha256: str, folder: Path | None, asked: Iterable[str]) -> None:
        self.folder = folder
        self.asked = list(asked)
        self.mark = json.dumps([data_sha256, versions()], sort_keys=True)
        if folder is not None:
            try:
                folder.mkdir(mode=FOR_OWNER_FOLDER, exist_ok=True)  # the names of files confirm guesses of the table
            except OSError as error:
                raise OutputError(f"the folder {folder} cannot be made: {(error.strerror or '').lower()}") from None

    def _file(self, key: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{hashlib.sha256(f'{self.mark}{key}'.encode()).hexdigest()[:32]}.json"

    def read(self, key: str) -> Run | None:
        """Return a kept result."""
        path = self._file(key)
        if path is None or not path.exists():
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            measured = set(content.pop("measures"))
            run = _RUN.validate_python(Run(**content, computed=False))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None  # damaged, or of another version: compute it again
        is_enough = run.problem or measured.issuperset(self.asked)
        return run if is_enough and measured.issuperset(run.scores) else None

    def write(self, key: str, run: Run) -> None:
        """Keep a result."""
        path = self._file(key)
        if path is not None:
            content = {name: value for name, value in asdict(run).items() if name != "computed"}
            content["measures"] = self.asked
            with Outputs() as outputs:
                outputs.text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n", private="where possible")
