"""The score of a release: half information loss, half disclosure risk."""

from __future__ import annotations

import math

from shoal.kinds import Kind
from shoal.measures.definition import Definition, Score
from shoal.measures.linkage import Progress
from shoal.measures.pair import Pair
from shoal.measures.risk.disclosure_risk import dr
from shoal.measures.utility._il import il
from shoal.subsets import Known

SCORE = Definition(
    "score",
    "½·il + ½·dr: il on all numeric quasi-identifiers, dr on those the intruder knows (averaged over subsets of them, "
    "where asked).",
    title="score of loss and risk",
    aspect="balance",
    better="lower",
    low=0.0,
    high=math.inf,
    kinds=(Kind.NUMERIC,),
    external="withheld",  # il, which divides by single values, is part of it
)


def score(
    pair: Pair,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Score:
    """Return the score of a release: half information loss, half disclosure risk.

    Parameters
    ----------
    pair
        The table and its release.
    subsets, sample, seed
        The quasi-identifiers that the intruder knows, as for `dr`. Information loss is always that of the whole table.
    progress
        Called now and then with the work done and the work to do.

    Notes
    -----
    Nin 2014, section 2.3. Releasing a table as it is scores 50: nothing lost, everything disclosed.

    Examples
    --------
    >>> score(Pair.of([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])).value
    50.0
    """
    SCORE.quasi_identifiers(pair)
    loss = il(pair)
    risk = dr(pair, subsets=subsets, sample=sample, seed=seed, progress=progress)
    interval = None
    if risk.interval is not None:
        interval = (0.5 * loss.value + 0.5 * risk.interval[0], 0.5 * loss.value + 0.5 * risk.interval[1])
    return SCORE.score(
        0.5 * loss.value + 0.5 * risk.value,
        pair.columns,
        parts={"il": loss.value, "dr": risk.value}
        | {key: risk.parts[key] for key in ("dld", "id") if key in risk.parts},
        interval=interval,
    )
