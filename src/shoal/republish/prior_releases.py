"""Prior releases: the releases that are out, and whether a new one beside them parts anybody from the others.

`Earlier` is a release of the same table, `Previous` the last one of a table that has grown since.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import GuaranteeError, sentence
from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.masking.inputs import Inputs
from shoal.plan import Plan
from shoal.protect import Judgement
from shoal.republish.earlier_release import Earlier
from shoal.republish.intersection import NewRelease, Published, intersect
from shoal.republish.ledger import Ledger
from shoal.republish.previous_release import Previous, remember_release


@dataclass(frozen=True, eq=False)
class PriorReleases:
    """Prior releases, record by record beside the table that is to be released."""

    earlier: tuple[Earlier, ...] = ()  # of the same table
    previous: Previous | None = None  # of the table before it grew
    # The key by which subjects are recognised from release to release; None where nobody is to be.
    remember: bytes | None = field(default=None, repr=False)
    anyway: bool = False  # release although fewer than k are left

    @property
    def published(self) -> tuple[Published, ...]:
        """All of them."""
        return self.earlier if self.previous is None else (*self.earlier, self.previous)

    def grouped(self, inputs: Inputs, k: int) -> Inputs:
        """Return inputs whose groups stay inside those of the previous release, and whose subjects count once.

        Were records averaged, a subject that has one more than before would be the difference of two sums.
        """
        if self.remember is None:
            return inputs
        return replace(inputs, once=True, cells=None if self.previous is None else self.previous.groups(k))

    def judge(self, new: NewRelease) -> tuple[Judgement, ...]:
        """Say what is left of a person who has all releases, where there are any before; refuse fewer than k."""
        if not self.published:
            return ()
        verdict = intersect(new, self.published).judge(new.plan.k, sum(each.releases for each in self.published))
        if not verdict.holds and not self.anyway:
            raise GuaranteeError(
                f"{self._too_few(verdict)}, so nothing is released. {verdict.note} "
                f"{sentence(self.published[-1].remedy)}, or accept it (after_anyway)",
                reached=verdict.achieved,
            )
        return (verdict,)

    def warnings(self, judgements: tuple[Judgement, ...]) -> tuple[Giveaway, ...]:
        """Say what is left where that was accepted."""
        return tuple(
            Giveaway(
                verdict.name,
                f"{self._too_few(verdict)}, and that was accepted (after_anyway)",
                (),
                int(verdict.detail["below_k"]),
            )
            for verdict in judgements
            if not verdict.holds
        )

    def _too_few(self, verdict: Judgement) -> str:
        return (
            f"together with {', '.join(each.name for each in self.published)} this release leaves fewer than k = "
            f"{verdict.asked} where their classes meet, {verdict.achieved} at worst"
        )

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
