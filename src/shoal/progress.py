"""Progress of long work, as people see it: a bar at a prompt and in notebooks, nothing in scripts and pipes.

Rich draws the bar of a terminal, since the command line has it already. A notebook gets an HTML element that is updated
in place: both rich and tqdm need ipywidgets there, and warn or draw nothing where these are not installed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from html import escape
from threading import Lock
from typing import Any

Progress = Callable[[int, int], object]
"""What long work calls now and then, with the work done and the work to do."""

PATIENCE = 0.4
"""Seconds before a bar is drawn: what is over by then needs none."""

_one = Lock()


@contextmanager
def shown(
    progress: Progress | bool | None,  # noqa: FBT001  handed on as callers say it
    title: str,
) -> Iterator[Progress | None]:
    """Give what long work is to call; meanwhile show a bar if one is wanted, or nothing was said and somebody is there.

    ``progress`` is what a caller may say: a function to call, True for a bar, False for none, None for one where
    somebody looks on.

    Notes
    -----
    There is one bar at a time: work inside work that has one draws none.

    Examples
    --------
    >>> with shown(False, "counting") as report:
    ...     report is None
    True
    >>> with shown(print, "counting") as report:
    ...     report(1, 2)
    1 2
    """
    if callable(progress):
        yield progress
        return
    bar = None if progress is False else _bar_here(title, wanted=progress is True)
    if bar is None or not _one.acquire(blocking=False):
        yield None
        return
    try:
        with ExitStack() as bars:
            yield _delayed(bar, bars)
    finally:
        _one.release()


@contextmanager
def terminal_bar(title: str, console: Any = None) -> Iterator[Progress]:
    """Show a bar with the time left on a terminal, where standard error goes if it is not given, and remove it."""
    from rich import progress as rich
    from rich.console import Console

    console = console or Console(stderr=True)
    parts = (rich.BarColumn(), rich.TaskProgressColumn(), rich.TimeElapsedColumn(), rich.TimeRemainingColumn())
    with rich.Progress(rich.TextColumn("{task.description}"), *parts, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def notebook_bar(title: str, display: Callable[..., Any]) -> Iterator[Progress]:
    """Show a bar in the output of a cell by IPython's ``display``, and remove it at the end."""
    handle = display(_Html(_bar(title, 0, 0)), display_id=True)
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 0.1:
            last = time.monotonic()
            handle.update(_Html(_bar(title, done, total)))

    try:
        yield report
    finally:
        handle.update(_Html(""))


def _delayed(bar: AbstractContextManager[Progress], bars: ExitStack) -> Progress:
    """Return a report to a bar that is drawn once work has lasted a while, and taken away with all ``bars``."""
    begin, draw = time.monotonic(), None

    def report(done: int, total: int) -> None:
        nonlocal draw
        if draw is None and time.monotonic() - begin >= PATIENCE:
            draw = bars.enter_context(bar)
        if draw is not None:
            draw(done, total)

    return report


class _Html:
    """HTML as IPython displays it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return ""


def _bar(title: str, done: int, total: int) -> str:
    share = f' value="{done}" max="{total}"' if total else ""
    percent = f" {100 * done // total} %" if total else ""
    return (
        f'<label style="font:13px system-ui,sans-serif">{escape(title)} '
        f'<progress{share} style="vertical-align:middle"></progress>{percent}</label>'
    )


def _bar_here(title: str, *, wanted: bool) -> AbstractContextManager[Progress] | None:
    """Return a bar where somebody looks on: in a notebook, at a prompt; if wanted, on any terminal."""
    display = _notebook_display()
    if display is not None:
        return notebook_bar(title, display)
    at_prompt = hasattr(sys, "ps1") or bool(sys.flags.interactive)
    if not (at_prompt or wanted) or sys.stderr is None or not sys.stderr.isatty():
        return None
    return terminal_bar(title)


def _notebook_display() -> Callable[..., Any] | None:
    """Return the function by which a notebook displays; None outside of one. IPython is loaded there already."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a shell in a terminal has none
        return None
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    return display  # type: ignore[no-any-return,unused-ignore]
