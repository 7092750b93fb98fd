"""What is uploaded: streamed into a private folder, up to a bound, judged, and only then taken."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
from starlette.concurrency import run_in_threadpool

from shoal.app.browser_session import Session
from shoal.app.folders import keep_upload, safe_name
from shoal.app.role_actions import column_name
from shoal.app.tasks.bench import Source
from shoal.errors import DataError
from shoal.files.codebook import read_codebook, with_codebook
from shoal.files.private import FOR_OWNER_FOLDER
from shoal.files.registry import format_of
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.run.release import Manifest

_SMALL = 20_000_000


async def receive(
    session: Session, path: str, query: dict[str, str], chunks: AsyncIterator[bytes], *, seen: str | None
) -> str:
    """Receive an upload and do with it what its address says; return the page to show.

    It waits in a folder of its own until it is taken: a file of its name may be the one that is worked on, and stays
    that where this one is cut off or refused.
    """
    table = path == "/data/upload"
    if not table:
        session.require_seen(seen)
    hint = "start shoal app with --folder, and choose it there" if table else "such a file has a few lines"
    with tempfile.TemporaryDirectory(prefix="upload-", dir=session.folder, ignore_cleanup_errors=True) as folder:
        sent = Path(folder) / safe_name(query.get("name", ""))
        await keep_upload(chunks, sent, most=session.most_upload if table else _SMALL, hint=hint)
        return await run_in_threadpool(_use, session, path, query, sent, seen)


def _use(session: Session, path: str, query: dict[str, str], sent: Path, seen: str | None) -> str:
    """Do with a file what its address says: one thing at a time, and off the event loop, for it may end a worker."""
    with session.lock:
        if path != "/data/upload":
            session.require_seen(seen)  # another table may have been opened while it came
        return UPLOADS[path](session, query, sent)


def _take_table(session: Session, query: dict[str, str], sent: Path) -> str:
    format_of(sent)  # refuses what no format reads
    session.load(Source(str(_move(session, "data", sent))), data_folder=None)
    return "/data"


def _take_codebook(session: Session, query: dict[str, str], sent: Path) -> str:
    if session.source is None:
        raise DataError("choose a table first")
    codebook = read_codebook(sent)
    if session.overview is not None:
        # By the names of the columns alone: the worker applies it to the cells.
        named = pl.DataFrame(schema={column.name: pl.String for column in session.overview.columns})
        with_codebook(named, codebook, session.overview.name)
    written = replace(session.source.written, codebook=str(_move(session, "codebook", sent)))
    session.load(replace(session.source, written=written), data_folder=session.data_folder)
    return "/data"


def _take_tree(session: Session, query: dict[str, str], sent: Path) -> str:
    name = column_name(session, query.get("column", ""))
    tree = read_hierarchy(sent.name, sent.parent)
    session.require_editor().change_column(name, f"{name}: hierarchy", hierarchy=tree)
    return "/roles"


def _sign(session: Session, query: dict[str, str], sent: Path) -> str:
    """Sign the manifest of the last release; the key is gone afterwards."""
    release = session.last_release(query.get("release"))
    try:
        from shoal.signature import sign
    except ModuleNotFoundError as error:
        raise DataError(f"to sign needs {error.name}: install it with pip install 'shoal[sign]'") from None
    path = release.folder / "manifest.json"
    content = Manifest(json.loads(path.read_text(encoding="utf-8")))
    signature = sign(content, str(sent), name=sent.name)
    path.write_text(content.adding(signature=signature).to_json(), encoding="utf-8")
    release.signed_by = signature["public_key"][:16]
    return "/release"


def _move(session: Session, kind: str, sent: Path) -> Path:
    """Move a file that is taken to a folder of its kind: a table may have the name of a codebook."""
    folder = session.folder / kind
    folder.mkdir(mode=FOR_OWNER_FOLDER, exist_ok=True)
    return sent.replace(folder / sent.name)


UPLOADS: dict[str, Callable[[Session, dict[str, str], Path], str]] = {
    "/data/upload": _take_table,
    "/data/codebook": _take_codebook,
    "/roles/tree": _take_tree,
    "/release/sign": _sign,
}
"""What can be uploaded, by its address, and what is done with it."""
