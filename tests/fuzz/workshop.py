"""The files that commands read, made once: a table, its plan, keys, and what earlier runs wrote for later ones."""

from __future__ import annotations

import csv
import functools
import io
import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from command import shoal

COLUMNS = ("who", "age", "pay", "area", "ill")
STREAM_PLAN = """k = 3
subject = "who"
[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
pay = { role = "quasi_identifier", kind = "numeric" }
area = { role = "quasi_identifier", kind = "nominal", hierarchy = "tree.csv" }
ill = { role = "confidential", kind = "nominal" }
"""
PLAN = f'order = "keep"\n{STREAM_PLAN}'

TABLES = ("data", "release")
"""What is read by its ending."""

SECRET = ("signing_key", "pseudonym_key", "memory_key", "state_key", "model", "row_map", "manifest")
"""What others must not read."""


@functools.cache
def workshop() -> dict[str, bytes]:
    """Return the files by what they are."""
    dice = random.Random(0)
    rows = [
        (f"p{i}", dice.randint(20, 80), dice.randint(1, 9999), dice.choice(AREAS), dice.choice("abc"))
        for i in range(40)
    ]
    made = {
        "data": _csv([COLUMNS, *rows]),
        "events": b"".join(json.dumps(dict(zip(COLUMNS, row, strict=True))).encode() + b"\n" for row in rows),
        "plan": PLAN.encode(),
        "stream_plan": STREAM_PLAN.encode(),
        "tree": _csv((area, area[0], "*") for area in AREAS),
        "codebook": _csv([("column", "code", "label"), *(("ill", code, f"ill {code}") for code in "abc")]),
        "census": _csv([[f"v{j}" for j in range(13)], *([dice.randint(1, 999) for _ in range(13)] for _ in range(60))]),
        "signing_key": Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        "state_key": b"0123456789abcdef" * 4,
        "pseudonym_key": bytes(range(32)).hex().encode() + b"\n",
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        for what in ("data", "tree", "plan"):
            (folder / ("plan.toml" if what == "plan" else f"{what}.csv")).write_bytes(made[what])
        written = {"row_map": "rows.csv", "model": "model.json", "memory_key": "memory.key"}
        options = ("--row-map", "rows.csv", "--model", "model.json", "--remember", "memory.key", "-q")
        done = shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", *options, cwd=folder)
        assert done.returncode == 0, done.stderr
        written |= {"release": "out.csv", "manifest": "out.manifest.json"}
        with duckdb.connect(folder / "clinic.db") as database:
            database.execute("create table visits as select * from read_csv(?)", [str(folder / "data.csv")])
        written["database"] = "clinic.db"
        return made | {what: (folder / file).read_bytes() for what, file in written.items()}


AREAS = ("x1", "x2", "y1", "y2")


def _csv(rows) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
