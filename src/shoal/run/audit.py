"""The auditor's judgement of files: it reads them as text, as an outsider would, by a code path of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars import selectors

from shoal import auditor
from shoal.auditor import Finding
from shoal.errors import DataError, GuaranteeError
from shoal.file_status import is_special_file
from shoal.files import SourceFile
from shoal.files.codebook import HEADER, read_codebook
from shoal.files.csv_format import CSV
from shoal.files.packing import GZIP_MARK, ZSTD_MARK, unpacked
from shoal.files.temporary import claim_anywhere, give_up
from shoal.frames import Table
from shoal.frames.exact_names import column_of, with_columns_of
from shoal.kinds.text import category_text
from shoal.plan import Plan
from shoal.plan.toml import dump_toml
from shoal.run.release import Release
from shoal.run.saved_release import row_map_text


@dataclass(frozen=True)
class ReleaseOnDisk:
    """A release as an outsider has it: files of text, and how to read them."""

    # release, plan: the released table, and what was asked of it
    release: str | Path
    plan: str | Path
    # original, row_map: the table it was made of, and where each of its rows went
    original: str | Path | None = None
    row_map: str | Path | None = None
    # encoding, missing: of the tables: how text is written, and what stands for a missing cell
    encoding: str | None = None
    missing: Sequence[str] = ()
    # what codes stand for, by column, or the file that says so
    codebook: str | Path | Mapping[str, Mapping[str, str]] | None = None
    held_back: int = 0  # how many records of the original were not released yet


def audit_files(files: ReleaseOnDisk) -> list[Finding]:
    """Let the auditor judge files; what it cannot read is a mistake in one sentence."""
    book = read_codebook(files.codebook) if isinstance(files.codebook, str | Path) else files.codebook
    try:
        with ExitStack() as after:
            names = [
                None if name is None else after.enter_context(_text(name)) for name in (files.original, files.row_map)
            ]
            judged = after.enter_context(_text(files.release))
            codes: Path | None = None
            if book is not None:
                codes = after.enter_context(_private_file())
                lines = [(column, *line) for column, meanings in book.items() for line in meanings.items()]
                codes.write_text(pl.DataFrame(lines, HEADER, orient="row").write_csv(), encoding="utf-8")
            return auditor.audit(
                judged,
                str(files.plan),
                *names,
                encoding=files.encoding,
                missing=files.missing,
                codebook=None if codes is None else str(codes),
                held_back=files.held_back,
            )
    except OSError as error:
        reason = (error.strerror or "it is damaged").lower()
        raise DataError(f"the audit cannot read {error.filename or files.release}: {reason}") from None
    except KeyError as error:
        raise DataError(f"the audit cannot read this: {error} is not there") from None
    except DataError:
        raise
    except (auditor.Unreadable, LookupError, ValueError, EOFError, OverflowError) as error:
        raise DataError(f"the audit cannot read this: {error}") from None


@contextmanager
def _text(name: str | Path) -> Iterator[str]:
    """Unpack what is compressed, for the owner alone and a while: within bounds, and what Python does not know, too."""
    with Path(name).open("rb") as file:
        packed = file.read(len(ZSTD_MARK)).startswith((GZIP_MARK, ZSTD_MARK))
    if not packed:
        yield str(name)
        return
    with _private_file() as path:
        try:
            path.write_bytes(unpacked(Path(name).read_bytes(), Path(name).name))
            yield str(path)
        except auditor.Unreadable as error:
            raise auditor.Unreadable(str(error).replace(path.name, Path(name).name)) from None


def audit_staged(written: Path, release: Release, data: SourceFile, plan: Plan) -> list[Finding]:
    """Judge a CSV file that was written of a release, by its plan and, where k counts subjects, by the original.

    A CSV file is given to the auditor as it stands; other originals and standard input it gets as text. Plan, row map,
    codebook and such text are files for the owner alone, which are gone afterwards. Each guarantee of the release has
    a finding; those that the auditor cannot judge say so.
    """
    encoding, missing = ("utf-8", ()) if data.dialect is None else (data.dialect.encoding, data.dialect.missing)
    with _private_file() as plan_file, _private_file() as row_map, _private_file() as view:
        plan_file.write_text(_as_text_has_it(plan, data), encoding="utf-8")
        original: Path | None = None
        if plan.subject_column() is not None:
            row_map.write_text(row_map_text(release.rows), encoding="utf-8")
            is_text = data.format == CSV.name and data.path is not None and not is_special_file(data.path)
            original = data.path if is_text else view
            if original is view:
                view.write_text(_as_text(data, plan).write_csv(), encoding=encoding)
        files = ReleaseOnDisk(
            written,
            plan_file,
            original,
            row_map if original is not None else None,
            encoding,
            missing,
            data.codebook,
            held_back=release.manifest.get("previous", {}).get("held_back", 0),
        )
        findings = audit_files(files)
    judged = {finding.name for finding in findings}
    findings += [Finding(name, None, "is not judged here") for name in release.guarantees if name not in judged]
    return findings


def require_findings(findings: Sequence[Finding], *, after: str = "") -> None:
    """Refuse a release that the auditor found to break a promise."""
    broken = [finding.name for finding in findings if finding.holds is False]
    if broken:
        raise GuaranteeError(f"the release does not hold what its plan says: {', '.join(broken)}{after}")


def _as_text_has_it(plan: Plan, data: SourceFile) -> str:
    """Return the plan with what the run knew besides: formats of dates that it found out, the order of a type.

    The auditor guesses none, and text has no types.
    """
    content, table = plan.to_dict(), Table.of(data.frame)
    for name, form in () if data.dialect is None else data.dialect.date_formats.items():
        content["attributes"][name].setdefault("format", form)
    for name, column in content["attributes"].items():
        if column.get("kind") != "ordinal" or "order" in column or name not in table.names:
            continue
        if table.dtype(name) in ("categorical", "boolean"):
            column["order"] = list(table.categories(name).labels)
        elif table.dtype(name) in ("date", "datetime"):
            column["kind"] = "date"
    return dump_toml(content)


def _as_text(data: SourceFile, plan: Plan) -> pl.DataFrame:
    """Return a table as a CSV file of it has it: standard input as it came, columns with types as a release has them.

    What is recoded leaves as doubles and as texts of categories, and is compared as such.
    """
    if data.text is not None:
        return data.text
    recoded = plan.recodings()
    table, columns = Table.of(data.frame), dict[str, pl.Series]()
    for name, keys in recoded.items():
        if data.frame.schema.get(name) == pl.Float32:
            columns[name] = column_of(data.frame, name).cast(pl.Float64)
        if "rare" in keys and name in table.names:
            categories = table.categories(name)
            texts = [*map(category_text, categories.labels), None]  # code -1 reads the last entry
            columns[name] = pl.Series([texts[code] for code in categories.codes], dtype=pl.String)
    frame = with_columns_of(data.frame, columns)
    return frame.with_columns(selectors.duration().dt.to_string("iso"), selectors.float().fill_nan(None))


@contextmanager
def _private_file() -> Iterator[Path]:
    path = claim_anywhere()
    try:
        yield path
    finally:
        give_up(path)
