"""What a type checker says of the public names, of frames of every library among them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

ROOT = Path(__file__).parents[1]
SNIPPET = """
import numpy as np
import pandas as pd
import polars as pl
from pyspark.sql import DataFrame as SparkFrame

import shoal
from shoal import attack


def made(p: pd.DataFrame, q: pl.DataFrame, s: SparkFrame, plan: shoal.Plan) -> None:
    reveal_type(shoal.anonymize(p, plan).data)
    reveal_type(shoal.anonymize(q, plan).data)
    reveal_type(shoal.anonymize(s, plan).data)
    release = shoal.anonymize(q, plan, progress=False)
    reveal_type(release.in_original_order())
    reveal_type(release.measure())
    reveal_type(shoal.measure(q, release.data, plan))
    reveal_type(attack(q, release.data, plan, seed=1))
    reveal_type(shoal.compare(q, plan, k=[3, 5]))
    reveal_type(shoal.partition(np.zeros((9, 2)), k=3).shape)
    reveal_type(shoal.refine(np.zeros((9, 2)), [0] * 9, 3).shape)
    reveal_type(shoal.attacks.ATTACKS)
    reveal_type(shoal.propose(p, k=5).with_(k=10, t=0.1))
    reveal_type(shoal.check(p, plan).ok)
    reveal_type(release.model.apply(p).data)
"""
REVEALED = [
    "pandas.core.frame.DataFrame",
    "polars.dataframe.frame.DataFrame",
    "pyspark.sql.dataframe.DataFrame",
    "shoal.run.release.Release[polars.dataframe.frame.DataFrame]",
    "shoal.measures.definition.Scores",
    "shoal.measures.definition.Scores",
    "shoal.attacks.attempt.Attempts",
    "shoal.comparison.comparison.Comparison",
    "tuple[Any, ...]",
    "tuple[Any, ...]",
    "shoal.registry.Registry[shoal.attacks.declaration.Attack]",
    "shoal.plan.plan.Plan",
    "bool",
    "pandas.core.frame.DataFrame",
]


def test_the_types_of_frames_and_results(tmp_path):
    """With the cache of the type check of the package, which `make test` runs before the tests."""
    (tmp_path / "use.py").write_text(SNIPPET)
    options = ["--config-file", "pyproject.toml", "--cache-dir", ".mypy_cache", str(tmp_path / "use.py")]
    done = subprocess.run([sys.executable, "-m", "mypy", *options], capture_output=True, text=True, cwd=ROOT)
    assert re.findall(r'Revealed type is "(.*)"', done.stdout) == REVEALED, done.stdout
    assert done.returncode == 0, done.stdout
