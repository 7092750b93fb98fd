"""Unique records: how many can be told apart from all others by some columns, as an intruder would who knows these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import read_subjects
from shoal.frames import Table

MOST_RECORDS = 200_000
"""Records that are counted of a larger table."""

_SEED = 0
_MOST_PAIRED = 24
"""Columns that are paired: of more, those that tell most apart alone."""


@dataclass(frozen=True)
class Uniqueness:
    """How many records are unique, by all columns, by each and by the worst pairs."""

    records: int  # how many were counted
    sampled: bool  # whether that is a sample: a record that is unique in it need not be so in the table
    together: int  # records that are unique by all columns together
    alone: tuple[tuple[str, int], ...]  # by each column, most first
    pairs: tuple[tuple[tuple[str, str], int], ...]  # by two columns, the worst first


def unique_records(
    table: Table, names: Sequence[str], *, subject: str | None = None, worst: int = 5, most: int = MOST_RECORDS
) -> Uniqueness:
    """Count the records whose values in some columns, which an intruder may know, only one subject has.

    Somebody's own records do not hide each other, where a column names the subject. So many of the ``worst`` pairs are
    named; beyond ``most`` records, a seeded sample is counted.

    >>> import polars as pl
    >>> table = Table.of(pl.DataFrame({"age": [30, 30, 41, 41], "sex": ["f", "m", "f", "f"]}))
    >>> unique = unique_records(table, ["age", "sex"])
    >>> unique.together, unique.alone, unique.pairs
    (2, (('sex', 1), ('age', 0)), ((('age', 'sex'), 2),))
    """
    sampled = len(table) > most
    if sampled:
        table = table.take(np.sort(np.random.default_rng(_SEED).choice(len(table), most, replace=False)))
    numbers = None if subject is None else read_subjects(table, subject).numbers
    codes = {name: equivalence_classes([table.class_codes(name)]) for name in names if table.dtype(name) != "other"}

    def singled_out(*columns: str) -> int:
        if not columns:
            return 0
        classes = equivalence_classes([codes[name] for name in columns])
        return int((subjects_of_each(classes, numbers) == 1)[classes].sum())

    alone = sorted(((name, singled_out(name)) for name in codes), key=lambda entry: -entry[1])
    paired = [name for name, _ in alone[:_MOST_PAIRED]]
    order = {name: place for place, name in enumerate(codes)}
    pairs = [
        ((first, second), singled_out(first, second))
        for first, second in (sorted(pair, key=order.__getitem__) for pair in combinations(paired, 2))
    ]
    pairs.sort(key=lambda entry: -entry[1])
    return Uniqueness(len(table), sampled, singled_out(*codes), tuple(alone), tuple(pairs[:worst]))
