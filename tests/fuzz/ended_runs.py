"""Runs of a stream that end in order, are asked to stop on the way, or are killed there."""

from __future__ import annotations

import contextlib
import itertools
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

from command import Done, shoal
from shoal.stream.connect import line_source
from shoal.stream.connect.line_sink import LinesSink
from shoal.stream.connect.protocols import Output

COMMON = ("stream", "--plan", "plan.toml", "--log-every", "0", "--output-format", "ndjson")


class Killed(BaseException):
    """Stands for the process being gone."""


def run(words: Sequence[str], folder: Path, how: str, dice: random.Random) -> Done | None:
    """Run ``shoal stream`` on pieces of a random size; None where it was killed.

    Parameters
    ----------
    words
        More of the command line.
    folder
        Where it runs.
    how
        ``stop`` by SIGTERM or ``kill``, if it lasts that long; else it ends as it does.
    dice
        Says when.
    """
    with contextlib.ExitStack() as patched:
        patched.enter_context(mock.patch.object(line_source, "_CHUNK", dice.choice([9, 70, 1 << 16])))
        patched.enter_context(mock.patch("os.fsync"))  # nobody pulls the plug, and a disk takes most of the time
        if how == "stop":
            patched.enter_context(_at_call(line_source.LinesSource, "read", dice.randint(1, 12), _terminate))
        elif how == "kill" and dice.random() < 0.5:
            patched.enter_context(_at_call(line_source.LinesSource, "read", dice.randint(1, 12), _die))
        elif how == "kill":
            patched.enter_context(_at_call(LinesSink, "write", dice.randint(1, 4), _die_writing))
        done = shoal(*COMMON, *words, cwd=folder)
    return None if b"(Killed in " in done.stderr else done  # the command line says what ended it


@contextlib.contextmanager
def _at_call(owner: type, name: str, number: int, act: Callable[..., object]) -> Iterator[None]:
    """Let something happen at the given call of a method."""
    original, calls = getattr(owner, name), itertools.count(1)

    def called(self: object, *arguments: object) -> object:
        if next(calls) == number:
            act(original, self, *arguments)
        return original(self, *arguments)

    with mock.patch.object(owner, name, called):
        yield


def _terminate(*_: object) -> None:
    signal.raise_signal(signal.SIGTERM)


def _die(*_: object) -> None:
    raise Killed


def _die_writing(write: Callable[..., object], sink: LinesSink, outputs: Sequence[Output]) -> None:
    write(sink, outputs[: len(outputs) // 2])
    raise Killed
