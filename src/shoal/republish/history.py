"""History: what was released before, which a new release must not be taken from to part anybody from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.plan import Plan
from shoal.republish.earlier import Earlier, as_earlier, named_in_manifest
from shoal.republish.intersection import Published, judge_together, warn_of_intersection
from shoal.republish.ledger import Ledger
from shoal.republish.previous import (
    Previous,
    check_previous,
    match_previous,
    remember_release,
    require_one_class,
    rows_to_release,
)
from shoal.run.guarantees import Guarantees
from shoal.run.inputs import Inputs
from shoal.run.model.model import Model
from shoal.run.release import Release
from shoal.run.suppress import check_suppress


@dataclass(frozen=True, eq=False)
class History:
    """Earlier releases as they are given to a run, and the key to remember the new one by.

    Parameters
    ----------
    after
        Releases of the same table.
    previous
        The model of the last release of a table that has grown since.
    remember
        The key by which subjects are recognised from release to release.
    hold_back
        Whether records are left out that the previous release does not allow.
    anyway
        Whether to release although fewer than k are left.
    """

    after: Sequence[Release | Earlier] = ()
    previous: Model | None = None
    remember: bytes | None = field(default=None, repr=False)
    hold_back: bool = False
    anyway: bool = False

    def check(self, plan: Plan, backend: str | None) -> None:
        """Refuse what does not go together, and what another engine, if one is named, does not have."""
        check_suppress(plan, after=bool(self.after))
        check_previous(plan, self.previous, self.remember)
        if self.hold_back and (self.previous is None or self.after):
            raise PlanError("hold_back leaves out what previous does not allow: give previous, and no after")
        if self.anyway and not self.after and self.previous is None:
            raise PlanError("after_anyway accepts what earlier releases leave, and after names none")
        if backend is not None and (self.after or self.remember is not None):
            raise PlanError(f"after and remember are for tables in memory, and this one is of {backend}")

    def rows_to_release(self, table: Table, plan: Plan) -> NDArray[np.int64] | None:
        """Return the rows that can be released now; None where nothing is to be held back."""
        if not self.hold_back or self.previous is None or self.remember is None:
            return None
        return rows_to_release(table, plan, self.previous, self.remember)

    def beside(self, came: Table, table: Table, inputs: Inputs, plan: Plan) -> Past:
        """Match what was released with the table that came, with it as it was recoded, and with what was read of it."""
        earlier = tuple(as_earlier(came, given, number) for number, given in enumerate(self.after, start=1))
        previous = None
        if self.remember is not None:
            require_one_class(inputs)
        if self.previous is not None and self.remember is not None:
            previous = match_previous(self.previous, table, inputs, plan, self.remember, anyway=self.anyway)
            if self.hold_back:
                previous = replace(previous, held_back=True)
            elif not self.anyway:  # of whom was held back, somebody was there
                previous.require_somebody()
        return Past(self, earlier, previous)


@dataclass(frozen=True, eq=False)
class Past:
    """Earlier releases, record by record beside the table that is to be released."""

    given: History
    earlier: tuple[Earlier, ...]
    previous: Previous | None

    @property
    def published(self) -> tuple[Published, ...]:
        """All of them."""
        return self.earlier if self.previous is None else (*self.earlier, self.previous)

    def grouped(self, inputs: Inputs, k: int) -> Inputs:
        """Return inputs whose groups stay inside those of the previous release, and whose subjects count once.

        Notes
        -----
        Were records averaged, a subject that has one more than before would be the difference of two sums.
        """
        if self.given.remember is None:
            return inputs
        return replace(inputs, once=True, cells=None if self.previous is None else self.previous.groups(k))

    def judged(
        self,
        guarantees: Guarantees,
        table: Table,
        released: Table,
        labels: NDArray[np.int64],
        plan: Plan,
        inputs: Inputs,
    ) -> Guarantees:
        """Return the guarantees with what is left of a person who has all releases; refuse fewer than k."""
        if not self.published:
            return guarantees
        judged = (table, released, labels, plan, self.published, inputs.subjects)
        return guarantees.adding(judge_together(*judged, anyway=self.given.anyway))

    def warnings(self, guarantees: Guarantees) -> tuple[Giveaway, ...]:
        """Say what is left where that was accepted."""
        return tuple(warn_of_intersection(guarantees, self.published))

    def ledger(self, table: Table, released: Table, inputs: Inputs, plan: Plan) -> Ledger | None:
        """Return who stands with whom once the new release is out; None where it is not to be remembered."""
        if self.given.remember is None:
            return None
        return remember_release(self.previous, table, released, inputs, plan, self.given.remember)

    def to_dict(self, held_back: int) -> dict[str, Any]:
        """Return what the manifest says of it, with how many records were held back."""
        previous = {} if self.previous is None else {"previous": {**self.previous.to_dict(), "held_back": held_back}}
        return {**named_in_manifest(self.earlier), **previous}
