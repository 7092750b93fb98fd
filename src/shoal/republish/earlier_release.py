"""Earlier: a release of a table that is already out, its rows beside those of the original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes
from shoal.errors import DataError, PlanError
from shoal.frames import Table
from shoal.kinds.text import category_text
from shoal.masking.inputs import read_inputs
from shoal.masking.mask import domain_column, mask_table
from shoal.masking.recoding import recoded
from shoal.masking.row_order import shuffled_rows
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.plan.missing_values import open_table

_MISSING = -1
"""The code of a missing cell."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """An earlier release of a table. Make one with `Earlier.of`.

    Notes
    -----
    A release belongs to a table if its manifest has the table's fingerprint. That depends on the order of rows, as it
    should: it is what tells that row by row the two are about the same records. A table that was sorted since is
    another one, and is refused.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> release = shoal.anonymize(frame, plan)
    >>> Earlier.of(frame, release.data, release.manifest).classes(["age"]).tolist()
    [0, 0, 1, 1]
    """

    name: str  # what to call it in messages
    plan: Plan  # what was asked of it
    released: Table  # the table that left
    places: NDArray[np.int64]  # the released row of each original one, from 0
    fingerprint: str  # of the released table, for the manifest
    # the group of each original row, of a permutation, which does not show them; None of averages
    groups: NDArray[np.int64] | None = None
    releases: ClassVar[int] = 1
    remedy: ClassVar[str] = "mask by the plan of the earlier release"

    @classmethod
    def of(
        cls,
        original: Any,
        released: Any,
        manifest: Mapping[str, Any],
        *,
        rows: ArrayLike | None = None,
        name: str = "the earlier release",
    ) -> Earlier:
        """Match an earlier release with the table it was made of.

        Parameters
        ----------
        original, released
            The table, and what was released of it, as frames.
        manifest
            Of the release: plain values, as in its JSON file.
        rows
            The original row of each released one, from 0. Left out, they stand as in the original, or as shoal
            shuffles the rows of this table by this plan.
        name
            What to call it in messages.

        Raises
        ------
        DataError
            The manifest is of another table or of another release, or the rows cannot be matched.
        """
        table, left = _opened(original, manifest), Table.of(released)
        require_fingerprints(manifest, name, original=[table.sha256()], released=[left.sha256()])
        return cls.matched(table, left, manifest, rows=rows, name=name)

    @classmethod
    def matched(
        cls, original: Table, released: Table, manifest: Mapping[str, Any], *, rows: ArrayLike | None, name: str
    ) -> Earlier:
        """Put the rows of a release beside those of its original, once the fingerprints were compared."""
        plan, fingerprint = Plan.from_mapping(manifest["plan"]), str(manifest["output"]["sha256"])
        again = rows is None and bool(manifest.get("order", {}).get("shuffled"))
        of_released = _row_map(len(original), len(released), shuffled_rows(original, plan) if again else rows, name)
        places = np.argsort(of_released)
        columns = unchanged_columns(recoded(original, plan).table, released, plan, places)
        agreements = [np.array_equal(before, after) for before, after in columns]
        if not all(agreements) or (again and not agreements):
            raise DataError(
                f"the rows of {name} cannot be matched with those of the table: give the row map that was written with "
                "it, and not that of another release"
            )
        groups = None
        if plan.release is ReleaseMode.PERMUTE:
            groups = _permuted_groups(original, plan, of_released, fingerprint, name)
        return cls(name, plan, released, places, fingerprint, groups)

    def classes(self, columns: Iterable[str]) -> NDArray[np.int64]:
        """Return a number per original row: the same where who knows these columns cannot tell records apart."""
        if self.groups is not None:
            return self.groups
        codes = [self.released.class_codes(name)[self.places] for name in columns if name in self.released.names]
        return equivalence_classes(codes) if codes else np.zeros(len(self.places), dtype=np.int64)

    def parted(self, classes: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        """Return nothing: the same records stand in every release of one table."""
        return np.empty(0, dtype=np.int64)


def _opened(original: Any, manifest: Mapping[str, Any]) -> Table:
    """Take the table as the plan of its release reads it; a manifest that has none is refused with the fingerprints."""
    try:
        return open_table(original, Plan.from_mapping(manifest["plan"]))
    except (PlanError, KeyError, TypeError):
        return Table.of(original)


def require_fingerprints(
    manifest: Mapping[str, Any], name: str, *, original: Iterable[str], released: Iterable[str]
) -> None:
    """Refuse a release of another table, and a manifest of another release.

    The fingerprints of the two are those of the table, or of the file it stood in; one that agrees is enough.
    """
    unknown = DataError(f"the manifest of {name} is none that shoal wrote")
    try:
        of_original, of_released = (
            {manifest[part][key] for key in ("sha256", "file_sha256") if key in manifest[part]}
            for part in ("input", "output")
        )
        plan = Plan.from_mapping(manifest["plan"])
        if set(plan.attributes) != set(manifest["input"]["columns"]):
            raise unknown
    except PlanError as error:
        raise DataError(f"the plan in the manifest of {name} cannot be read: {error}") from None
    except (KeyError, TypeError):
        raise unknown from None
    if of_released.isdisjoint(released):
        raise DataError(f"{name} is not the release that its manifest speaks of: their fingerprints differ")
    if of_original.isdisjoint(original):
        raise DataError(
            f"{name} was not made of this table: the fingerprint in its manifest is another one, as it also is where "
            "rows were sorted or changed since; give the table as it was then"
        )


def _row_map(records: int, released: int, rows: ArrayLike | None, name: str) -> NDArray[np.int64]:
    """Return the original row of each released one, or refuse what does not name each once."""
    if released != records:
        raise DataError(f"{name} has {released:,} rows and the table {records:,}: they cannot be matched")
    if rows is None:
        return np.arange(records)
    row_map = np.asarray(rows)
    numbers = row_map.dtype.kind in "iu" and row_map.shape == (records,)
    if not numbers or not np.array_equal(np.sort(row_map), np.arange(records)):
        raise DataError(f"the row map of {name} must name each of the {records:,} original rows once")
    return row_map.astype(np.int64)


def unchanged_columns(
    original: Table, released: Table, plan: Plan, places: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield codes, before and after, of each column that leaves as it was or recoded and that both tables can tell."""
    for column in original.names:
        if column not in plan.attributes or column not in released.names:
            continue
        if plan.attributes[column].role is Role.IDENTIFIER or column in plan.changed_names():
            continue
        dtypes = {original.dtype(column), released.dtype(column)}
        alike = len(dtypes) == 1 or dtypes in ({"integer", "float"}, {"string", "categorical"})
        if dtypes & {"duration", "other"} or not alike:
            continue  # they cannot be compared, or a format without types stands between them
        before, after = original.categories(column), released.categories(column)
        if before.labels == after.labels:
            yield before.codes.astype(np.int64), after.codes[places].astype(np.int64)
            continue
        texts = [[*map(category_text, each.labels)] for each in (before, after)]
        if dtypes == {"string", "categorical"} and not set(texts[0]) >= set(texts[1]):
            continue  # a codebook stands between them: labels on one side, codes on the other
        number = {text: i for i, text in enumerate(dict.fromkeys([*texts[0], *texts[1]]))}
        numbers_before, numbers_after = (np.array([*(number[text] for text in each), _MISSING]) for each in texts)
        yield numbers_before[before.codes], numbers_after[after.codes][places]


def _permuted_groups(
    original: Table, plan: Plan, of_released: NDArray[np.int64], fingerprint: str, name: str
) -> NDArray[np.int64]:
    """Form the groups of a permutation again: the table and the plan say them, the released table does not."""
    table = recoded(original, plan).table
    inputs = read_inputs(table, plan)
    masked = mask_table(original, inputs, plan)
    data = table.replace({**masked.columns, **domain_column(inputs, plan)}, drop=plan.names(Role.IDENTIFIER))
    again = Table.of(data).take(of_released)
    if again.sha256() != fingerprint:
        raise DataError(
            f"{name} was released by permutation, and its groups, which the table does not show, cannot be formed "
            "again: was it made by another version of shoal?"
        )
    return masked.partition.labels
