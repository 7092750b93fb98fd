"""Charts drawn in a process beside this one: one that cannot be drawn costs itself, never the report."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt

from shoal.report.wording import readable


class Drawer:
    """A process that draws one chart after the other; it is started when needed, and again after a crash.

    Examples
    --------
    >>> chart = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
    >>> Drawer().draw(chart)[:4]
    '<svg'
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def draw(self, spec: dict[str, Any]) -> str | None:
        """Return a Vega-Lite chart as SVG, or None where it cannot be drawn."""
        asked = json.dumps({"spec": spec, "version": ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])})
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(asked.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        except BaseException:  # interrupted: an answer that comes late must not be taken for the next chart's
            self.close()
            raise
        if not answer.endswith(b"\n"):
            self.close()
            return None
        drawn: str | None = json.loads(answer)
        return drawn

    def close(self) -> None:
        """End the process, if there is one of ours: after a fork it is the parent's, which alone can wait for it."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None

    def _close_at_exit(self) -> None:
        with contextlib.suppress(KeyboardInterrupt):  # all is done, and the process is killed: nothing to wait for
            self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            # A session of its own: Ctrl-C is for the run, which then ends this one. What a crash prints helps nobody.
            self._process = subprocess.Popen(
                [sys.executable or "", "-P", str(Path(__file__).with_name("drawer.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            atexit.register(self._close_at_exit)
        return self._process


_drawer = Drawer()


def draw(spec: dict[str, Any]) -> str | None:
    """Return a Vega-Lite chart as SVG, with text that can be drawn, or None where it cannot be drawn."""
    cleaned: dict[str, Any] = _clean(spec)
    return _drawer.draw(cleaned)


def _clean(item: Any) -> Any:
    if isinstance(item, str):
        return readable(item)
    if isinstance(item, dict):
        return {readable(name): _clean(inner) for name, inner in item.items()}
    if isinstance(item, list):
        return [_clean(inner) for inner in item]
    return item
