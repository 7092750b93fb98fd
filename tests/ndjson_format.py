"""A format that shoal does not have: one JSON object per line. It is registered as any user would."""

import io

import polars as pl

from shoal.files import Contents, Format, Input, Target, not_whole


def _read(source: Input) -> Contents:
    try:
        return Contents(frame=pl.read_ndjson(io.BytesIO(source.data), infer_schema_length=None))
    except pl.exceptions.PolarsError:
        raise not_whole(source.name, "NDJSON") from None


def _write(frame: pl.DataFrame, target: Target) -> None:
    frame.write_ndjson(target.path)


NDJSON = Format(
    name="ndjson",
    title="NDJSON",
    endings=(".ndjson", ".jsonl"),
    keeps="names",
    read=_read,
    write=_write,
    in_memory=True,
)
