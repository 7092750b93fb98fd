"""Singling out: a predicate made from a released record that holds for one original person, and for the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.declaration import Attack, Baseline, Outcome
from shoal.attacks.linkage import not_of_a_permutation
from shoal.attacks.material import Material
from shoal.attacks.nearest import reported
from shoal.measures.column_pair import ColumnPair

PREDICATES = 10_000
"""Persons whose records are made a predicate; all of them where there are fewer."""
NARROWER = 4
"""A single clause is narrowed by 1, 1/2, 1/4 or 1/8, drawn: the intruder does not know what isolates best."""
WIDER = (0, 1, 2, 4, 8, 16)
"""By how many neighbouring released values a clause among several is widened, drawn."""
CLAUSES = 4
"""The most clauses of a predicate."""

Clause = tuple[float, float]
"""The least and the greatest value that a column may have."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A column that predicates speak of: original values in order, and the released ones that clauses come from."""

    values: NDArray[Any]  # of each original record; categories by their codes
    order: NDArray[np.int64]  # the records by value
    ordered: NDArray[Any]  # and their values
    cells: NDArray[np.float64]  # the distinct released values, in order; empty where values are categories

    @classmethod
    def of(cls, column: ColumnPair) -> Axis:
        """Sort a column once."""
        order = np.argsort(column.original, kind="stable")
        cells = np.unique(column.released) if column.is_continuous else np.empty(0)
        return cls(column.original, order, column.original[order], cells)

    def clause(self, released: float, *, wider: int, narrower: float) -> Clause:
        """Return the values nearer to a released one than to its neighbours; a category stands for itself alone."""
        if not len(self.cells):
            return released, released
        place = int(np.searchsorted(self.cells, released))
        first, last = max(place - wider, 0), min(place + wider, len(self.cells) - 1)
        low = -np.inf if first == 0 else float(self.cells[first - 1] + self.cells[first]) / 2
        high = np.inf if last == len(self.cells) - 1 else float(self.cells[last] + self.cells[last + 1]) / 2
        if narrower < 1:
            low = released - (released - low) * narrower
            high = released + (high - released) * narrower
        return low, high

    def span(self, clause: Clause) -> slice:
        """Return where the records that a clause holds for begin and end in the order."""
        low, high = clause
        return slice(int(np.searchsorted(self.ordered, low)), int(np.searchsorted(self.ordered, high, side="right")))


def satisfying(axes: Sequence[Axis], clauses: Sequence[Clause]) -> NDArray[np.int64]:
    """Return the original records that every clause holds for: those of the rarest, looked at by the others."""
    spans = [axis.span(clause) for axis, clause in zip(axes, clauses, strict=True)]
    rarest = min(range(len(spans)), key=lambda place: spans[place].stop - spans[place].start)
    rows = axes[rarest].order[spans[rarest]]
    for place, (axis, (low, high)) in enumerate(zip(axes, clauses, strict=True)):
        if place != rarest:
            values = axis.values[rows]
            rows = rows[(values >= low) & (values <= high)]
    return rows


def isolated(material: Material, rows: NDArray[np.int64]) -> bool:
    """Tell whether records are all of one person."""
    if material.subjects is None or len(rows) == 0:
        return len(rows) == 1
    numbers = material.subjects.numbers
    # Of many records the first few are mostly of several persons already.
    return all(bool((numbers[part] == numbers[rows[0]]).all()) for part in (rows[:64], rows[64:]))


def _columns(material: Material) -> tuple[ColumnPair, ...]:
    return tuple(column for column in material.columns if not column.is_directional)


Shapes = dict[int, dict[str, Any]]
"""How wide the clause of each chosen column is."""


def _univariate(columns: int, generator: np.random.Generator) -> Shapes:
    column = int(generator.integers(columns))
    return {column: {"wider": 0, "narrower": 0.5 ** int(generator.integers(NARROWER))}}


def _multivariate(columns: int, generator: np.random.Generator) -> Shapes:
    chosen = generator.choice(columns, int(generator.integers(2, min(CLAUSES, columns) + 1)), replace=False).tolist()
    return {column: {"wider": WIDER[int(generator.integers(len(WIDER)))], "narrower": 1.0} for column in chosen}


def _run(material: Material, draw: Callable[[int, np.random.Generator], Shapes], purpose: str) -> Iterator[Outcome]:
    columns, rows = _columns(material), material.drawn(PREDICATES, purpose)
    axes = [Axis.of(column) for column in columns]
    generator = material.generator(purpose)
    chances = np.zeros(len(rows))
    somebody = 0
    judged: dict[Any, NDArray[np.int64] | None] = {}  # categories make the same predicate again and again
    for number, row in enumerate(reported(rows.tolist(), material.progress)):
        shapes = draw(len(columns), generator)
        clauses = [axes[j].clause(columns[j].released[row], **shape) for j, shape in shapes.items()]
        predicate = tuple(sorted(zip(shapes, clauses, strict=True)))
        if predicate not in judged:
            every = satisfying([axes[j] for j in shapes], clauses)
            judged[predicate] = every if isolated(material, every) else None
        persons = judged[predicate]
        if persons is not None:
            somebody += 1
            own = material.classes[row]
            chances[number] = bool((material.classes[persons] == own).any()) / material.class_sizes[own]
    share = somebody / len(rows)
    text = "as many predicates that hold for one person, if it were any of the release"
    baseline = Baseline(share / material.persons, text)
    yield Outcome(chances, baseline, total=material.persons, detail={"predicates that isolate anybody": share})


def _why_not(material: Material, least: int) -> str | None:
    if len(_columns(material)) < least:
        columns = "a column that is" if least == 1 else f"{least} columns or more that are"
        return f"it needs {columns} neither places nor cycles"
    return not_of_a_permutation(material)


_SUCCESS = (
    "it succeeds if it holds for one original person alone, and for one behind that record; where c persons share the "
    "released values it speaks of each with 1/c."
)

SINGLING_OUT = Attack(
    "singling_out",
    "singling out by one attribute",
    "A predicate on one known column is made from a released record (a category, or the values nearer to the released "
    f"one than to its neighbours, narrowed at random); {_SUCCESS}",
    "Cohen and Nissim 2020, after an opinion of the Article 29 Working Party",
    lambda material: _run(material, _univariate, "univariate predicates"),
    why_not=lambda material: _why_not(material, 1),
    promised=True,
)

SINGLING_OUT_SEVERAL = Attack(
    "singling_out_several",
    "singling out by several attributes",
    f"A predicate on two to {CLAUSES} known columns at once is made from a released record (a category, or the values "
    f"around the released one, widened at random); {_SUCCESS}",
    "Cohen and Nissim 2020, after an opinion of the Article 29 Working Party",
    lambda material: _run(material, _multivariate, "multivariate predicates"),
    why_not=lambda material: _why_not(material, 2),
    promised=True,
)
