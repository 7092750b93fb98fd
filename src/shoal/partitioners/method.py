"""Method: a partitioner as a plan can name it, with what it reads and promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from shoal.options import Options


@dataclass(frozen=True)
class Method:
    """A partitioner: ``partition(points, k, *, progress, **options) -> labels``.

    Parameters
    ----------
    name
        In plans and messages.
    partition
        The function.
    summary
        What its groups are, in a few words.
    options
        The keyword arguments that a plan may set, with their rules and defaults.
    nominal
        It takes nominal attributes.
    attributes
        How it treats those of a block: ``together`` as points in space, ``one`` where there may be only one, ``each``
        by itself, or ``mixed`` in one line; it then returns masked values instead of labels.
    borders
        Groups end at borders that averages of groups may show, such as those of cells or of runs along a line: readers
        of a release then know more of a value than the average of its group.
    """

    name: str
    partition: Callable[..., NDArray[Any]]
    summary: str
    options: type[Options] = Options
    nominal: bool = True
    attributes: Literal["together", "one", "each", "mixed"] = "together"
    borders: bool = True

    @property
    def masks_values(self) -> bool:
        """Whether it masks values, so that there are no groups of records."""
        return self.attributes == "mixed"
