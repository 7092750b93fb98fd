"""Files that somebody damaged, through the command line: read and released rightly, or refused in a sentence.

CSV as bytes in several encodings and dialects, Parquet and Arrow with columns of any type. The judge reads what was
written by the libraries of the formats, and counts classes.
"""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import io
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

from fuzz.judging import PATTERNS, Found, through_command_line

PIECES = (
    b",", b";", b"|", b"\t", b'"', b'""', b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xfe\xff",
    b"\x1a", b"1e999", b"nan", b"-", b"=1+1", b" ", b"'", b"\xc3\xa9", b"\xf0\x9f\x90\x9f", b"\xed\xa0\x80",
    b"2024-02-30", b"x" * 300,
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1", "utf-32")
PLAN = """k = 3
subject = "record"
missing = "impute"
[attributes]
age = { role = "quasi_identifier", kind = "numeric" }
area = { role = "quasi_identifier", kind = "nominal" }
cost = { role = "confidential", kind = "nominal" }
"""


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    dice = random.Random(seed)
    return _text(seed, dice) if dice.random() < 0.6 else _columns(seed, dice)


def _area(seed: int) -> str:
    """Name the second column, now and then as a pattern; by dice of its own, so that seeds mean what they did."""
    dice = random.Random(f"names {seed}")
    return dice.choice(PATTERNS) if dice.random() < 0.2 else "area"


def _text(seed: int, dice: random.Random) -> Found:
    delimiter, encoding = dice.choice([",", ",", ";", "\t", "|"]), dice.choice(ENCODINGS)
    area = _area(seed)
    rows = [["age", area, "cost"]]
    rows += [
        [_number(dice), dice.choice(["n", "é s", 'a"b', "w,e"]), dice.choice("xyz")] for _ in range(dice.randint(0, 40))
    ]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=dice.choice(["\n", "\r\n"])).writerows(rows)
    content = bytearray(text.getvalue().encode(encoding))
    for _ in range(dice.choice([0, 1, 1, 2, 5])):
        at = dice.randrange(len(content) + 1)
        match dice.randrange(4):
            case 0:
                content[at:at] = dice.choice(PIECES)
            case 1:
                del content[at : at + dice.randint(1, 9)]
            case 2:
                content[at : at + 1] = bytes([dice.randrange(256)])
            case _:
                content = content[:at] if dice.random() < 0.2 else content
    options = ["--encoding", encoding] if dice.random() < 0.5 else []
    options += ["--delimiter", delimiter] if dice.random() < 0.5 else []
    arguments = ("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.parquet", *options)
    inputs = {"data.csv": bytes(content), "plan.toml": _plan(area).encode()}
    about = f"{arguments}\n{bytes(content)[:600]!r}"
    return through_command_line(seed, inputs, arguments, lambda f: _judge(f / "out.parquet", area), about=about)


def _plan(area: str) -> str:
    return PLAN.replace("area =", f'"{area}" =')


def _number(dice: random.Random) -> str:
    return dice.choice(
        [str(dice.randint(0, 9)), f"{dice.gauss(0, 50):.2f}", f"{dice.gauss(0, 50):.2f}", "", "1e5", "-0"]
    )


def _columns(seed: int, dice: random.Random) -> Found:
    n = dice.randint(0, 30)
    area = _area(seed)
    table = pa.table({name: _column(dice, n) for name in ("age", area, "cost")})
    folder_format = dice.choice(["parquet", "arrow"])
    file = io.BytesIO()
    if folder_format == "parquet":
        try:
            parquet.write_table(table, file)
        except pa.ArrowException:  # not every type has a place in Parquet
            return Found("", taken=False)
    else:
        feather.write_feather(table, file, compression="uncompressed")
    content = bytearray(file.getvalue())
    for _ in range(dice.choice([0, 0, 0, 1, 4])):
        content[dice.randrange(len(content))] = dice.randrange(256)
    kinds = (
        dice.choice(["numeric", "ordinal", "nominal", "date"]),
        dice.choice(["nominal", "nominal", "numeric", "date"]),
    )
    plan = (
        _plan(area).replace('kind = "numeric"', f'kind = "{kinds[0]}"').replace('"nominal" }\nc', f'"{kinds[1]}" }}\nc')
    )
    data = f"data.{folder_format}"
    arguments = ("anonymize", data, "--plan", "plan.toml", "-o", "out.parquet")
    about = f"{table.schema}\n{plan}"
    inputs = {data: bytes(content), "plan.toml": plan.encode()}
    return through_command_line(seed, inputs, arguments, lambda f: _judge(f / "out.parquet", area), about=about)


def _column(dice: random.Random, n: int) -> pa.Array:
    makers: list[Callable[[], pa.Array]] = [
        lambda: _of(dice, n, lambda: dice.randint(-(2**63), 2**63 - 1), pa.int64()),
        lambda: _of(dice, n, lambda: dice.randint(0, 2**64 - 1), pa.uint64()),
        lambda: _of(dice, n, lambda: dice.randint(0, 9), pa.int8()),
        lambda: _of(dice, n, lambda: dice.choice([0.0, -0.0, 1e308, 5e-324, float("nan"), float("inf")]), pa.float64()),
        lambda: _of(dice, n, lambda: dice.gauss(0, 9), pa.float32()),
        lambda: _of(dice, n, lambda: dice.randint(-(2**31), 2**31 - 1), pa.int32()).view(pa.date32()),
        lambda: _of(dice, n, lambda: dt.date(2024, 1, dice.randint(1, 28)), pa.date32()),
        lambda: _of(dice, n, lambda: dice.randint(-(2**63), 2**63 - 1), pa.int64()).view(
            pa.timestamp(dice.choice(["s", "ms", "us", "ns"]), dice.choice([None, "UTC", "Europe/Madrid"]))
        ),
        lambda: _of(dice, n, lambda: dice.randint(-(2**40), 2**40), pa.int64()).view(pa.duration("ms")),
        lambda: _of(dice, n, lambda: dice.choice(["", "a", "\x00", "é", "=1", "\u202e"]), pa.string()),
        lambda: _of(dice, n, lambda: dice.choice(["n", "s"]), pa.string()).dictionary_encode(),
        lambda: _of(dice, n, lambda: dice.random() < 0.5, pa.bool_()),
        lambda: _of(dice, n, lambda: [dice.randint(0, 3)], pa.list_(pa.int32())),
        lambda: _of(dice, n, lambda: {"a": dice.randint(0, 3)}, pa.struct({"a": pa.int32()})),
        lambda: _of(dice, n, lambda: {"^a$": dice.randint(0, 3)}, pa.struct({"^a$": pa.int32(), "*": pa.int8()})),
        lambda: _of(dice, n, lambda: bytes([dice.randrange(256)]), pa.binary()),
        lambda: _of(dice, n, lambda: decimal.Decimal(dice.randint(-999, 999)) / 10, pa.decimal128(20, 1)),
        lambda: _of(dice, n, lambda: decimal.Decimal(10) ** dice.randint(0, 60), pa.decimal256(70, 2)),
        lambda: _of(dice, n, lambda: dt.time(dice.randint(0, 23)), pa.time64("us")),
        lambda: pa.nulls(n, pa.null()),
    ]
    return dice.choice(makers)()


def _of(dice: random.Random, n: int, draw: Callable[[], Any], kind: pa.DataType) -> pa.Array:
    gaps = dice.choice([0, 0, 0.2])
    return pa.array([None if dice.random() < gaps else draw() for _ in range(n)], kind)


def _judge(path: Path, area: str) -> Iterable[str]:
    """Every combination of what was released of the quasi-identifiers is there three times."""
    table = parquet.read_table(path)
    if not {"age", area} <= set(table.column_names):
        return [f"columns {table.column_names}"]
    # As it is stored: instants beyond the calendar have no Python value.
    cells = [[repr(cell) for cell in _stored(table[name])] for name in ("age", area)]
    counts = Counter(zip(*cells, strict=True))
    return [f"a class of {count} records" for count in counts.values() if count < 3]


def _stored(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    return column.to_pylist()
