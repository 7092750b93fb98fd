"""Secret: a confidential attribute of persons inside and outside a release, and what a guess at it is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Baseline
from shoal.attacks.material import Material
from shoal.measures.column_pair import ColumnPair
from shoal.measures.tables import compared_by, paired_column
from shoal.plan.attribute import Role

NEAR = 0.1
"""A guessed number is right within so many standard deviations of the release."""


@dataclass(frozen=True, eq=False)
class Secret:
    """A confidential attribute, in one code book."""

    name: str
    truth: NDArray[Any]  # the original value of each person in the release
    released: NDArray[Any]  # of each record
    control: NDArray[Any] | None  # of each person of the control; NaN where the release has no such value
    reach: float | None  # how far a guess may be from the truth; None for categories

    @property
    def is_number(self) -> bool:
        """Whether a guess near the truth is right."""
        return self.reach is not None

    def right(self, guesses: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.float64]:
        """Tell which guesses are right."""
        right = guesses == truth if self.reach is None else np.abs(guesses - truth) <= self.reach
        return np.asarray(right, dtype=np.float64)

    def summary(self, values: NDArray[Any]) -> Any:
        """Return the best guess at a person of whom only some released values are known: the commonest, or the median.

        Of values that are equally common the smallest is taken: a code has no meaning, so this favours nobody.
        """
        if self.is_number:
            return np.median(values)
        distinct, counts = np.unique(values, return_counts=True)
        return distinct[counts.argmax()]

    def commonest(self) -> Baseline:
        """Return how often who guesses the same of everybody is right, by the best guess that the release tells."""
        if self.reach is None:
            guess = self.summary(self.released)
        else:
            ordered = np.sort(self.released)
            inside = np.searchsorted(ordered, ordered + 2 * self.reach, side="right") - np.arange(len(ordered))
            guess = ordered[inside.argmax()] + self.reach
        rate = float(self.right(np.full(len(self.truth), guess), self.truth).mean())
        return Baseline(rate, "the best single guess for everybody, which any table of the attribute would tell")


def control_values(own: ColumnPair, other: ColumnPair) -> NDArray[np.float64]:
    """Return the control's values of a column in the terms of the release; NaN where it has no such category."""
    values = np.asarray(other.original, dtype=np.float64)
    if own.is_continuous:
        # Both count from an origin of their own; the released records are the same.
        return np.asarray(values + (own.released[0] - other.released[0]))
    if own.is_directional:
        return values
    codes = np.full(other.levels, np.nan)
    codes[other.released] = own.released
    return np.asarray(codes[other.original])


def secrets(material: Material) -> Iterator[Secret]:
    """Yield the confidential attributes that can be guessed."""
    for name in guessed_names(material):
        spec = compared_by(material.plan, name)
        column = paired_column(material.original, material.released, spec)
        control = None
        if material.control is not None and name in material.control.names:
            other = paired_column(material.control, material.released, spec, called="control")
            control = control_values(column, other)
        reach = NEAR * column.released_spread.deviation if column.is_continuous else None
        yield Secret(name, column.original, column.released, control, reach)


def guessed_names(material: Material) -> list[str]:
    """Return the confidential attributes that both tables have and that the intruder does not know."""
    return [
        name
        for name in material.plan.names(Role.CONFIDENTIAL)
        if name not in material.known
        and name in material.original.names
        and name in material.released.names
        and not compared_by(material.plan, name).kind.is_directional
    ]


def nothing_to_guess(material: Material) -> str | None:
    """Say why no attribute can be guessed, where that is so."""
    if guessed_names(material):
        return None
    return "no confidential attribute is in both tables and unknown to the intruder"
