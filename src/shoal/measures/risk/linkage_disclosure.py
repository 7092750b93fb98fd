"""Distance linkage disclosure: the records whose nearest original is their own."""

from __future__ import annotations

import numpy as np

from shoal.measures.definition import Definition, Score
from shoal.measures.linkage import Progress, link, linked_percentage
from shoal.measures.pair import Pair
from shoal.subsets import Known, Subsets, labelled

DLD = Definition(
    "dld",
    "Percentage of released records whose nearest original is their own: continuous columns z-scored on each side by "
    "its own mean and standard deviation, ordinal steps divided by the number of categories, nominal values 0 or 1 "
    "apart (in a hierarchy by the height at which they meet), places and cycles by chords; a tie between c originals "
    "counts 1/c.",
    title="records nearest to their own original",
    aspect="risk",
    better="lower",
    low=0.0,
    high=100.0,
    unit="%",
    external="bound",
)


def dld(
    pair: Pair,
    *,
    subsets: Known | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Score:
    """Return the percentage of records that an intruder links to the right original by taking the nearest.

    Parameters
    ----------
    pair
        The table and its release.
    subsets, sample, seed
        The quasi-identifiers that the intruder knows: all (None), or parts of them as `Subsets.of` takes them. The
        value is then the mean over the subsets (with an interval where they are a sample), and ``parts`` holds each
        one's.
    progress
        Called now and then with the work done and the work to do.

    Notes
    -----
    Nin 2014, section 2.3. ``groups`` holds, for all quasi-identifiers together, the expected number of right links in
    each equivalence class. The nearest original need not be found: it is enough to know whether any is nearer than the
    record's own, which a tree of boxes mostly answers at once.

    Examples
    --------
    In their own z-scores the releases 1, 1, 9, 9 stand at ∓0.87, and the originals 0, 2, 8, 10 at ∓1.05 and ∓0.63: the
    first and the last record are nearest to their own original.

    >>> dld(Pair.of([0.0, 2.0, 8.0, 10.0], [1.0, 1.0, 9.0, 9.0])).value
    50.0

    Three people of whom two cannot be told apart: ½ + ½ + 1 right links are expected.

    >>> towns = {"town": ["Vic", "Vic", "Olot"]}
    >>> round(dld(Pair.of(towns, towns, kinds={"town": "nominal"})).value, 4)
    66.6667
    """
    columns = DLD.quasi_identifiers(pair)
    if subsets is None and sample is None:
        linkage = pair.once("linkage", lambda: link(pair, progress=progress))
        # A missing number stands at the mean: then classes that readers tell apart may be one for the intruder.
        same = np.array_equal(linkage.classes, pair.classes)
        return DLD.score(linkage.percentage, columns, groups={"expected_links": linkage.expected} if same else None)
    known = Subsets.of(pair.names, subsets, sample=sample, seed=seed)
    shares = known.values(lambda names: linked_percentage(pair, names), progress)
    value, interval = known.estimate(shares)
    return DLD.score(value, columns, parts=labelled(known, shares), interval=interval)
