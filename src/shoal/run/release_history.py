"""History: the releases before this one, as a caller names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.frames import Table
from shoal.masking.inputs import Inputs
from shoal.plan import Plan
from shoal.republish.earlier_release import Earlier
from shoal.republish.previous_release import check_previous, match_previous, require_one_class, rows_to_release
from shoal.republish.prior_releases import PriorReleases
from shoal.run.model.model import Model
from shoal.run.release import Release, as_earlier


@dataclass(frozen=True, eq=False)
class History:
    """Releases before this one as they are given to a run, and the key to remember the new one by."""

    after: Sequence[Release | Earlier] = ()  # releases of the same table
    previous: Model | None = None  # the model of the last release of a table that has grown since
    # the key by which subjects are recognised from release to release
    remember: bytes | None = field(default=None, repr=False)
    hold_back: bool = False  # whether records are left out that the previous release does not allow
    anyway: bool = False  # whether to release although fewer than k are left

    def check(self, plan: Plan, backend: str | None) -> None:
        """Refuse what does not go together, and what another engine, if one is named, does not have."""
        if plan.suppress is not None and self.after:
            raise PlanError(
                "suppress drops records, and after compares releases row by row: leave one of them out, or drop the "
                "same records from the table before both releases"
            )
        check_previous(plan, self.previous, self.remember)
        if self.hold_back and (self.previous is None or self.after):
            raise PlanError("hold_back leaves out what previous does not allow: give previous, and no after")
        if self.anyway and not self.after and self.previous is None:
            raise PlanError("after_anyway accepts what earlier releases leave, and after names none")
        if backend is not None and (self.after or self.remember is not None):
            raise PlanError(f"after and remember are for tables in memory, and this one is of {backend}")
        if self.previous is not None and not isinstance(self.previous, Model):
            kind = type(self.previous).__name__
            raise PlanError(f"previous takes the model of a release, not a {kind}: release.model, Model.load")

    def eligible_rows(self, table: Table, plan: Plan) -> NDArray[np.int64] | None:
        """Return the rows that can be released now; None where nothing is to be held back."""
        if not self.hold_back or self.previous is None or self.remember is None:
            return None
        return rows_to_release(table, plan, self.previous, self.remember)

    def match(self, original: Table, recoded: Table, inputs: Inputs, plan: Plan) -> PriorReleases:
        """Match the releases with the table as it came, as it was recoded, and with what was read of it."""
        earlier = tuple(as_earlier(original, given, number) for number, given in enumerate(self.after, start=1))
        previous = None
        if self.remember is not None:
            require_one_class(inputs)
        if self.previous is not None and self.remember is not None:
            previous = match_previous(self.previous, recoded, inputs, plan, self.remember, anyway=self.anyway)
            if self.hold_back:
                previous = replace(previous, held_back=True)
            elif not self.anyway:  # of whom was held back, somebody was there
                previous.require_somebody()
        return PriorReleases(earlier, previous, self.remember, self.anyway)
