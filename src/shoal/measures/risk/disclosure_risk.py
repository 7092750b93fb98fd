"""Disclosure risk: linkage and intervals in one number."""

from __future__ import annotations

import math

from shoal.measures.definition import ORDERED, Definition, Score
from shoal.measures.linkage import Progress, linked_percentage
from shoal.measures.pair import Pair
from shoal.measures.risk.interval_disclosure import ID, inside_rank_interval
from shoal.subsets import Known, Subsets, labelled

DR = Definition(
    "dr",
    "Disclosure risk: ½·dld + ½·id on the quasi-identifiers the intruder knows (averaged over subsets of them, where "
    "asked).",
    title="disclosure risk",
    aspect="risk",
    better="lower",
    low=0.0,
    high=100.0,
    kinds=ORDERED,
    unit="%",
    external="withheld",  # with id, the number of linked records follows from it
)


def dr(
    pair: Pair,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Score:
    """Return the disclosure risk: half linkage, half intervals.

    Parameters
    ----------
    pair
        The table and its release.
    subsets, sample, seed
        The quasi-identifiers that the intruder knows: all (None), or parts of them as `Subsets.of` takes them. The
        value is then the mean over the subsets, with an interval where they are a sample.
    progress
        Called now and then with the work done and the work to do.

    Notes
    -----
    Nin 2014, section 2.3. Linkage uses every quasi-identifier, intervals those with an order. A subset without any
    ordered column has linkage alone.

    Examples
    --------
    All records are linked and every value lies in its interval when the table is released as it is.

    >>> dr(Pair.of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])).value
    100.0
    """
    DR.quasi_identifiers(pair)
    known = Subsets.of(pair.names, subsets, sample=sample, seed=seed)
    linked: list[float] = []
    inside: list[float] = []

    def risk(names: tuple[str, ...]) -> float:
        ordered = [column for column in pair.columns if column.name in names and column.kind in ID.kinds]
        share = linked_percentage(pair, names, progress=progress if subsets is None else None)
        linked.append(share)
        if not ordered:
            return share
        inside.append(math.fsum(inside_rank_interval(pair, column) for column in ordered) / len(ordered))
        return 0.5 * share + 0.5 * inside[-1]

    risks = known.values(risk, None if subsets is None else progress)
    value, interval = known.estimate(risks)
    parts = {"dld": math.fsum(linked) / len(linked)}
    if inside:
        parts["id"] = math.fsum(inside) / len(inside)
    return DR.score(value, pair.columns, parts=parts | (labelled(known, risks) if subsets else {}), interval=interval)
