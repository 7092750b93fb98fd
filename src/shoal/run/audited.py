"""The auditor's judgement of files: it reads them as text, as an outsider would, by a code path of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from shoal import auditor
from shoal.auditor import Finding
from shoal.errors import DataError
from shoal.file_status import is_special_file
from shoal.files import SourceFile
from shoal.files.csv.format import CSV
from shoal.files.packing import GZIP_MARK, ZSTD_MARK, unpacked
from shoal.files.temporary import claim_anywhere
from shoal.files.temporary import release as give_up
from shoal.frames import Table
from shoal.kinds import Kind
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.plan.toml import dump_toml
from shoal.run.release import Release
from shoal.run.written import row_map_text


def audited(
    release: str | Path,
    plan: str | Path,
    original: str | Path | None,
    row_map: str | Path | None,
    *,
    encoding: str | None,
    missing: Sequence[str],
) -> list[Finding]:
    """Let the auditor judge files; what it cannot read is a mistake in one sentence."""
    try:
        with ExitStack() as after:
            names = [None if name is None else after.enter_context(_text(name)) for name in (original, row_map)]
            judged = after.enter_context(_text(release))
            return auditor.audit(judged, str(plan), *names, encoding=encoding, missing=missing)
    except OSError as error:
        reason = (error.strerror or "it is damaged").lower()
        raise DataError(f"the audit cannot read {error.filename or release}: {reason}") from None
    except KeyError as error:
        raise DataError(f"the audit cannot read this: {error} is not there") from None
    except DataError:
        raise
    except (auditor.Unreadable, LookupError, ValueError, EOFError) as error:
        raise DataError(f"the audit cannot read this: {error}") from None


@contextmanager
def _text(name: str | Path) -> Iterator[str]:
    """Unpack what is compressed, for the owner alone and a while: within bounds, and what Python does not know, too."""
    with Path(name).open("rb") as file:
        packed = file.read(len(ZSTD_MARK)).startswith((GZIP_MARK, ZSTD_MARK))
    if not packed:
        yield str(name)
        return
    path = claim_anywhere()
    try:
        path.write_bytes(unpacked(Path(name).read_bytes(), Path(name).name))
        yield str(path)
    except auditor.Unreadable as error:
        raise auditor.Unreadable(str(error).replace(path.name, Path(name).name)) from None
    finally:
        give_up(path)


def audit_staged(written: Path, release: Release, data: SourceFile, plan: Plan) -> list[Finding]:
    """Judge a CSV file that was written of a release, by its plan and, where k counts subjects, by the original.

    A CSV file is given to the auditor as it stands; of other originals, of standard input and of a table whose
    records were held back in part it gets the columns that it needs as text. Plan, row map and such columns are files
    for the owner alone, which are gone afterwards.

    Returns
    -------
    list of Finding
        One for each guarantee of the release; those that the auditor cannot judge say so.
    """
    encoding, missing = ("utf-8", ()) if data.dialect is None else (data.dialect.encoding, data.dialect.missing)
    with _private_file() as plan_file, _private_file() as row_map, _private_file() as view:
        plan_file.write_text(_as_text_has_it(plan, data), encoding="utf-8")
        original: Path | None = None
        if (subject := plan.subject_column()) is not None:
            held_back = bool(release.manifest.get("previous", {}).get("held_back"))  # as if they were not there yet
            table = data.frame[np.sort(release.rows)] if held_back else data.frame
            rows = np.argsort(np.argsort(release.rows)) if held_back else release.rows
            row_map.write_text(row_map_text(rows), encoding="utf-8")
            is_text = data.format == CSV.name and data.path is not None and not is_special_file(data.path)
            original = data.path if is_text and not held_back else view
            if original is view:
                names = dict.fromkeys([subject, *plan.names(Role.QUASI_IDENTIFIER), *_others(plan)])
                view.write_text(table.select(list(names)).write_csv(), encoding=encoding)
        findings = audited(
            written,
            plan_file,
            original,
            row_map if original is not None else None,
            encoding=encoding,
            missing=missing,
        )
    judged = {finding.name for finding in findings}
    findings += [Finding(name, None, "is not judged here") for name in release.guarantees if name not in judged]
    return findings


def _as_text_has_it(plan: Plan, data: SourceFile) -> str:
    """Return the plan with what the run knew besides: formats of dates that it found out, the order of a type.

    The auditor guesses none, and text has no types.
    """
    content, table = plan.to_dict(), Table.of(data.frame)
    for name, form in () if data.dialect is None else data.dialect.date_formats.items():
        content["attributes"][name].setdefault("format", form)
    for name, column in content["attributes"].items():
        if column.get("kind") != Kind.ORDINAL or "order" in column or name not in table.names:
            continue
        if table.dtype(name) in ("categorical", "boolean"):
            column["order"] = list(table.categories(name).labels)
        elif table.dtype(name) in ("date", "datetime"):
            column["kind"] = str(Kind.DATE)
    return dump_toml(content)


def _others(plan: Plan) -> list[str]:
    """Return the columns besides the quasi-identifiers whose original cells tell whether a recoding holds."""
    recodings = plan.recodings()
    dates = [keys["relative_to"] for keys in recodings.values() if "relative_to" in keys]
    return [*(name for name, keys in recodings.items() if keys.keys() & {"rare", "clip"}), *dates]


@contextmanager
def _private_file() -> Iterator[Path]:
    path = claim_anywhere()
    try:
        yield path
    finally:
        give_up(path)
