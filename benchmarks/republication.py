"""What stability costs: the loss of a growing table released three times, against releases that nobody compares.

Run it by itself: ``python benchmarks/republication.py [records]``.
"""

from __future__ import annotations

import sys

import polars as pl

from shoal import Model, Plan, Release, anonymize, examples
from shoal.measures import measure

KEY = bytes(32)
SHARES = (0.02, 0.1, 0.3)


def table(n: int) -> tuple[pl.DataFrame, Plan]:
    """Return discharges, each of a person of its own, and a plan for four quasi-identifiers."""
    frame = examples.discharges(n, seed=1).select("age", "sex", "stay", "severity", "charge")
    quasi = {"role": "quasi_identifier"}
    attributes = {
        "person": {"role": "identifier"},
        "age": {**quasi, "kind": "numeric"},
        "sex": {**quasi, "kind": "nominal"},
        "stay": {**quasi, "kind": "numeric"},
        "severity": {**quasi, "kind": "ordinal", "order": list(examples.SEVERITIES)},
        "charge": {"role": "confidential", "kind": "numeric"},
    }
    people = frame.with_columns(person=pl.Series(range(n)))
    return people, Plan(k=5, subject="person", order="keep", attributes=attributes)


def loss(frame: pl.DataFrame, release: Release, plan: Plan) -> float:
    """Return the information loss in percent."""
    return float(measure(frame, release.data, plan, keys=["il_percent"])["il_percent"].value)


def main(records: int = 5000) -> None:
    """Print the loss with and without earlier releases, and the ratio."""
    people, plan = table(records)
    print(f"{records:,} discharges, k = {plan.k}: il_percent with --previous, without, ratio")
    for share in SHARES:
        model: Model | None = None
        cells = []
        for left in (2, 1, 0):
            part = people[: int(records * (1 - left * share))]
            stable = anonymize(part, plan, remember=KEY, previous=model)
            model = stable.model
            ours, free = loss(part, stable, plan), loss(part, anonymize(part, plan), plan)
            cells.append(f"{ours:6.2f} {free:6.2f} {ours / free:5.2f}")
        print(f"{share:>5.0%} more each time: " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
