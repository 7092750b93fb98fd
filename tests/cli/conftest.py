"""A folder to run the command line in."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import command

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
    """Sixty people whose rows follow no column."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": ["person-0", *(f"person-{i + 1}" for i in np.random.default_rng(seed).permutation(n - 1))],
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

    def shoal(self, *arguments, stdin=b""):
        return command.shoal(*arguments, cwd=self.path, stdin=stdin)

    def process(self, *arguments, **options):
        return command.shoal_process(*arguments, cwd=self.path, **options)

    def names(self):
        return sorted(entry.name for entry in self.path.iterdir())

    def write_plan(self, text):
        (self.path / "plan.toml").write_text(text)


@pytest.fixture
def folder(tmp_path):
    people().write_csv(tmp_path / "data.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    return Folder(tmp_path)
