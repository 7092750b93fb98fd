"""Time of the attacks that look at every record, a million against a million, as ratios to forming the groups by MDAV.

python benchmarks/attack.py [records] [columns]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from measure import grouped
from peak import extra_memory
from shoal import Plan
from shoal.attacks import ATTACKS, attack
from shoal.partitioners import mdav

K = 10
SLOW = ("inference_model", "minimality", "releases", "identity", "subject_rows", "dominance", "membership")
"""Need more than two tables, or learn from a sample whose size is the same for every table."""


def main(n: int = 1_000_000, d: int = 4) -> None:
    """Attack groups of ten of correlated normal data in every way that looks at the whole table."""
    rng = np.random.default_rng(0)
    original = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    names = [f"x{j}" for j in range(d)]
    secret = {"illness": rng.choice(["a", "b", "c", "d"], n)}
    before = pl.DataFrame({name: original[:, j] for j, name in enumerate(names)} | secret)
    released = grouped(np.asfortranarray(original), K)
    after = pl.DataFrame({name: released[:, j] for j, name in enumerate(names)} | secret)
    number = {"role": "quasi_identifier", "kind": "numeric"}
    illness = {"role": "confidential", "kind": "nominal"}
    plan = Plan(k=K, attributes={**dict.fromkeys(names, number), "illness": illness})
    grouping, _ = timed(lambda: mdav(original / original.std(axis=0), K))
    print(f"{n:,} records against {n:,}, {d} columns; MDAV takes {grouping:.1f} s of processor time")
    print(f"{'attack':<24}{'seconds':>9}{'× MDAV':>9}{'extra memory':>14}{'tried':>12}{'success':>10}")
    for key in ATTACKS:
        if key not in SLOW:
            seconds, (found, memory) = timed(
                lambda key=key: extra_memory(lambda: attack(before, after, plan, attacks=[key]).attempts[0])
            )
            print(
                f"{key:<24}{seconds:>9.1f}{seconds / grouping:>9.2f}{memory / 1e6:>11,.0f} MB{found.tried:>12,}"
                f"{found.rate:>10.2%}",
                flush=True,
            )


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of a call, in all threads, and what it returned."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
