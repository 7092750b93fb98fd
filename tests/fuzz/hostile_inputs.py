"""Bytes of CSV files, columns of Arrow tables and plans as an adversary has them: taken, or refused in a sentence."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import shoal
from fuzz.judging import PATTERNS, Found, judged
from shoal import Plan
from shoal.files import TextOptions
from shoal.files.csv.text_table import read_csv
from shoal.frames import Table

PIECES = (
    b",", b";", b'"', b'""', b"\n", b"\r", b"\r\n", b"\t", b"\x00", b"\xff", b"\xef\xbb\xbf", b"a", b"1", b"-1.5",
    b"1e999", b"=1+1", b" ", b"'", b"\xc3\xa9", b"\xf0\x9f\x90\x9f", b"nan", b"2024-01-01", b"x" * 300,
)  # fmt: skip
CELLS = (
    "", "a", "1", "-1.5", "1e999", "=1+1", " ", "'", "é", "\N{FISH}", "nan", "2024-01-01", "x" * 300, ",", ";", '"',
    '""', 'a"b', "\n", "\r\n", "a\nb", "\t", "|", " a ", "\ufeff", "\u2028",
)  # fmt: skip


def csv_bytes(seed: int) -> Found:
    """Read a table as CSV, as it should be written, or with some bytes of it changed, or bytes that were never one."""
    random = np.random.default_rng(seed)
    delimiter = str(random.choice([",", ";", "|", "\t"]))
    rows, text = _written(random, delimiter)
    changes = int(random.choice([0, 0, 1, 2, 3, 400]))
    encoding = str(random.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    data = text.encode(encoding) if changes < 400 else b""
    for _ in range(changes):
        at, piece = int(random.integers(len(data) + 1)), PIECES[int(random.integers(len(PIECES)))]
        data = data[:at] + piece + data[at + int(random.integers(3)) :]
    told = random.random() < 0.6
    options = {
        "delimiter": delimiter if told else None,
        "encoding": str(random.choice(["cp1252", "utf-7", "utf-16"])) if changes and random.random() < 0.2 else None,
    }

    def work() -> None:
        table = read_csv(data, "data.csv", TextOptions(**options))
        frame = table.frame
        assert frame.height > 0
        assert table.lines.of(frame.height - 1) >= 2
        assert table.dialect.delimiter
        if told and not changes:
            assert [tuple(frame.columns), *frame.rows()] == rows, "other cells than were written"

    found = judged(seed, work)
    return found if found.taken or changes or not told else Found(f"seed {seed}: a CSV file was refused", taken=False)


def _written(random: np.random.Generator, delimiter: str) -> tuple[list[tuple[str | None, ...]], str]:
    """Make a table and its text; an empty cell without quotation marks is a missing one."""
    width, end = int(random.integers(1, 6)), str(random.choice(["\n", "\r\n"]))
    rows: list[tuple[str | None, ...]] = [tuple(f"c{i}" for i in range(width))]
    lines = [delimiter.join(f"c{i}" for i in range(width))]
    for _ in range(int(random.integers(1, 15))):
        cells: list[str | None] = []
        parts = []
        for _ in range(width):
            cell = "".join(CELLS[i] for i in random.integers(len(CELLS), size=int(random.integers(1, 3))))
            quoted = random.random() < 0.3 or width == 1 or any(mark in cell for mark in f'{delimiter}"\r\n')
            parts.append('"' + cell.replace('"', '""') + '"' if quoted else cell)
            cells.append(cell if quoted or cell else None)
        rows.append(tuple(cells))
        lines.append(delimiter.join(parts))
    return rows, end.join(lines) + (end if random.random() < 0.8 else "")


def arrow_columns(seed: int) -> Found:
    """Anonymize a table of random types and extreme values, in random chunks, with cells missing here and there.

    Half of the seeds have values that a plan can take, of kinds that fit; the others whatever a type holds.
    """
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 30))
    tame = bool(random.integers(2))
    makers = _tame_columns(random, n) if tame else _wild_columns(random, n)
    chosen = random.choice(len(makers), size=int(random.integers(1, 5)))
    columns, attributes = {}, {}
    # By dice of their own, so that seeds mean what they did.
    named = np.random.default_rng([seed, 1])
    names = [f"c{place}" for place in range(len(chosen))]
    if named.random() < 0.2:
        names[int(named.integers(len(names)))] = str(named.choice(PATTERNS))
    for place, maker in enumerate(chosen):
        kinds, make = makers[maker]
        name = names[place]
        role = "quasi_identifier" if place == 0 and kinds else str(random.choice(["quasi_identifier", "confidential"]))
        columns[name] = holed(make(), random)
        attributes[name] = {"role": role, "kind": str(random.choice(kinds))} if kinds else {"role": "other"}
    missing = str(random.choice(["impute", "keep"] if tame else ["error", "impute", "category"]))

    def work() -> None:
        table = pa.table(columns)
        frame = [table, pl.from_arrow(table)][int(random.integers(2))]
        Table.of(frame).sha256()
        plan = Plan(k=2, subject="record", missing=missing, attributes=attributes)
        release = shoal.anonymize(frame, plan)
        assert release.guarantees.holds
        masked = [name for name, about in attributes.items() if about["role"] == "quasi_identifier"]
        assert fewest_alike(release.data, masked) >= 2, "a class of one record"

    return judged(seed, work)


def fewest_alike(frame: Any, names: list[str]) -> int:
    """Count the records of the smallest class, by how their cells are written."""
    data = pl.DataFrame(frame) if isinstance(frame, pa.Table) else frame
    return min(Counter(map(repr, data[:, names].rows())).values())


Makers = list[tuple[list[str], Callable[[], pa.Array]]]
"""Columns, with the kinds that a plan may give them; without any, they can only be kept."""


def _tame_columns(random: np.random.Generator, n: int) -> Makers:
    days, moments = random.integers(-50_000, 60_000, n, dtype=np.int32), random.integers(-(2**50), 2**50, n)
    unit = str(random.choice(["ms", "us", "ns"]))
    return [
        (["numeric"], lambda: pa.array(random.integers(-(2**40), 2**40, n), pa.int64())),
        (["numeric"], lambda: pa.array(random.integers(0, 2**50, n, dtype=np.uint64), pa.uint64())),
        (["numeric"], lambda: pa.array(random.choice([0.0, -0.0, 1e100, -1e100, 5e-324, 1 / 3], n))),
        (["numeric", "nominal"], lambda: pa.array(random.integers(-128, 127, n, dtype=np.int8), pa.int8())),
        (["date"], lambda: pa.array(days).view(pa.date32())),
        (["date"], lambda: pa.array(moments // {"ms": 1000, "us": 1, "ns": 1}[unit]).view(pa.timestamp(unit))),
        (["nominal"], lambda: pa.array(random.choice(["", "a", "\x00", "é", "\u202e"], n)).dictionary_encode()),
        (["nominal"], lambda: pa.array(random.choice(["", "a", "\x1b[2J", "=1"], n), pa.large_string())),
        (["nominal"], lambda: pa.array(random.choice([True, False], n))),
        ([], lambda: pa.array([[int(i)] for i in random.integers(9, size=n)])),
        ([], lambda: pa.array([bytes([int(i)]) for i in random.integers(9, size=n)])),
        ([], lambda: pa.array([dt.time(int(h), 0) for h in random.integers(24, size=n)])),
    ]


def _wild_columns(random: np.random.Generator, n: int) -> Makers:
    unit = str(random.choice(["ms", "us", "ns"]))
    makers: list[Callable[[], pa.Array]] = [
        lambda: pa.array(random.integers(-(2**63), 2**63 - 1, n), pa.int64()),
        lambda: pa.array(random.integers(0, 2**64 - 1, n, dtype=np.uint64), pa.uint64()),
        lambda: pa.array(random.choice([0.0, -0.0, 1e308, -1e308, 5e-324, np.nan, np.inf], n)),
        lambda: pa.array(random.integers(-(2**62), 2**62, n)).view(pa.timestamp(unit)),
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
    return [(["numeric", "ordinal", "nominal", "date"], maker) for maker in makers]


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


FITTING: dict[str, tuple[Any, ...]] = {
    "k": (2, 3, 5, 12),
    "method": ("mdav", "vmdav", "projected", "univariate", "individual", "mic1d"),
    "seed": (1, 2**40),
    "scale": ("zscore", "minmax", "none"),
    "missing": ("error", "impute", "keep"),
    "refine": ("none", "quick", "good", "best"),
    "release": ("aggregate", "permute"),
    "order": ("auto", "keep", "shuffle"),
    "round": (True, False),
    "by": ("area",),
    "suppress": (0.1, 0.4),
    "dominance": (0.5, 1.0),
    "guarantee": (True, False),
    "intruder": ([["age"]], [["age", "area"]]),
    "gain": (0.5, 1.1),
    "closeness": ({"t": 0.3}, {"t": 0.9}, {"t": 0.5, "method": "merge"}, {"t": 0.5, "method": "k_first"}, {"t": 1}),
    "diversity": ({"distinct": 2}, {"entropy": 2}, {"recursive": {"c": 3, "l": 2}}, {"p_sensitive": 2}),
    "risk": ({"prosecutor": 0.5}, {"prosecutor": 0.1}),
    "stream": ({"max_delay": 9}, {"max_delay": 20, "sweeps": 1}),
}
"""Values that fields of a plan may well have, though perhaps not beside each other."""


def plans(seed: int) -> Found:
    """Set random fields of a plan to values that may fit or to random ones, and carry out what is taken."""
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {"age": random.integers(0, 90, 24), "area": random.choice(["n", "s"], 24), "pay": random.random(24)}
    )
    attributes: dict[str, Any] = {
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "pay": {"role": "confidential", "kind": "numeric"},
    }
    if random.integers(2):
        attributes["area"] |= {"kind": "ordinal", "order": ["n", "s"]}
    values: dict[str, Any] = {"k": 3, "attributes": attributes}
    for _ in range(int(random.integers(1, 4))):
        name = str(random.choice(list(FITTING)))
        values[name] = FITTING[name][int(random.integers(len(FITTING[name])))]
    keys = [*Plan.known_keys(), "nonsense"]
    for _ in range(int(random.choice([0, 0, 1, 2]))):
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
        release = shoal.anonymize(frame, plan)
        masked = [name for name, about in plan.attributes.items() if about.role == "quasi_identifier"]
        if plan.guarantee and plan.release == "aggregate":
            assert fewest_alike(release.data, masked) >= plan.k, "a class of fewer than k records"

    return judged(seed, work)
