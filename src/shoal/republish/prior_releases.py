"""Prior releases: what is out already, which a new release must not be taken from to part anybody from the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.masking.inputs import Inputs
from shoal.plan import Plan
from shoal.protect import Judgement
from shoal.republish.earlier_release import Earlier
from shoal.republish.growing_table import Previous, remember_release
from shoal.republish.intersection import NewRelease, Published, judge_together, warn_of_intersection
from shoal.republish.ledger import Ledger


@dataclass(frozen=True, eq=False)
class PriorReleases:
    """Prior releases, record by record beside the table that is to be released.

    Parameters
    ----------
    earlier
        Releases of the same table.
    previous
        Those of the table before it grew.
    remember
        The key by which subjects are recognised from release to release; None where nobody is to be.
    anyway
        Whether to release although fewer than k are left.
    """

    earlier: tuple[Earlier, ...] = ()
    previous: Previous | None = None
    remember: bytes | None = field(default=None, repr=False)
    anyway: bool = False

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
        if self.remember is None:
            return inputs
        return replace(inputs, once=True, cells=None if self.previous is None else self.previous.groups(k))

    def judge(self, new: NewRelease) -> tuple[Judgement, ...]:
        """Say what is left of a person who has all releases, where there are any before; refuse fewer than k."""
        return (judge_together(new, self.published, anyway=self.anyway),) if self.published else ()

    def warnings(self, judgements: tuple[Judgement, ...]) -> tuple[Giveaway, ...]:
        """Say what is left where that was accepted."""
        return tuple(warn_of_intersection({each.name: each for each in judgements}, self.published))

    def ledger(self, table: Table, released: Table, inputs: Inputs, plan: Plan) -> Ledger | None:
        """Return who stands with whom once the new release is out; None where it is not to be remembered."""
        if self.remember is None:
            return None
        return remember_release(self.previous, table, released, inputs, plan, self.remember)

    def to_dict(self, held_back: int) -> dict[str, Any]:
        """Return what the manifest says of it, with how many records were held back."""
        earlier = [{"name": each.name, "sha256": each.fingerprint} for each in self.earlier]
        previous = {} if self.previous is None else {"previous": {**self.previous.to_dict(), "held_back": held_back}}
        return {**({"after": earlier} if earlier else {}), **previous}
