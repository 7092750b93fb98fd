"""Ctrl-C at any line, and a kill at any line: files whole and together or not at all, and nothing left for long."""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command import interruptible
from shoal.files import Outputs, temporary

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes that fork")

BEFORE = {"out.csv": b"before", "plan.toml": b"k = 5"}
AFTER = {**BEFORE, "out.csv": b"after", "out.manifest.json": b"{}"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def transaction(folder: Path) -> None:
    with Outputs(inputs=[folder / "plan.toml"]) as outputs:
        outputs.check(folder / "out.manifest.json")
        outputs.text(folder / "out.csv", "after")
        outputs.text(folder / "out.manifest.json", "{}")


def at_line(number: int, act: Callable[[], None]) -> None:
    """Do something when so many lines of the files room were run, wherever that is."""
    left = number

    def trace(frame, event, argument):
        nonlocal left
        if "/shoal/files/" not in frame.f_code.co_filename:
            return trace
        if event == "line":
            left -= 1
            if left == 0:
                act()
        return trace

    threading.settrace(trace)
    sys.settrace(trace)


def in_a_child(work: Callable[[], None]) -> int:
    """Run in a process of its own, which ends as Python does; return its exit code, 99 where the work was done."""
    child = os.fork()
    if child == 0:
        atexit._clear()  # what other tests end when Python does, such as a server, is the parent's to end
        atexit.register(temporary._release_all)
        code = 99
        try:
            work()
        except KeyboardInterrupt:
            code = 130
        except BaseException:
            code = 1
        sys.settrace(None)
        threading.settrace(None)
        atexit._run_exitfuncs()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def each_line(folder: Path, act: Callable[[], None]):
    """Begin with the same files each time, and act at a later line of the transaction, until there is none.

    Every third line, which comes to all of them where loops and functions are passed more than once.
    """
    for number in range(1, 2000, 3):
        for path in folder.iterdir():
            path.unlink()
        for name, content in BEFORE.items():
            (folder / name).write_bytes(content)

        def work(number=number):
            os.fsync = lambda handle: None  # which takes long, and is not what is asked here
            at_line(number, act)
            transaction(folder)

        with interruptible():
            code = in_a_child(work)
        if code == 99:
            assert contents(folder) == AFTER
            assert number > 50, "the transaction was not interrupted anywhere"
            return
        yield code
    raise AssertionError("the transaction has no end")


def test_ctrl_c_at_any_line_leaves_nothing_half_written(tmp_path):
    for code in each_line(tmp_path, lambda: signal.raise_signal(signal.SIGINT)):
        assert code == 130
        assert contents(tmp_path) in (BEFORE, AFTER)


def test_what_a_kill_leaves_is_removed_by_the_next_run(tmp_path):
    left = set()
    for code in each_line(tmp_path, lambda: os.kill(os.getpid(), signal.SIGKILL)):
        assert code == -signal.SIGKILL
        left |= {path.suffix for path in tmp_path.iterdir()}
        transaction(tmp_path)
        assert contents(tmp_path) == AFTER
    assert {".part", ".old"} <= left, "a kill leaves files, or this test tests nothing"


def test_what_a_run_at_work_writes_is_not_removed(tmp_path):
    with Outputs() as outputs:
        temporary = outputs.stage(tmp_path / "out.csv")
        temporary.write_bytes(b"mine")
        script = "import sys, shoal.files\nwith shoal.files.Outputs() as outputs: outputs.text(sys.argv[1], 'theirs')"
        subprocess.run([sys.executable, "-c", script, str(tmp_path / "out.csv")], check=True)
        assert temporary.read_bytes() == b"mine"
    assert contents(tmp_path) == {"out.csv": b"mine"}


def test_other_files_that_look_alike_are_not_removed(tmp_path):
    for name in (".out.csv.part", ".out.csv.zzzzzzzz.part", ".other.csv.0123abcd.part", "out.csv.0123abcd.part"):
        (tmp_path / name).write_bytes(b"mine")
    before = contents(tmp_path)
    transaction_of_one(tmp_path)
    assert contents(tmp_path) == {**before, "out.csv": b"after"}


def transaction_of_one(folder: Path) -> None:
    with Outputs() as outputs:
        outputs.text(folder / "out.csv", "after")


INTERRUPTED_LATE = """
import os, signal, shoal.cli.anonymize as command
def interrupt(*arguments, **options): os.kill(os.getpid(), signal.SIGINT); __import__("time").sleep(9)
command.summarise = interrupt
from shoal.cli import main
main()
"""


def test_ctrl_c_after_the_files_are_written_says_so(tmp_path):
    lines = ["age,pay", *(f"{age},{age}" for age in range(20))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    (tmp_path / "plan.toml").write_text(
        'k = 3\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\npay = { role = "other" }\n'
    )
    run = [sys.executable, "-c", INTERRUPTED_LATE, "anonymize", "data.csv", "--plan", "plan.toml", "-o", "out.csv"]
    with interruptible():
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == 130
    assert done.stderr.decode() == "interrupted after 2 files were written, the last out.manifest.json\n"


def test_signals_from_outside_at_any_moment(tmp_path):
    """The same by the clock, in a few places: a table in many pieces, and Ctrl-C from another process."""
    script = (
        "import sys, pathlib\nfrom shoal.files import Outputs\nfolder = pathlib.Path(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    with Outputs() as outputs:\n"
        "        outputs.text(folder / 'a.csv', 'after' * 1000)\n"
        "        outputs.text(folder / 'b.csv', 'after' * 1000)\n"
    )
    for delay in (0.0, 0.01, 0.023, 0.051):
        with interruptible():
            process = subprocess.Popen(
                [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        process.stdout.close()
        assert {path.name for path in tmp_path.iterdir()} <= {"a.csv", "b.csv"}


def test_another_ctrl_c_while_python_ends_leaves_nothing(tmp_path):
    """The first one was on its way out: what it has not removed yet goes all the same."""
    script = """
import os, pathlib, signal, sys
from shoal.files import temporary
for name in ("one", "two"):
    temporary.claim_beside(pathlib.Path(sys.argv[1]) / name, mode=0o600)
given = temporary.give_up
def release(path):
    os.kill(os.getpid(), signal.SIGINT)
    given(path)
temporary.give_up = release
print(len(os.listdir(sys.argv[1])))
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, check=False)
    assert done.stdout.split() == [b"2"]
    assert (done.returncode, done.stderr) == (0, b"")
    assert contents(tmp_path) == {}
