"""What refining does to risk: linkage of MDAV's groups and of refined ones, at equal k and at equal risk.

python benchmarks/run.py refine_risk [k ...]

Census is read from the folder that SHOAL_REFERENCE_DATA names; all of its attributes are quasi-identifiers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import shoal
from shoal.attacks import attack
from shoal.measures import measure

ATTACKS = ("linkage", "linkage_some", "linkage_noise", "assignment")
NUMBER = {"role": "quasi_identifier", "kind": "numeric"}


def scores_of(table: pl.DataFrame, k: int, refine: str) -> dict[str, float]:
    """Release a table and return what it loses and how often it is linked, in percent."""
    plan = shoal.Plan(k=k, refine=refine, attributes=dict.fromkeys(table.columns, NUMBER))
    released = shoal.anonymize(table, plan).data
    scores = {key: score.value for key, score in measure(table, released, plan, keys=["il_percent", "dld"]).items()}
    found = attack(table, released, plan, attacks=ATTACKS)
    return scores | {key: 100 * found[key].rate for key in ATTACKS}


def at_equal_risk(table: pl.DataFrame, k: int) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Yield what MDAV comes to, and refined groups of k and more, until they are as hard to link by every measure."""
    plain = scores_of(table, k, "none")
    yield "MDAV", k, plain
    risks = ("dld", *ATTACKS)
    left = set(risks)
    for larger in range(k, 3 * k):
        refined = scores_of(table, larger, "good")
        yield "refined", larger, refined
        left -= {key for key in risks if refined[key] <= plain[key]}
        if not left:
            return


def main(*sizes: str) -> None:
    """Print a table in Markdown."""
    table = pl.read_csv(Path(os.environ["SHOAL_REFERENCE_DATA"]) / "census.csv")
    columns = ("il_percent", "dld", *ATTACKS)
    print("| | k | " + " | ".join(f"`{name}`" for name in columns) + " |")
    print("|---|---|" + "---|" * len(columns))
    for k in map(int, sizes or ("3", "5", "10")):
        for name, size, scores in at_equal_risk(table, k):
            print(f"| {name} | {size} | " + " | ".join(f"{scores[key]:.1f}" for key in columns) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
