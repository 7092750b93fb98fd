"""Bytes of CSV files, columns of Arrow tables and plans as an adversary has them: taken, or refused in a sentence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import shoal
from shoal import Plan
from shoal.errors import ShoalError
from shoal.files.csv._read import read_csv
from shoal.frames import Table

PIECES = (
    b",", b";", b'"', b'""', b"\n", b"\r", b"\r\n", b"\t", b"\x00", b"\xff", b"\xef\xbb\xbf", b"a", b"1", b"-1.5",
    b"1e999", b"=1+1", b" ", b"'", b"\xc3\xa9", b"\xf0\x9f\x90\x9f", b"nan", b"2024-01-01", b"x" * 300,
)  # fmt: skip


def csv_bytes(seed: int) -> str:
    """Read a random text as CSV, and write what was read."""
    random = np.random.default_rng(seed)
    many = int(random.integers(0, 400))
    data = b"".join(PIECES[i] for i in random.integers(len(PIECES), size=many))
    options = {
        "delimiter": None if random.random() < 0.5 else str(random.choice([",", ";", "|", "\t"])),
        "encoding": None if random.random() < 0.7 else str(random.choice(["utf-8", "cp1252", "utf-16", "utf-7"])),
    }

    def work() -> None:
        frame, dialect, lines = read_csv(data, "data.csv", **options)
        assert frame.height > 0
        assert lines.of(frame.height - 1) >= 2
        assert dialect.delimiter

    return judged(seed, work)


def arrow_columns(seed: int) -> str:
    """Anonymize a table of random types and extreme values, in random chunks, with cells missing here and there."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 30))
    makers: list[Callable[[], pa.Array]] = [
        lambda: pa.array(random.integers(-(2**63), 2**63 - 1, n), pa.int64()),
        lambda: pa.array(random.integers(0, 2**64 - 1, n, dtype=np.uint64), pa.uint64()),
        lambda: pa.array(random.choice([0.0, -0.0, 1e308, -1e308, 5e-324, np.nan, np.inf], n)),
        lambda: pa.array(random.integers(-(2**62), 2**62, n)).view(
            pa.timestamp(str(random.choice(["ms", "us", "ns"])))
        ),
        lambda: pa.array(random.integers(-(2**31), 2**31 - 1, n, dtype=np.int32)).view(pa.date32()),
        lambda: pa.array(random.integers(-(2**62), 2**62, n)).view(pa.duration("us")),
        lambda: pa.array(random.choice(["", "a", "\x00", "é", "\u202e", "x" * 1000], n)).dictionary_encode(),
        lambda: pa.array(random.choice(["", "a", "\x1b[2J", "=1"], n), pa.large_string()),
        lambda: pa.array(random.choice([True, False], n)),
        lambda: pa.array([[int(i)] for i in random.integers(9, size=n)]),
        lambda: pa.array([bytes([int(i)]) for i in random.integers(9, size=n)]),
        lambda: pa.nulls(n, pa.null()),
        lambda: pa.array([dt.time(int(h), 0) for h in random.integers(24, size=n)]),
    ]
    chosen = random.choice(len(makers), size=int(random.integers(1, 5)))
    columns = {f"c{i}": holed(makers[maker](), random) for i, maker in enumerate(chosen)}
    kinds = ["numeric", "ordinal", "nominal", "date"]
    roles = ["quasi_identifier", *random.choice(["quasi_identifier", "confidential"], len(columns)).tolist()]
    attributes = {
        name: {"role": role, "kind": str(random.choice(kinds))} for name, role in zip(columns, roles, strict=False)
    }

    def work() -> None:
        table = pa.table(columns)
        frame = [table, pl.from_arrow(table)][int(random.integers(2))]
        Table.of(frame).sha256()
        missing = str(random.choice(["error", "impute", "category"]))
        plan = Plan(k=2, subject="record", missing=missing, attributes=attributes)
        release = shoal.anonymize(frame, plan)
        assert release.guarantees.holds

    return judged(seed, work)


def holed(column: pa.Array, random: np.random.Generator) -> pa.ChunkedArray:
    """Make some cells missing, and cut the column in two."""
    if random.random() < 0.5:
        keep = pa.array(random.random(len(column)) < 0.8)
        column = pa.compute.if_else(keep, column, pa.scalar(None, column.type))
    cut = int(random.integers(len(column) + 1))
    return pa.chunked_array([column[:cut], column[cut:]], column.type)


VALUES: tuple[Any, ...] = (
    0, 1, 2, -1, 5, 2**31, 2**63, -(2**63) - 1, 10**30, 0.0, 0.5, 1.5, -1.0, 1e308, float("nan"), float("inf"), True,
    False, "", "5", "mdav", "record", "x" * 500, [], [1], ["a", "a"], [[1]], {}, {"t": 0.1}, {"a": {"b": {}}}, None,
)  # fmt: skip


def plans(seed: int) -> str:
    """Set random fields of a plan to random values, and carry out what is taken."""
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {"age": random.integers(0, 90, 24), "area": random.choice(["n", "s"], 24), "pay": random.random(24)}
    )
    attributes: dict[str, Any] = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "pay": {"role": "confidential", "kind": "numeric"},
    }
    values: dict[str, Any] = {"k": 3, "attributes": attributes}
    keys = [*Plan.known_keys(), "nonsense"]
    for _ in range(int(random.integers(1, 3))):
        value = VALUES[int(random.integers(len(VALUES)))]
        match int(random.integers(3)):
            case 0:
                values[str(random.choice(keys))] = value
            case 1:
                name = str(random.choice(list(attributes)))
                option = str(
                    random.choice(["role", "kind", "weight", "order", "scale", "aggregate", "missing", "round"])
                )
                attributes[name] = {**attributes[name], option: value}
            case _:
                section = str(random.choice(["closeness", "diversity", "dependence", "stream"]))
                option = str(
                    random.choice(["t", "n", "method", "attributes", "weight", "distinct", "max_delay", "sweeps"])
                )
                values[section] = {**({"t": 0.5} if section == "closeness" else {}), option: value}

    def work() -> None:
        plan = Plan.from_mapping(values)
        assert Plan.parse(plan.to_toml()) == plan
        shoal.anonymize(frame, plan)

    return judged(seed, work)


def judged(seed: int, work: Callable[[], None]) -> str:
    """Return what went wrong, or an empty text: work is done, or refused in one sentence."""
    try:
        work()
    except ShoalError as refused:
        return f"seed {seed}: a message of several lines" if "\n" in str(refused) else ""
    except BaseException as error:  # a panic of Rust is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"seed {seed}: {type(error).__name__}: {str(error)[:200]}"
    return ""
