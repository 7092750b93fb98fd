"""The ten lines of docs/from-r.md: run by R where it is there, and what they rely on in any case."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest

import command
import shoal
from docs.pages import ROOT, blocks, text_of

(CODE,) = blocks(text_of("docs/from-r.md"), "r")
RSCRIPT = shutil.which("Rscript")


def asked() -> list[str]:
    """The words that the page gives to the command line."""
    found = re.search(r"asked <- c\((.*)\)", CODE)
    assert found is not None
    return re.findall(r'"([^"]*)"', found[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def test_it_is_ten_lines() -> None:
    assert len(CODE.strip().splitlines()) == 10


def test_the_command_takes_a_file_as_r_writes_it_and_writes_what_r_reads(folder: Path) -> None:
    stays = pl.read_csv(
        folder / "examples" / "discharges.csv", schema_overrides={"postcode": pl.String}, try_parse_dates=True
    ).to_arrow(compat_level=pl.CompatLevel.oldest())
    place = stays.schema.get_field_index("ward")
    stays = stays.set_column(place, "ward", stays["ward"].dictionary_encode())  # a factor
    pa.feather.write_feather(stays, folder / "stays.arrow", compression="lz4")
    done = command.shoal(*asked(), cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    release = pa.feather.read_table(folder / "release.arrow")
    assert len(release) == len(stays)
    assert pa.types.is_date32(release.schema.field("admitted").type)
    assert pa.types.is_dictionary(release.schema.field("ward").type)
    for field in release.schema:  # R's package knows no views of text
        text = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        assert not pa.types.is_string_view(text), field.name
    assert release["charge"].equals(stays["charge"]) or sorted(release["charge"].to_pylist()) == sorted(
        stays["charge"].to_pylist()
    )


@pytest.mark.skipif(RSCRIPT is None, reason="Rscript is not installed")
def test_the_ten_lines_run(folder: Path) -> None:
    there = subprocess.run([RSCRIPT, "-e", "library(arrow)"], capture_output=True)
    if there.returncode:
        pytest.skip("R has no package arrow")
    programs = folder / "programs"
    programs.mkdir()
    (programs / "shoal").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shoal "$@"\n')
    (programs / "shoal").chmod(0o755)
    (folder / "ten.R").write_text(CODE)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
        "PYTHONPATH": str(Path(shoal.__file__).parents[1]),
    }
    done = subprocess.run([RSCRIPT, "ten.R"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "severity" in done.stdout
    assert (folder / "release.arrow").exists()
    assert (folder / "report.html").exists()
