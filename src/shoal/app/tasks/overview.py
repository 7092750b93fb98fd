"""The overview of a table: its shape, how it is written, its first rows, and what each column seems to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.app.tasks.bench import Bench, Source
from shoal.app.tasks.release_job import released_name
from shoal.app.worker import Reporter
from shoal.files import FORMATS, SourceFile, target_format
from shoal.frames import Table
from shoal.plan.json_schema import SCHEMA_FILE
from shoal.plan.propose import WORDS, draft_of_file, sample_rows
from shoal.plan.propose.profile import Profile, profile_of
from shoal.plan.toml import parse_toml

_ROWS, _BARS, _CATEGORIES, _LONGEST = 8, 16, 4, 60
_MOST_ORDERED = 60


@dataclass(frozen=True)
class Sketch:
    """A column in a few bars: intervals of numbers, or the commonest categories; and how many cells each has."""

    bars: tuple[tuple[str, int], ...]
    intervals: bool


@dataclass(frozen=True)
class ColumnOverview:
    """What is seen of a column: counts of the whole table, a sketch of a sample, and why it is proposed so."""

    name: str
    distinct: int
    gaps: int
    reason: str
    sketch: Sketch
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """What is seen of a table, and whether a spreadsheet would run formulas in its release."""

    name: str
    format: str
    formulas: bool
    rows: int
    columns: tuple[ColumnOverview, ...]
    dialect: tuple[tuple[str, str], ...]
    preview: tuple[tuple[str, ...], ...]
    proposed: dict[str, Any]
    sampled: int | None


def look_at(bench: Bench, report: Reporter, source: Source) -> Overview:
    """Read a table, look at every column and propose a plan."""
    report.stage("reading")
    data = bench.table(source)
    report.stage("looking")
    draft = draft_of_file(data)
    table = Table.of(data.frame)
    rows = sample_rows(len(table))
    kinds = data.guess_kinds(missing=WORDS, rows=rows)
    sample = table if rows is None else table.take(rows)
    proposed = parse_toml(draft.text(name=data.name, schema=SCHEMA_FILE.name))
    columns = []
    for proposal in draft.columns:
        profile = profile_of(table, sample, proposal.name, guess=kinds.get(proposal.name))
        few = profile.labels if len(profile.labels) <= _MOST_ORDERED else ()
        columns.append(
            ColumnOverview(
                proposal.name,
                profile.distinct,
                profile.rows - profile.present,
                proposal.reason,
                _sketch(profile, proposed["attributes"].get(proposal.name, {}).get("format")),
                tuple(map(str, few)),
            )
        )
    return Overview(
        name=data.name,
        format=FORMATS[data.format].title,
        formulas=target_format(released_name(data), like=data).has_formulas,
        rows=len(table),
        columns=tuple(columns),
        dialect=_dialect(data),
        preview=tuple(tuple(_cell(value) for value in row) for row in data.frame.head(_ROWS).rows()),
        proposed=proposed,
        sampled=None if rows is None else len(rows),
    )


def _sketch(profile: Profile, written: str | None) -> Sketch:
    if profile.distinct > _CATEGORIES:
        days = _days(profile, written) if profile.kind == "date" else None
        if days is not None:
            return _histogram(days, profile.counts, lambda edge: date.fromordinal(round(edge)).isoformat())
        numbers = profile.numbers
        present = ~np.isnan(numbers) if len(numbers) else np.empty(0, dtype=np.bool_)
        if profile.kind == "numeric" and present.any() and np.isfinite(numbers[present]).all():
            return _histogram(numbers[present], profile.counts[present], "{:.4g}".format)
    order = np.argsort(-profile.counts, kind="stable")[:_CATEGORIES]
    bars = [(_cell(profile.labels[i]), int(profile.counts[i])) for i in order]
    rest = int(profile.counts.sum()) - sum(count for _, count in bars)
    return Sketch((*bars, ("…", rest)) if rest else tuple(bars), intervals=False)


def _histogram(values: Any, counts: NDArray[np.int64], words: Callable[[float], str]) -> Sketch:
    heights, edges = np.histogram(values, bins=_BARS, weights=counts)
    labels = [f"{low} – {high}" for low, high in pairwise(map(words, edges))]
    return Sketch(tuple(zip(labels, map(int, heights), strict=True)), intervals=True)


def _days(profile: Profile, written: str | None) -> list[int] | None:
    """Return the days of a column of dates; None where a word among them is none, and categories tell more."""
    try:
        if written is None:
            return [date.fromisoformat(str(label)[:10]).toordinal() for label in profile.labels]
        return [datetime.strptime(str(label), written).toordinal() for label in profile.labels]
    except ValueError:
        return None


def _dialect(data: SourceFile) -> tuple[tuple[str, str], ...]:
    dialect = data.dialect
    if dialect is None:
        return ()
    marks = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "space"}
    return (
        ("delimiter", marks.get(dialect.delimiter, dialect.delimiter)),
        ("encoding", dialect.encoding),
        ("decimal", dialect.decimal or "."),
        ("line_end", {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}.get(dialect.line_end, "")),
    )


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
