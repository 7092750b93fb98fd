"""Tables that are too large to be uploaded: chosen of the folder, and read where they are."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl

from app.served import Client, served

ROWS = 10_000_000


def test_ten_million_rows_are_read_by_their_path(tmp_path: Path) -> None:
    numbers = pl.int_range(ROWS, dtype=pl.Int32, eager=True)
    frame = pl.DataFrame({"age": numbers % 97, "ward": numbers % 9, "charge": numbers % 1000})
    frame.write_parquet(tmp_path / "many.parquet")
    with served(tmp_path, "--folder", ".") as running:
        client = Client(running)
        client.enter(running.token)
        assert "many.parquet" in client.get("/data")[1]
        assert client.post("/data/choose", name="many.parquet")[0] == 303
        for _ in range(600):
            status, text = client.get("/data/look")
            if "preview" in text:
                break
            assert status == 200
            time.sleep(0.2)
        assert "10,000,000" in text
        roles = client.get("/roles")[1]
        assert "97 distinct" in roles
        assert "1,000 distinct" in roles
        assert not [path for path in running.working_files() if path.is_file()]
