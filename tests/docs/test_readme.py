"""The three commands of the README work one after the other on the bundled table."""

from __future__ import annotations

import re
import shlex
import shutil

import command
from docs.pages import ROOT, section, text_of


def test_the_three_commands_run_one_after_the_other(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    block = re.search(r"```sh\n(.*?)```", section(text_of("README.md"), "The command line"), re.DOTALL)
    assert block is not None
    lines = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    assert [line[1] for line in lines] == ["init", "check", "anonymize"]
    for line in lines:
        done = command.shoal(*line[1:], cwd=tmp_path)
        assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "release.csv").exists()
    assert b"k_anonymity = 5" in done.stderr
