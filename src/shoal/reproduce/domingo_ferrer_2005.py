"""Domingo-Ferrer and Torra 2005: what MDAV loses on the reference tables."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measures import Pair, compute
from shoal.partitioners import mdav
from shoal.reproduce.exhibit import Exhibit, averages, table
from shoal.reproduce.reference import Reference
from shoal.scaling import zscores

PUBLISHED = {
    ("census", 3): 5.6922,
    ("census", 5): 9.0884,
    ("census", 10): 14.1559,
    ("tarragona", 3): 16.9326,
    ("tarragona", 5): 22.4619,
    ("tarragona", 10): 33.1929,
}
"""100·SSE/SST on z-scores of all 13 columns, by table and k."""


def information_loss(reference: Reference, name: str, k: int) -> float:
    """Return what MDAV loses on a reference table."""
    values = reference.table(name)
    released = averages(values, mdav(zscores(values), k))
    return compute(Pair.of(values, released), ["il_percent"])["il_percent"].value


def _loss(reference: Reference) -> Iterator[str]:
    ours = {key: information_loss(reference, *key) for key in PUBLISHED}
    yield "Information loss, 100·SSE/SST on z-scores of all 13 columns. A right implementation meets four decimals.\n"
    yield from table(
        ["table", "k", "ours", "published"],
        ([name, k, f"{ours[name, k]:.4f}", f"{loss:.4f}"] for (name, k), loss in PUBLISHED.items()),
    )
    met = sum(f"{ours[key]:.4f}" == f"{loss:.4f}" for key, loss in PUBLISHED.items())
    yield f"**{met} of {len(PUBLISHED)} agree to four decimals.**"


_TITLE = "Domingo-Ferrer and Torra 2005: information loss of MDAV on Census and Tarragona"

EXHIBITS = (Exhibit("p0-loss", _TITLE, _loss, ("census", "tarragona")),)
