"""What a test must leave as it was: the state that all tests of a process share, compared before and after each.

Each matter is looked at as a mapping of names to values. What differs afterwards is put back, and told in a sentence
that names it. Filters of warnings are missing here: pytest itself puts them back after every test.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import shoal.stream.connect.kafka  # noqa: F401  it gives a logger its settings when it is first loaded
from shoal.registry import Registry

MISSING = object()


@dataclass(frozen=True)
class Matter:
    """One kind of state.

    Attributes
    ----------
    what
        What a name of it is called.
    look
        Returns the values by name.
    restore
        Gives a name its value back, or takes it away if the value is `MISSING`.
    default
        The value of a name that nobody has given one.
    may_appear
        Whether a new name is no difference, because whoever imports something first brings it along.
    """

    what: str
    look: Callable[[], Mapping[str, Any]]
    restore: Callable[[str, Any], None]
    default: Any = MISSING
    may_appear: bool = False

    def differences(self, before: Mapping[str, Any]) -> Iterator[str]:
        """Put back what is not as it was, and say what it is."""
        after = self.look()
        if before == after:
            return
        for name in before if self.may_appear else dict.fromkeys([*before, *after]):
            value = before.get(name, self.default)
            if value != after.get(name, self.default):
                self.restore(name, value)
                yield f"{self.what} {name}"


@contextlib.contextmanager
def same_after() -> Iterator[None]:
    """Put back what a block changed of the state that tests share, and raise an `AssertionError` that names it."""
    looks = [(matter, matter.look()) for matter in MATTERS]
    processes = _children()
    yield
    left = [difference for matter, before in looks for difference in matter.differences(before)]
    left += _ended(processes)
    assert not left, "left behind for the tests that follow: " + "; ".join(left)


def _nothing(name: Any, value: Any) -> None:
    """Leave it: what a person may have put there is not deleted by a test."""


# Loggers of the package, and the root of all.


def _loggers() -> dict[str, tuple[Any, ...]]:
    package = [name for name in [*logging.root.manager.loggerDict] if name.partition(".")[0] == "shoal"]
    return {name: _log_settings(logging.getLogger(name)) for name in ("root", *package)}


def _log_settings(logger: logging.Logger) -> tuple[Any, ...]:
    # The handlers of pytest come and go with the phases of a test.
    handlers = tuple(handler for handler in logger.handlers if type(handler).__module__ != "_pytest.logging")
    return handlers, logger.level, logger.propagate, logger.disabled


def _restore_logger(name: str, settings: tuple[Any, ...]) -> None:
    logger = logging.getLogger(name)
    handlers, level, logger.propagate, logger.disabled = settings
    logger.setLevel(level)
    for handler in _log_settings(logger)[0]:
        logger.removeHandler(handler)
    for handler in handlers:
        logger.addHandler(handler)


# The environment, the interpreter and the working folder.


_SET_BY_LIBRARIES = ("PYTEST_CURRENT_TEST", "KMP_", "_RJEM_MALLOC_CONF")
"""How the variables begin that pytest, and scikit-learn and polars when they are first loaded, set for themselves."""


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_SET_BY_LIBRARIES)}


def _restore_variable(name: str, value: Any) -> None:
    if value is MISSING:
        del os.environ[name]
    else:
        os.environ[name] = value


def _settings() -> dict[str, Any]:
    return {"working folder": os.getcwd(), "sys.path": [*sys.path], "sys.excepthook": sys.excepthook}  # noqa: PTH109


def _restore_setting(name: str, value: Any) -> None:
    if name == "working folder":
        os.chdir(value)
    elif name == "sys.path":
        sys.path[:] = value
    else:
        sys.excepthook = value


_HOME = Path.cwd()
_MADE_BY_TOOLS = {"build", "dist", "demo", "__pycache__", "compile_commands.json"}


def _files() -> dict[str, None]:
    """Return what lies in the folder where pytest was started, but for what tools put there."""
    return {name: None for name in os.listdir(_HOME) if not name.startswith(".") and name not in _MADE_BY_TOOLS}  # noqa: PTH208


# What is imported, and what can be named.


def _package_modules() -> dict[str, ModuleType | None]:
    return {name: sys.modules.get(name) for name in _package_names(len(sys.modules))}


@lru_cache(maxsize=1)
def _package_names(modules: int) -> list[str]:
    """Return the names of the modules of the package; looked for again when there are more modules than there were."""
    return [name for name in sys.modules if name.partition(".")[0] == "shoal"]


_TEMPORARY = str(Path(tempfile.gettempdir()).resolve())
_PROJECT = str(Path(__file__).resolve().parents[1])
_installed: set[str] = set()
"""Names of modules that were looked at, and do not lie in a temporary folder."""


def _temporary_modules() -> dict[str, ModuleType]:
    found = {name: sys.modules[name] for name in sys.modules.keys() - _installed if _is_temporary(sys.modules[name])}
    _installed.update(sys.modules.keys() - found.keys())
    return found


def _is_temporary(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    # The project itself and its libraries may lie in a temporary folder: a fresh clone often does.
    lasting = (_PROJECT, *filter(lambda folder: folder.endswith("site-packages"), sys.path))
    return isinstance(file, str) and file.startswith(_TEMPORARY) and not file.startswith(lasting)


def _restore_module(name: str, module: Any) -> None:
    if module is MISSING:
        del sys.modules[name]
    else:
        sys.modules[name] = module


def _registries() -> dict[str, tuple[Any, ...]]:
    return {name: (registry, *registry.items()) for name, registry in _registries_of(len(sys.modules)).items()}


@lru_cache(maxsize=1)
def _registries_of(modules: int) -> dict[str, Registry[Any]]:
    """Return the registries of the rooms; looked for again like their modules."""
    return {
        f"{name}.{attribute}": value
        for name, module in _package_modules().items()
        for attribute, value in vars(module).items()
        if isinstance(value, Registry)
    }


def _restore_registry(name: str, content: tuple[Any, ...]) -> None:
    registry, *entries = content
    registry._entries = dict(entries)


# Signals and processes.


def _signals() -> dict[str, Any]:
    return {number.name: signal.getsignal(number) for number in signal.Signals}


def _restore_signal(name: str, handler: Any) -> None:
    signal.signal(signal.Signals[name], handler)


_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver", "charts/drawer.py")
"""Processes that serve whoever comes next and end with the one that started them, by what their command lines say."""

_PATIENCE = 10.0
"""Seconds that a process which was told to end has for it."""


_expected: set[int] = set()


def outlives_the_test(number: int) -> None:
    """Expect a process to run on, by its number: a test starts it for a fixture of its module, which ends it."""
    _expected.add(number)


_strangers: set[str] = set()
"""Numbers of processes that were looked at, and were not started here."""


def _children() -> dict[int, str]:
    """Return the command lines of the processes that were started here and run; none where there is no ``/proc``."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):
        return {}
    running = {entry for entry in os.listdir("/proc") if entry.isdigit()}  # noqa: PTH208
    started = {number for number in running - _strangers if _parent(number) == os.getpid()}
    _strangers.intersection_update(running)
    _strangers.update(running - started)
    commands = {int(number): _command(number) for number in started if int(number) not in _expected}
    return {number: line for number, line in commands.items() if not any(name in line for name in _HELPERS)}


def _parent(number: str) -> int | None:
    """Return the process that started one; of one that has ended, and is not waited for yet, none."""
    # The command line does not tell whether it has ended: it is empty, too, for a moment while a process begins.
    try:
        state, parent = Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()[:2]
    except OSError:
        return None
    return None if state in (b"Z", b"X") else int(parent)


def _command(number: str) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _ended(before: Mapping[int, str]) -> list[str]:
    """End the processes that run and did not before, and say what they are."""
    deadline = time.monotonic() + _PATIENCE
    while (left := {n: line for n, line in _children().items() if n not in before}) and time.monotonic() < deadline:
        time.sleep(0.02)
    for number in left:
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
    return [f"the process {number} ({line})" for number, line in left.items()]


MATTERS = (
    Matter("settings of the logger", _loggers, _restore_logger, default=((), logging.NOTSET, True, False)),
    Matter("the environment variable", _environment, _restore_variable),
    Matter("another", _settings, _restore_setting),
    Matter("the file", _files, _nothing),
    Matter("the module", _temporary_modules, _restore_module),
    Matter("another module in the place of", _package_modules, _restore_module, may_appear=True),
    Matter("other entries in", _registries, _restore_registry, may_appear=True),
    Matter("another answer to", _signals, _restore_signal),
)
