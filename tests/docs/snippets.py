"""Pages run as their readers would run them: every block as it stands, one after the other, in a folder of its own.

The folder of a page has ``examples/`` of the repository, and what `docs.given` says that the page takes for granted.

=========  ============================================================================================================
block      what is done with it
=========  ============================================================================================================
`sh`       each line is run by a shell, `shoal` by itself inside this process
`console`  the lines after ``$`` are run; what stands below one is what it prints
`python`   run in one namespace per page
`toml`     a plan, or the part of one that the block shows: see `docs.shown_plans`
`text`     what the block right before it prints, where there is one; else something to look at
=========  ============================================================================================================

A command ends with exit code 0, or the line says ``# exit 3``. In what is printed, ``...`` stands for anything, and
white space for any other. What cannot run here has ``<!-- not run: the reason -->`` on the line before it.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import command
import shoal
from docs.given import GIVEN
from docs.pages import ROOT, text_of
from docs.shown_plans import ShownPlans
from shoal.registry import Registry

_FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[^\n`]*)\n(?P<text>.*?)^(?P=indent)``` *$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>[^\n]+) -->\n+\s*\Z")
_EXIT = re.compile(r"#.*\bexit (?P<code>\d+)")
_SHELL = re.compile(r"[|&;<>()$`*]+")


@dataclass(frozen=True)
class Block:
    """A block of code; ``reason`` says why it is not run, ``follows`` that another block stands right before it."""

    line: int
    kind: str
    text: str
    reason: str | None
    follows: bool


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page in order."""
    found, end = [], -1
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        marked = _NOT_RUN.search(before)
        found.append(
            Block(
                line=before.count("\n") + 1,
                kind=match["kind"].strip(),
                text=textwrap.dedent(match["text"]),
                reason=marked["reason"] if marked else None,
                follows=end >= 0 and not text[end : match.start()].strip(),
            )
        )
        end = match.end()
    return found


@dataclass
class Reader:
    """Who runs a page in a folder, and what is left of it: names of Python, and what the last block printed."""

    page: str
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    printed: tuple[str, ...] = ()
    plans: ShownPlans = field(default_factory=ShownPlans)
    done: list[Block] = field(default_factory=list)

    def run(self, text: str) -> Reader:
        """Run all blocks of a page."""
        kinds = {
            "sh": self._shell,
            "console": self._console,
            "python": self._python,
            "toml": lambda block: self.plans.judge(block.text, self.folder),
            "text": self._text,
        }
        with _as_it_was(), contextlib.chdir(self.folder):
            for block in blocks_of(text):
                if block.reason is None:
                    assert block.kind in kinds, (
                        f"{self.page}:{block.line}: a block is {', '.join(kinds)}, not {block.kind!r}"
                    )
                    self._at(block, kinds[block.kind])
        return self

    def _at(self, block: Block, run: Any) -> None:
        try:
            run(block)
            self.done.append(block)
        except BaseException as error:
            error.add_note(f"in the block of {self.page}, line {block.line}")
            raise

    def _shell(self, block: Block) -> None:
        printed = [self._line(line) for line in logical_lines(block.text)]
        self.printed = printed[-1] if printed else ()

    def _console(self, block: Block) -> None:
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, *shown = logical_lines(part)
            self.printed = self._line(line)
            if shown:
                require_shown("\n".join(shown), self.printed)

    def _text(self, block: Block) -> None:
        if block.follows:
            require_shown(block.text, self.printed)

    def _python(self, block: Block) -> None:
        code = compile("\n" * block.line + block.text, self.page, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, self.names)
        self.printed = (out.getvalue(),)

    def _line(self, line: str) -> tuple[str, ...]:
        """Run a line of a shell, and return what it printed: in both orders, for a screen shows both streams."""
        words = shlex.split(line, comments=True)
        if not words:
            return ("",)
        marks = shlex.shlex(line, posix=True, punctuation_chars=True)
        marks.whitespace_split = True
        alone = words[0] == "shoal" and not any(_SHELL.fullmatch(word) for word in marks)
        done = command.shoal(*words[1:], cwd=self.folder) if alone else self._process(line)
        expected = int(found["code"]) if (found := _EXIT.search(line)) else 0
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == expected, f"{line}\nended with {done.returncode}, not {expected}\n{out}{err}"
        return f"{out}\n{err}", f"{err}\n{out}"

    def _process(self, line: str) -> command.Done:
        programs = self.folder / ".programs"
        programs.mkdir(exist_ok=True)
        (programs / "shoal").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shoal "$@"\n')
        (programs / "shoal").chmod(0o755)
        path = os.pathsep.join((str(programs), os.environ["PATH"]))
        source = str(Path(shoal.__file__).parents[1])
        environment = {**os.environ, **command.SCREEN, "PATH": path, "PYTHONPATH": source}
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=120,
        )


def run_page(page: str, folder: Path) -> Reader:
    """Run a page of the repository in a folder that has what it takes for granted."""
    (folder / "examples").symlink_to(ROOT / "examples")
    if page in GIVEN:
        GIVEN[page](folder)
    return Reader(page, folder).run(text_of(page))


def logical_lines(text: str) -> list[str]:
    """Return lines, those that end in a backslash with the next."""
    return [line for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip()]


def require_shown(shown: str, printed: tuple[str, ...]) -> None:
    """Require that something was printed as a page shows it."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    pattern = re.compile(".*".join(parts), re.DOTALL)
    assert any(pattern.search(" ".join(each.split())) for each in printed), f"shown:\n{shown}\nprinted:\n{printed[0]}"


@contextlib.contextmanager
def _as_it_was() -> Iterator[None]:
    """Leave registries as they were: pages show how to add to them."""
    kept = [(each, dict(each._entries)) for each in gc.get_objects() if isinstance(each, Registry)]
    try:
        yield
    finally:
        for registry, entries in kept:
            registry._entries = entries
