"""anonymize --verify on what is recoded, has gaps or was dropped: it finds what the run found, and no more."""

import polars as pl
import pytest

from command import shoal

N = 60
FRAME = pl.DataFrame(
    {
        "who": [f"p{i}" for i in range(N)],
        "age": [20 + i * 7 % 60 for i in range(N)],
        "seen": [f"2020-{1 + i % 9:02}-10T10:00:00Z" for i in range(N)],
        "rent": [i % 11 for i in range(N)],
        "food": [i % 7 for i in range(N)],
        "all": ["NA" if i % 20 == 0 else str(i % 11 + i % 7) for i in range(N)],
        "job": [
            "NA" if i % 30 == 0 else "cook" if i % 10 < 5 else "baker" if i % 10 < 9 else "judge" for i in range(N)
        ],
        "ill": ["mumps" if i in (3, 40) else "flu" if i % 2 else "gout" for i in range(N)],
    }
)
PLAN = """
k = 3
subject = "who"
missing_values = ["NA"]
TOP

[attributes]
who = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
seen = { role = "confidential", kind = "date", clip = { high = 2020-06-01T02:00:00+02:00 } }
rent = { role = "other", kind = "numeric" }
food = { role = "other", kind = "numeric" }
all = { role = "other", kind = "numeric" }
job = { role = "quasi_identifier", kind = "nominal", missing = "keep", rare = { below = BELOW } }
ill = { role = "confidential", kind = "nominal", rare = { below = 5 } }

[[totals]]
total = "all"
parts = ["rent", "food"]
"""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(("top", "below"), [("", 8), ("suppress = 0.2", 24)])  # bakers are 24, and some are dropped
def test_a_release_that_holds_is_found_to_hold(tmp_path, ending, top, below):
    dated = FRAME.with_columns(pl.col("seen").str.to_datetime("%+", time_zone="UTC"))
    numbers = dated.with_columns(pl.col("all").cast(pl.Int64, strict=False))
    {"csv": FRAME.write_csv, "parquet": numbers.write_parquet}[ending](tmp_path / f"data.{ending}")
    (tmp_path / "plan.toml").write_text(PLAN.replace("TOP", top).replace("BELOW", str(below)))
    done = shoal("anonymize", f"data.{ending}", "--plan", "plan.toml", "-o", "out.csv", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    said = done.stderr.decode()
    for name in ("clip", "rare", "totals", "k_anonymity"):
        assert f"✓ {name}:" in said


def test_what_is_not_a_number_is_refused_without_the_cell(tmp_path):
    FRAME.write_csv(tmp_path / "data.csv")
    (tmp_path / "plan.toml").write_text(PLAN.replace("TOP", "").replace("BELOW", "8"))
    assert shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv", cwd=tmp_path).returncode == 0
    text = (tmp_path / "out.csv").read_text()
    head, first, *rest = text.splitlines()
    cells = first.split(",")
    cells[head.split(",").index("all")] = "secret"
    (tmp_path / "out.csv").write_text("\n".join([head, ",".join(cells), *rest]))
    done = shoal("verify", "out.csv", "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert b"secret" not in done.stderr
    assert b"record 1 has a cell in column 'all' that is no number" in done.stderr


def test_what_is_packed_by_zstd_is_verified(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "data.csv.zst").write_bytes(zstandard.ZstdCompressor().compress(FRAME.write_csv().encode()))
    (tmp_path / "plan.toml").write_text(PLAN.replace("TOP", "").replace("BELOW", "8"))
    for name in ("out.csv.zst", "out.csv"):
        done = shoal("anonymize", "data.csv.zst", "--plan", "plan.toml", "--verify", "-o", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
