"""The command line as its users run it: a subprocess."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

PLAN = """
k = 4

[attributes]
name   = { role = "identifier" }
age    = { role = "quasi_identifier", kind = "numeric" }
grade  = { role = "quasi_identifier", kind = "ordinal", order = ["low", "mid", "high"] }
county = { role = "quasi_identifier", kind = "nominal" }
seen   = { role = "quasi_identifier", kind = "date" }
pay    = { role = "confidential", kind = "numeric" }
ward   = { role = "other" }
"""


def people(n=60, seed=2):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person-{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "grade": rng.choice(["low", "mid", "high"], n),
            "county": rng.choice(["Osona", "Bages", "Anoia"], n),
            "seen": [
                f"2024-{m:02d}-{d:02d}" for m, d in zip(rng.integers(1, 13, n), rng.integers(1, 29, n), strict=True)
            ],
            "pay": rng.integers(10_000, 90_000, n) / 4,
            "ward": [f"0{i % 7}" for i in range(n)],
        }
    )


@dataclass(frozen=True)
class Folder:
    """A folder with data.csv and plan.toml, and shoal run in it."""

    path: Path

    def shoal(self, *arguments, stdin=None, env=os.environ, **options):
        return subprocess.run(
            [sys.executable, "-m", "shoal", *map(str, arguments)],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**env, "COLUMNS": "200", "NO_COLOR": "1"},
            check=False,
            **options,
        )

    def names(self):
        return sorted(entry.name for entry in self.path.iterdir())

    def write_plan(self, text):
        (self.path / "plan.toml").write_text(text)


@pytest.fixture
def folder(tmp_path):
    people().write_csv(tmp_path / "data.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    return Folder(tmp_path)
