"""What is uploaded: streamed into the private folder of the session, up to a bound, and used at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from shoal.app.editing import column_name
from shoal.app.session import Session
from shoal.app.tasks.bench import Source
from shoal.app.work_folder import keep_upload, safe_name
from shoal.encode import read_hierarchy
from shoal.errors import DataError
from shoal.run.release import Manifest

UPLOADS = {"/data/upload": "data", "/data/codebook": "codebook", "/roles/tree": "tree", "/release/sign": "key"}
"""What can be uploaded, by its address, and the folder where it is kept: a tree may have the name of a codebook."""

_SMALL = 20_000_000


async def receive(
    session: Session, path: str, query: dict[str, str], chunks: AsyncIterator[bytes], *, seen: str | None
) -> str:
    """Keep an upload and do with it what its address says; return the page to show."""
    table = path == "/data/upload"
    folder = session.folder / UPLOADS[path]
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / safe_name(query.get("name", ""))
    hint = "start shoal app with --folder, and choose it there" if table else "such a file has a few lines"
    await keep_upload(chunks, target, most=session.most_upload if table else _SMALL, hint=hint)
    return await run_in_threadpool(_use, session, path, query.get("column", ""), target, seen)


def _use(session: Session, path: str, column: str, target: Path, seen: str | None) -> str:
    """Do with a file what its address says: one thing at a time, and off the event loop, for it may end a worker."""
    with session.lock:
        try:
            if path == "/data/upload":
                session.load(Source(str(target)), beside=None)
                return "/data"
            session.require_seen(seen)
            if path == "/data/codebook":
                if session.source is None:
                    raise DataError("choose a table first")
                session.load(replace(session.source, codebook=str(target)), beside=session.beside)
                return "/data"
            if path == "/roles/tree":
                _take_tree(session, column, target)
                return "/roles"
            _sign(session, target)
            return "/release"
        finally:
            if session.source is None or target not in session.source.files:
                target.unlink(missing_ok=True)


def _take_tree(session: Session, column: str, file: Path) -> None:
    name = column_name(session, column)
    session.require_editor().change_column(name, f"{name}: hierarchy", hierarchy=read_hierarchy(str(file)))


def _sign(session: Session, key: Path) -> None:
    """Sign the manifest of the last release; the key is gone afterwards."""
    if not session.releases:
        raise DataError("make a release first")
    try:
        from shoal.signature import sign
    except ModuleNotFoundError as error:
        raise DataError(f"to sign needs {error.name}: install it with pip install 'shoal[sign]'") from None
    made = session.releases[-1]
    path = made.folder / "manifest.json"
    content = Manifest(json.loads(path.read_text(encoding="utf-8")))
    signature = sign(content, str(key))
    path.write_text(content.adding(signature=signature).to_json(), encoding="utf-8")
    made.signed_by = signature["public_key"][:16]
