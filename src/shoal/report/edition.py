"""Editions of a report, and what each may show.

The internal edition stays where the original table stays, and shows everything. The external edition goes out with the
release, to people who may try. Whatever it shows must stand for many records:

- no minimum, maximum, mean, deviation or correlation of a column, and no measure that compares with the original: a
  single extreme record moves each of them, and with the released table it can be solved for. What variance was lost and
  how values were spread is told between bounds that any class could be on either side of (`absorption`);
- no interval, category or group size that few records share: neighbours are merged, never left out, so that nothing can
  be found by subtraction; the outermost intervals are open, their edges are round numbers inside the bulk of the data;
- no group by itself, no count: shares in whole percent, other numbers in three digits;
- no count of persons where only the original knows which records are of one: beside the released classes it would tell;
- no seed (it undoes a permutation), no hash of the original (it confirms a guess), no file name, no list of categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from shoal.errors import PlanError, nearest
from shoal.plan import Plan

FEWEST_RECORDS = 10
"""Records that whatever an external edition shows must stand for, or k if that is more."""

FEWEST_SHARE = 0.01
"""Share of the records that whatever an external edition shows must stand for."""


class Edition(StrEnum):
    """Who a report is for."""

    INTERNAL = "internal"
    EXTERNAL = "external"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise PlanError(f"edition must be internal or external, not {value!r}{nearest(str(value), list(cls))}")


@dataclass(frozen=True)
class Guard:
    """What an edition may show of a table.

    Parameters
    ----------
    edition
        Who the report is for.
    records
        Records of the table.
    k
        Smallest group that the plan asks for.
    subjects_hidden
        Whether the released table does not show which records are of one person, though several may be.

    Examples
    --------
    >>> guard = Guard(Edition.EXTERNAL, records=2000, k=5)
    >>> guard.fewest, guard.share(27), guard.rounded(0.123456)
    (20, 1, 0.123)
    """

    edition: Edition
    records: int
    k: int
    subjects_hidden: bool = False

    @classmethod
    def of(cls, edition: Edition | str, records: int, plan: Plan) -> Guard:
        """Return what an edition may show of a release of so many records."""
        return cls(Edition(edition), records, plan.k, plan.subject_column() in plan.dropped_names())

    @property
    def external(self) -> bool:
        """Whether external readers will see it."""
        return self.edition is Edition.EXTERNAL

    @property
    def fewest(self) -> int:
        """How many records whatever is shown must stand for."""
        if not self.external:
            return 1
        return max(FEWEST_RECORDS, self.k, math.ceil(FEWEST_SHARE * self.records))

    @property
    def counts_subjects(self) -> bool:
        """Whether it may be told how many persons stand behind the records of classes."""
        return not (self.external and self.subjects_hidden)

    def shows(self, count: int) -> bool:
        """Whether a number of records may be shown; that there are none may."""
        return count == 0 or count >= self.fewest

    def share(self, count: float, of: int | None = None) -> int:
        """Return a number of records as whole percent of so many, or of all."""
        return round(100 * count / (of or self.records))

    def amount(self, count: int, of: int | None = None) -> int:
        """Return what stands for a number of records: itself, or in an external edition its share."""
        return self.share(count, of) if self.external else count

    @property
    def unit(self) -> str:
        """What `amount` counts."""
        return "percent of records" if self.external else "records"

    def rounded(self, value: float) -> float:
        """Return a number as the edition shows it: in three digits for external readers."""
        if not self.external or not math.isfinite(value) or value == 0:
            return value
        return float(f"{value:.3g}")

    def bound(self, value: float) -> float:
        """Return a number that a value does not exceed, as the edition shows it."""
        return math.ceil(value * 1000 - 1e-9) / 1000 if self.external else value
