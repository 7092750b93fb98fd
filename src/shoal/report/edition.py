"""Editions of a report: who reads it.

The internal edition stays where the original table stays, and compares with it. The external edition goes out with the
release. It is made of the released table, the plan and the guarantees, and of nothing else (`external_edition`), so
that it tells nothing that they do not.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn

from shoal.errors import PlanError, nearest


class Edition(StrEnum):
    """Who a report is for."""

    INTERNAL = "internal"
    EXTERNAL = "external"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise PlanError(f"edition must be internal or external, not {value!r}{nearest(str(value), list(cls))}")
