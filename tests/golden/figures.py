"""What is fixed of a run: hashes of what leaves, guarantees, warnings, measures, and the words of a refusal.

Only what users call is called here, so that the figures outlive any change inside the package.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat

import shoal
import shoal.cli
from command import same_log_after, same_signals_after
from golden.plans import FILED, PLANS, REFUSED, STREAMS, STREAMS_REFUSED, Case
from golden.tables import Columns, discharges, to_csv
from shoal.measures import measure

Figures = dict[str, Any]


def released_table(name: str, folder: Path) -> Figures:
    """Anonymize a table as a polars frame, and as a CSV file by the command line."""
    case = PLANS[name]
    plan, frame = load(case, folder), pl.DataFrame(case.data())
    release = shoal.anonymize(frame, plan)
    guarantees = json.loads(json.dumps(release.guarantees.to_list()))
    figures: Figures = {
        "cells": sha256_of_cells(release.data),
        "labels": sha256_of_labels(release.labels),
        "guarantees": guarantees,
        "warnings": release.manifest["warnings"],
        "groups": release.manifest["groups"],
    }
    if len(release.partition.blocks) > 1:
        figures["blocks"] = [[*block.columns, sha256_of_labels(block.labels)] for block in release.partition.blocks]
    if case.measured:
        figures["measures"] = numbers_of(measure(frame, release.data, plan, rows=release.rows))
    if name in FILED:
        (folder / "data.csv").write_text(to_csv(case.data()), encoding="utf-8", newline="")
        anonymize_file(folder, "data.csv", "release.csv")
        manifest = json.loads((folder / "release.manifest.json").read_text(encoding="utf-8"))
        figures["bytes"] = sha256((folder / "release.csv").read_bytes())
        figures["file has the same guarantees"] = manifest["guarantees"] == guarantees
    return figures


def released_stream(case: Case, folder: Path) -> Figures:
    """Send the records of the table through a stream; fix what leaves, with each push, and what was counted."""
    plan, columns = load(case, folder), case.data()
    anonymizer, sent = FEEDS[case.how](plan, columns, folder)
    return {
        "records": sha256(json.dumps(sent, default=str, ensure_ascii=False).encode()),
        "stats": anonymizer.stats.to_dict(),
        "no_reordering_above": anonymizer.manifest["no_reordering_above"],
        "normalisation": anonymizer.manifest["normalisation"],
    }


def refusal(case: Case, folder: Path) -> Figures:
    """Say how a plan, or a table by its plan, is refused."""
    return _raised(lambda: shoal.anonymize(pl.DataFrame(case.data()), load(case, folder)))


def refusal_of_stream(case: Case, folder: Path) -> Figures:
    """Say how a stream is refused: the plan, or the first record that does not fit."""

    def run() -> None:
        stream = shoal.StreamAnonymizer(load(case, folder))
        for record in records_of(case.data()):
            stream.push(record)

    return _raised(run)


def load(case: Case, folder: Path) -> shoal.Plan:
    """Read the plan from a file, as users have it."""
    path = folder / "plan.toml"
    path.write_text(case.text, encoding="utf-8")
    return shoal.Plan.load(path)


def command(*arguments: object) -> tuple[int, str]:
    """Run the command line; return its exit code and what it printed."""
    before, hook = sys.argv, sys.excepthook  # typer sets its own
    sys.argv = ["shoal", *map(str, arguments)]
    output = io.StringIO()
    try:
        quiet = contextlib.redirect_stderr(io.StringIO())
        with same_signals_after(), same_log_after(), contextlib.redirect_stdout(output), quiet:
            shoal.cli.main()
    except SystemExit as stopped:
        return int(stopped.code or 0), output.getvalue()
    finally:
        sys.argv, sys.excepthook = before, hook
    return 0, output.getvalue()


def anonymize_file(folder: Path, source: str, target: str, *options: str) -> None:
    """Anonymize a file by ``plan.toml`` of its folder."""
    files = (folder / source, "--plan", folder / "plan.toml", "-o", folder / target)
    code, _ = command("anonymize", *files, "-q", *options)
    assert code == 0, f"shoal anonymize ended with {code}"


def numbers_of(scores: Mapping[str, Any], *, detail: bool = False) -> dict[str, float | str]:
    """The value of every score; in detail, also those of its columns, its parts, its classes and its interval."""
    numbers: dict[str, float] = {}
    for key, score in scores.items():
        numbers[key] = score.value
        if detail:
            numbers |= {f"{key} of {name}": value for name, value in score.attributes.items()}
            numbers |= {f"{key}, {name}": value for name, value in score.parts.items()}
            numbers |= {f"{key}, sum over classes of {name}": np.sum(values) for name, values in score.groups.items()}
            numbers |= {f"{key}, bound {place}": bound for place, bound in enumerate(score.interval or ())}
    return {name: float(value) if np.isfinite(value) else str(value) for name, value in numbers.items()}


def sha256(content: bytes) -> str:
    """Return the hash of bytes."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_labels(labels: Any) -> str:
    """Return the hash of labels."""
    return sha256(np.asarray(labels).astype("<i8").tobytes())


def sha256_of_cells(frame: Any) -> str:
    """Return the hash of a frame's names, types, categories and values, whatever library it is of."""
    if isinstance(frame, pd.DataFrame):
        columns = [(name, str(frame[name].dtype), _plain_cells(frame[name])) for name in frame.columns]
        steps = [list(frame[name].cat.categories) for name in frame.select_dtypes("category").columns]
        content: Any = (columns, steps, frame.index.tolist())
    elif isinstance(frame, pa.Table):
        content = [(field.name, str(field.type), frame[field.name].to_pylist()) for field in frame.schema]
    else:
        content = [(name, str(frame[name].dtype), frame[name].to_list()) for name in frame.columns]
    return sha256(repr(content).encode())


def _plain_cells(column: pd.Series) -> list[Any]:
    return [None if pd.isna(value) else str(value) for value in column]


def records_of(columns: Columns) -> list[dict[str, Any]]:
    """Return the rows of a table as mappings."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _raised(run: Callable[[], object]) -> Figures:
    try:
        run()
    except shoal.ShoalError as error:
        reached = {"reached": error.reached} if isinstance(error, shoal.GuaranteeError) else {}
        return {"class": type(error).__name__, "message": str(error), **reached}
    return {"class": "none", "message": "nothing was refused"}


# Ways to feed a stream: each returns the stream and, for each push, what left.

Fed = tuple[shoal.StreamAnonymizer, list[Any]]


def _by_records(plan: shoal.Plan, columns: Columns, folder: Path) -> Fed:
    stream = shoal.StreamAnonymizer(plan)
    sent = [stream.push(record) for record in records_of(columns)]
    return stream, [*sent, stream.flush()]


def _by_frames(plan: shoal.Plan, columns: Columns, folder: Path) -> Fed:
    stream, frame = shoal.StreamAnonymizer(plan), pl.DataFrame(columns)
    sent = [stream.push_many(frame[start : start + 37]).rows() for start in range(0, len(frame), 37)]
    return stream, [*sent, stream.flush().rows()]


def _as_text(plan: shoal.Plan, columns: Columns, folder: Path) -> Fed:
    stream = shoal.StreamAnonymizer(plan, text=True)
    sent = [stream.push({name: str(value) for name, value in record.items()}) for record in records_of(columns)]
    return stream, [*sent, stream.flush()]


def _restored(plan: shoal.Plan, columns: Columns, folder: Path) -> Fed:
    stream, sent = shoal.StreamAnonymizer(plan), []
    for place, record in enumerate(records_of(columns)):
        if place % 53 == 52:
            stream.save(folder / "state", extra={"place": place})
            stream, _ = shoal.StreamAnonymizer.restore(folder / "state", plan=plan)
        sent.append(stream.push(record))
    return stream, [*sent, stream.flush()]


def _by_options(plan: shoal.Plan, columns: Columns, folder: Path) -> Fed:
    persons = plan.replace(subject="person")
    stream = shoal.StreamAnonymizer(persons, max_delay=25, position_weight=0.1, bounds={"age": (18, 90)}, sweeps=1)
    sent = [stream.push(record) for record in records_of(columns)]
    return stream, [*sent, stream.flush()]


FEEDS = {
    "records": _by_records,
    "frames": _by_frames,
    "text": _as_text,
    "restored": _restored,
    "options": _by_options,
}


# Frames of every library, by plans of the set.


PANDAS_TYPES = {
    "person": "string",
    "age": "Int64",
    "income": "float64",
    "born": "datetime64[ns]",
    "region": "category",
    "grade": pd.CategoricalDtype(["low", "mid", "high", "top"], ordered=True),
    "smoker": "boolean",
    "illness": "category",
    "site": "string",
}


def _booleans(columns: Columns) -> Columns:
    return {name: [v == "yes" for v in values] if name == "smoker" else values for name, values in columns.items()}


def _pandas(columns: Columns) -> pd.DataFrame:
    frame = pd.DataFrame(_booleans(columns))
    frame.index = pd.Index([3 * i for i in range(len(frame))], name="row")
    return frame.astype({name: kind for name, kind in PANDAS_TYPES.items() if name in columns})


def _moments(columns: Columns) -> list[datetime | None]:
    return [
        day and datetime(day.year, day.month, day.day, 6 + i % 12, tzinfo=UTC) for i, day in enumerate(columns["born"])
    ]


def _polars(columns: Columns) -> pl.DataFrame:
    frame = pl.DataFrame({**columns, "born": _moments(columns)})
    return frame.with_columns(
        pl.col("grade").cast(pl.Enum(["low", "mid", "high", "top"])),
        pl.col("site").cast(pl.Categorical),
        pl.col("age").cast(pl.Int16),
        pl.col("income").cast(pl.Decimal(12, 2)),
    )


def _arrow(columns: Columns) -> pa.Table:
    types = {
        "age": pa.int32(),
        "income": pa.float32(),
        "born": pa.date32(),
        "grade": pa.dictionary(pa.int32(), pa.string()),
    }
    return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})


FRAMES: dict[str, tuple[str, Callable[[Columns], Any]]] = {
    "pandas": ("categories as numbers", _pandas),
    "pandas with holes": ("missing impute", _pandas),
    "pandas, rounded, by variance": ("preserve variance, rounded", _pandas),
    "pandas, permuted": ("permute by, close", _pandas),
    "polars": ("mdav k=2", _polars),
    "polars with holes": ("missing by column", _polars),
    "polars, booleans": ("categories as numbers", lambda columns: pl.DataFrame(_booleans(columns))),
    "polars, mixed": ("mic1d fixed, dates and ranks", _polars),
    "pyarrow": ("round", _arrow),
    "pyarrow with holes": ("missing category", _arrow),
    "pyarrow, close": ("t_first tree", _arrow),
}
"""The plan, and how the table of it becomes a frame."""


def released_frame(name: str, folder: Path) -> Figures:
    """Anonymize a frame; it comes back as what it was."""
    plan_name, make = FRAMES[name]
    case = PLANS[plan_name]
    plan, frame = load(case, folder), make(case.data())
    release = shoal.anonymize(frame, plan)
    assert type(release.data) is type(frame)
    return {
        "cells": sha256_of_cells(release.data),
        "labels": sha256_of_labels(release.labels),
        "guarantees": release.guarantees.to_list(),
        "warnings": release.manifest["warnings"],
        "measures": numbers_of(measure(frame, release.data, plan, keys=["il_percent", "dld", "k_min"])),
    }


# Files of every format, by the command line.


def _text_of(path: Path) -> str:
    content = path.read_bytes()
    return sha256(gzip.decompress(content) if path.suffix == ".gz" else content)


def _cells_of(path: Path) -> str:
    match path.suffix:
        case ".parquet":
            return sha256_of_cells(pl.read_parquet(path))
        case ".arrow":
            return sha256_of_cells(pl.read_ipc(path))
        case _:
            frame, _ = (pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav)(path)
            return sha256_of_cells(pl.from_pandas(frame))


def _discharges(path: Path, encoding: str = "utf-8", **how: str) -> None:
    content = to_csv(discharges(), **how).encode(encoding)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _crlf(path: Path) -> None:
    path.write_bytes(to_csv(discharges()).replace("\n", "\r\n").encode())


FILES: dict[str, tuple[Callable[[Path], object], str, str, Sequence[str]]] = {
    "semicolons, decimal comma": (
        lambda path: _discharges(path, delimiter=";", decimal=",", date="%d/%m/%Y"),
        "data.csv",
        "release.csv",
        (),
    ),
    "byte order mark, tabs": (
        lambda path: _discharges(path, encoding="utf-8-sig", delimiter="\t"),
        "data.tsv",
        "release.tsv",
        (),
    ),
    "UTF-16": (lambda path: _discharges(path, encoding="utf-16"), "data.csv", "release.csv", ()),
    "compressed": (_discharges, "data.csv.gz", "release.csv.gz", ()),
    "carriage returns": (_crlf, "data.csv", "release.csv", ()),
    "date format": (
        lambda path: _discharges(path, date="%d.%m.%y"),
        "data.csv",
        "release.csv",
        ("--set", "attributes.admitted.format=%d.%m.%y"),
    ),
    "options": (
        _discharges,
        "data.csv",
        "release.csv",
        (
            *["--k", "9", "--method", "vmdav", "--gain", "0.4", "--round", "--scale", "minmax", "--by", "sex"],
            "--set",
            "attributes.age.weight=2",
            "--set",
            "attributes.severity.aggregate='mode'",
        ),
    ),
    "closeness by options": (
        _discharges,
        "data.csv",
        "release.csv",
        ("--t", "0.25", "--closeness-method", "k_first", "--set", "closeness.attributes=['charge']"),
    ),
    "CSV to Parquet": (_discharges, "data.csv", "release.parquet", ()),
    "CSV to Arrow": (_discharges, "data.csv", "release.arrow", ()),
    "CSV to Stata": (_discharges, "data.csv", "release.dta", ()),
    "CSV to SPSS": (_discharges, "data.csv", "release.sav", ()),
    "Parquet": (
        lambda path: pl.DataFrame(discharges()).write_parquet(path),
        "data.parquet",
        "release.parquet",
        (),
    ),
    "Parquet to CSV": (
        lambda path: pl.DataFrame(discharges()).write_parquet(path),
        "data.parquet",
        "release.csv",
        (),
    ),
    "Arrow": (lambda path: pl.DataFrame(discharges()).write_ipc(path), "data.arrow", "release.arrow", ()),
}
"""How the table is written, from which file to which it goes, and options of the command line."""


def released_file(name: str, folder: Path) -> Figures:
    """Anonymize a file; text is fixed by its bytes, other formats by their cells."""
    write, source, target, options = FILES[name]
    write(folder / source)
    load(PLANS["mdav"], folder)
    anonymize_file(folder, source, target, *options)
    manifest = json.loads((folder / "release.manifest.json").read_text(encoding="utf-8"))
    path = folder / target
    return {
        "contents": _text_of(path) if path.suffix in (".csv", ".tsv", ".gz") else _cells_of(path),
        "guarantees": manifest["guarantees"],
        "groups": manifest["groups"],
    }


# Exit codes, the commands that measure, and the stream between files.


def refused_by_command(folder: Path) -> Figures:
    """Exit codes of `shoal anonymize` where it refuses, and the files that it leaves: none."""
    figures: Figures = {}
    for name in ("unknown key", "text as numbers", "missing cells", "individual with guarantee", "strata not close"):
        (folder / "plan.toml").write_text(REFUSED[name].text, encoding="utf-8")
        (folder / "data.csv").write_text(to_csv(REFUSED[name].data()), encoding="utf-8", newline="")
        files = (folder / "data.csv", "--plan", folder / "plan.toml", "-o", folder / "release.csv")
        figures[name], _ = command("anonymize", *files, "-q")
    return {**figures, "files left": sorted(path.name for path in folder.iterdir())}


def measured_in_detail(folder: Path) -> Figures:
    """`measure` with all of its detail, and of what an intruder knows in part, all of it and sampled."""
    figures: Figures = {}
    for name in ("mdav", "mdav numbers", "individual", "missing confidential, close"):
        case = PLANS[name]
        plan, frame = load(case, folder), pl.DataFrame(case.data())
        data = shoal.anonymize(frame, plan).data
        figures[name] = numbers_of(measure(frame, data, plan), detail=True)
    keys = ["dld", "dr", "score", "k_min", "k_prime"]
    known: dict[str, dict[str, Any]] = {
        "pairs": {"subsets": 2},
        "a sample": {"subsets": "all", "sample": 9, "seed": 3},
        "two sets": {"subsets": [["age", "stay"], ["age", "sex", "severity"]]},
    }
    case = PLANS["mdav"]
    plan, frame = load(case, folder), pl.DataFrame(case.data())
    data = shoal.anonymize(frame, plan).data
    for name, asked in known.items():
        figures[name] = numbers_of(measure(frame, data, plan, keys=keys, **asked), detail=True)
    return figures


def measured_by_command(folder: Path) -> Figures:
    """`shoal measure` on two files."""
    load(PLANS["mdav"], folder)
    _discharges(folder / "data.csv")
    anonymize_file(folder, "data.csv", "release.csv")
    files = (folder / "data.csv", folder / "release.csv", "--plan", folder / "plan.toml")
    code, printed = command("measure", *files, "--json", "--no-groups", "-q")
    return {"exit code": code, "measures": json.loads(printed)}


def streamed_by_command(folder: Path) -> Figures:
    """`shoal stream` from file to file, as JSON and as CSV, and what `shoal measure --trace` says of it."""
    load(STREAMS["subject"], folder)
    (folder / "data.csv").write_text(to_csv(STREAMS["subject"].data()), encoding="utf-8", newline="")
    lines = (json.dumps(record, default=str) + "\n" for record in records_of(STREAMS["subject"].data()))
    (folder / "data.ndjson").write_text("".join(lines), encoding="utf-8")
    figures: Figures = {}
    for form in ("csv", "ndjson"):
        files = ("-i", folder / f"data.{form}", "-o", folder / f"out.{form}", "--trace", folder / f"trace.{form}")
        code, _ = command("stream", "--plan", folder / "plan.toml", *files, "-q")
        figures[f"exit code of {form}"] = code
        figures[f"bytes of {form}"] = sha256((folder / f"out.{form}").read_bytes())
        figures[f"bytes of the trace of {form}"] = sha256((folder / f"trace.{form}").read_bytes())
    trace = ("--plan", folder / "plan.toml", "--trace", folder / "trace.csv", "--json", "--no-groups", "-q")
    figures["exit code of measure"], printed = command("measure", folder / "data.csv", folder / "out.csv", *trace)
    return {**figures, "measures": json.loads(printed)}


def _each(run: Callable[[Any, Path], Figures], cases: Mapping[str, Any]) -> dict[str, Callable[[Path], Figures]]:
    return {name: lambda folder, case=case: run(case, folder) for name, case in cases.items()}


RUNS: dict[str, Callable[[Path], Figures]] = {
    f"{what}: {name}": run
    for what, runs in {
        "plan": _each(released_table, {name: name for name in PLANS}),
        "frame": _each(released_frame, {name: name for name in FRAMES}),
        "file": _each(released_file, {name: name for name in FILES}),
        "stream": _each(released_stream, STREAMS),
        "refused plan": _each(refusal, REFUSED),
        "refused stream": _each(refusal_of_stream, STREAMS_REFUSED),
        "command": {
            "refused": refused_by_command,
            "measure in detail": measured_in_detail,
            "measure": measured_by_command,
            "stream": streamed_by_command,
        },
    }.items()
    for name, run in runs.items()
}
"""Everything that is fixed: what computes its figures in an empty folder, by name."""
