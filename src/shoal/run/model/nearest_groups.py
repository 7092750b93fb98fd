"""Search: which groups of a model are near to new records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.encode import Column
from shoal.errors import DataError, counted
from shoal.frames import Table
from shoal.masking.centroids import subject_averages
from shoal.masking.inputs import read_subjects_of
from shoal.plan import Plan
from shoal.points import Points
from shoal.republish.contributions import column_texts
from shoal.run.model.model import Model


@dataclass(eq=False)
class Search:
    """Which groups are near to new records: those of the same value of ``by`` whose values k subjects share.

    Parameters
    ----------
    points
        The groups, and the new records after them; where records have subjects, one point for each of those.
    whose
        The point of each new record.
    places
        The groups that may be chosen, by the value of ``by``.
    domains
        The value of ``by`` of each point of new records.
    """

    points: Points
    groups: int
    whose: NDArray[np.int64]
    places: dict[str | None, NDArray[np.int32]]
    domains: list[str | None]

    @classmethod
    def of(cls, model: Model, table: Table, columns: list[Column], plan: Plan) -> Search:
        """Turn groups and records into points."""
        mine, new = model.encoder.apply(model.columns), model.encoder.apply(columns)
        subjects = read_subjects_of(table, plan)
        whose = np.arange(len(table)) if subjects is None else subjects.numbers.astype(np.int64)
        first = np.arange(len(table)) if subjects is None else subjects.first_rows
        if subjects is not None:
            new = subject_averages(replace(new, subjects=subjects.numbers))
        able = np.flatnonzero(model.sizes >= plan.k).astype(np.int32)
        if model.domains is None:
            return cls(_below(mine, new), len(mine), whose, {None: able}, [None] * len(new))
        assert plan.by is not None
        texts = column_texts(table, plan.by)
        places = {text: able[[model.domains[i] == text for i in able]] for text in set(model.domains)}
        unknown = sum(text not in places or len(places[text]) == 0 for text in texts)
        if unknown:
            raise DataError(
                f"by = {plan.by!r} has values in {counted(unknown, 'record')} that no group of the model has: leave "
                "them out, or release the table again"
            )
        if subjects is not None and any(texts[row] != texts[first[number]] for row, number in enumerate(whose)):
            raise DataError(
                f"by = {plan.by!r} differs between records of one subject, who is masked by one group alone"
            )
        return cls(_below(mine, new), len(mine), whose, places, [texts[row] for row in first])

    def nearest(self, count: int) -> NDArray[np.int64]:
        """Return the nearest groups of each record, nearest first; -1 where there are no more."""
        records = self.points.records()
        trees = {domain: _core.KdTree(records, places) for domain, places in self.places.items()}
        found = np.full((len(self.domains), count), -1, dtype=np.int64)
        for i, domain in enumerate(self.domains):
            near = trees[domain].nearest(self.groups + i, min(count, len(self.places[domain])))
            found[i, : len(near)] = near
        return found[self.whose]


def _below(upper: Points, lower: Points) -> Points:
    """Return the records of two tables, one below the other."""
    return Points.build(
        coords=np.vstack([upper.coords, lower.coords]),
        ranks=np.vstack([upper.ranks, lower.ranks]),
        rank_steps=upper.rank_steps,
        rank_levels=upper.rank_levels,
        rank_convex=upper.rank_convex,
        codes=np.vstack([upper.codes, lower.codes]),
        code_weights=upper.code_weights,
        code_levels=np.maximum(upper.code_levels, lower.code_levels),
    )
