"""Files appear whole and together, or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from command import interruptible
from shoal import files
from shoal.errors import DataError, OutputError
from shoal.files import Outputs
from shoal.files.staging import Staged

FRAME = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
posix = pytest.mark.skipif(os.name != "posix", reason="devices and limits of POSIX systems")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions do not bind the superuser, as whom tests may run: be somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_several_files_appear_together(tmp_path: Path) -> None:
    with Outputs() as outputs:
        written = files.write(FRAME, tmp_path / "out.csv", outputs=outputs)
        outputs.text(tmp_path / "out.json", '{"k": 5}')
        assert all(name.startswith(".") for name in contents(tmp_path))
    assert contents(tmp_path) == {"out.csv": b"a,b\n1,x\n2,y\n", "out.json": b'{"k": 5}'}
    assert written.size == len(b"a,b\n1,x\n2,y\n")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_when_something_happens_on_the_way(tmp_path: Path, error: type[BaseException]) -> None:
    (tmp_path / "out.csv").write_bytes(b"before")

    def run() -> None:
        with Outputs() as outputs:
            files.write(FRAME, tmp_path / "out.csv", outputs=outputs)
            raise error

    with pytest.raises(error):
        run()
    assert contents(tmp_path) == {"out.csv": b"before"}


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    def run() -> None:
        with Outputs() as outputs:
            files.write(FRAME, tmp_path / "out.csv", outputs=outputs)
            os.kill(os.getpid(), signal.SIGINT)

    with interruptible(), pytest.raises(KeyboardInterrupt):
        run()
    assert contents(tmp_path) == {}


def test_a_rename_that_fails_undoes_the_ones_before(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(b"before")

    def run() -> None:
        with Outputs() as outputs:
            files.write(FRAME, tmp_path / "old.csv", outputs=outputs)
            files.write(FRAME, tmp_path / "new.csv", outputs=outputs)
            outputs.text(tmp_path / "blocked.json", "{}")
            (tmp_path / "blocked.json").mkdir()
            (tmp_path / "blocked.json" / "inside").touch()

    with pytest.raises(OutputError, match=r"blocked.json cannot be written"):
        run()
    assert contents(tmp_path) == {"old.csv": b"before"}


def test_an_existing_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"before")
    path.chmod(0o640)
    files.write(FRAME, path)
    assert path.read_bytes() == b"a,b\n1,x\n2,y\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(contents(tmp_path)) == ["out.csv"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    files.write(FRAME, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out.csv").symlink_to(tmp_path / "real" / "data.csv")
    files.write(FRAME, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").is_symlink()
    assert (tmp_path / "real" / "data.csv").read_bytes() == b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize("how", ["itself", "symlink", "hardlink", "dotted"])
def test_the_input_is_never_overwritten(tmp_path: Path, how: str) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b"a,b\n1,x\n")
    target = tmp_path / "other.csv"
    if how == "symlink":
        target.symlink_to(path)
    elif how == "hardlink":
        target.hardlink_to(path)
    elif how == "dotted":
        (tmp_path / "sub").mkdir()
        target = tmp_path / "sub" / ".." / "in.csv"
    else:
        target = path
    source = files.read(path)
    with pytest.raises(OutputError, match="is an input of this run"):
        files.write(source.frame, target, like=source)
    assert path.read_bytes() == b"a,b\n1,x\n"


def test_a_check_refuses_what_would_be_refused_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"a\n1\n")
    outputs = Outputs(inputs=[tmp_path / "in.csv"])
    with pytest.raises(OutputError, match="is an input of this run"):
        outputs.check(tmp_path / "in.csv")
    with pytest.raises(OutputError, match="does not exist"):
        outputs.check(tmp_path / "nowhere" / "out.csv")
    outputs.check(tmp_path / "out.csv")
    outputs.check("-")
    assert contents(tmp_path) == {"in.csv": b"a\n1\n"}


def test_two_outputs_of_one_name_are_refused(tmp_path: Path) -> None:
    with Outputs() as outputs:
        outputs.text(tmp_path / "out", "1")
        with pytest.raises(OutputError, match="named for two outputs"):
            outputs.text(tmp_path / "sub" / ".." / "out", "2")
    assert contents(tmp_path) == {"out": b"1"}


def test_folders_that_are_not_there_and_folders_as_files(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        files.write(FRAME, tmp_path / "nowhere" / "out.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        files.write(FRAME, tmp_path / "folder.csv")
    with pytest.raises(OutputError, match="the name is too long"):
        files.write(FRAME, tmp_path / ("x" * 300 + ".csv"))
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="file is no folder"):
        files.write(FRAME, tmp_path / "file" / "out.csv")
    with pytest.raises(OutputError, match="is the name of a folder"):
        files.write(FRAME, f"{tmp_path}/out.csv/")


@posix
def test_no_permission_to_write(locked_folder: Path) -> None:
    with ordinary_user(), pytest.raises(OutputError, match="no permission to write"):
        files.write(FRAME, locked_folder / "out.csv")
    assert contents(locked_folder) == {}


@posix
def test_no_permission_to_write_over_a_file() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        path = Path(name) / "out.csv"
        path.write_bytes(b"before")
        path.chmod(0o444)
        with ordinary_user(), pytest.raises(OutputError, match="no permission to write"):
            files.write(FRAME, path)
        assert contents(Path(name)) == {"out.csv": b"before"}


@posix
def test_no_permission_to_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        path = Path(name) / "in.csv"
        path.write_bytes(b"a,b\n1,2\n")
        path.chmod(0o000)
        with ordinary_user(), pytest.raises(DataError, match="cannot be read: permission denied"):
            files.read(path)


@posix
def test_a_full_device_is_told_and_no_other_file_appears(tmp_path: Path) -> None:
    def run() -> None:
        with Outputs() as outputs:
            outputs.text(tmp_path / "manifest.json", "{}")
            files.write(FRAME, "/dev/full", format="csv", outputs=outputs)

    with pytest.raises(OutputError, match=r"/dev/full cannot be written: the disk is full"):
        run()
    assert contents(tmp_path) == {}


@posix
def test_a_pipe_gets_the_bytes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    files.write(FRAME, pipe, format="csv")
    assert reader.communicate(timeout=20)[0] == b"a,b\n1,x\n2,y\n"
    assert pipe.is_fifo()


@posix
def test_a_reader_that_went_away_is_told(tmp_path: Path) -> None:
    script = (
        "import polars as pl\nfrom shoal import files\nfrom shoal.errors import OutputError\n"
        "import os, sys\n"
        "try:\n    files.write(pl.DataFrame({'a': range(500_000)}), '-')\n"
        "except OutputError as error:\n    print(error, file=sys.stderr)\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.read(10)
    writer.stdout.close()
    message = writer.stderr.read().decode()
    writer.stderr.close()
    writer.wait(timeout=60)
    assert "nobody reads it any more" in message


def test_errors_are_explained_once() -> None:
    from shoal.files.write_errors import write_error

    assert "quota" in str(write_error(OSError(errno.EDQUOT, "x"), "out.csv"))
    assert "the disk is read-only" in str(write_error(OSError("Read-only file system (os error 30)"), "out.csv"))
    assert write_error(OSError("what"), "out.csv").exit_code == 2


def test_a_private_file_is_for_its_owner_alone_whatever_stood_there(tmp_path):
    place = tmp_path / "rows.csv"
    place.write_text("old")
    place.chmod(0o666)
    with Outputs() as outputs:
        outputs.text(place, "new", private=True)
        assert place.read_text() == "old"
        assert [path.stat().st_mode & 0o077 for path in tmp_path.glob(".rows.csv.*")] == [0]
    assert place.read_text() == "new"
    assert place.stat().st_mode & 0o777 == 0o600


def test_private_files_are_no_pipes(tmp_path):
    for target in ("-", "/dev/null"):
        with Outputs() as outputs, pytest.raises(OutputError, match="no file that its owner alone can read"):
            outputs.check(target, private=True)


def test_whether_a_new_file_would_be_private_is_known_before(tmp_path):
    before = os.umask(0o022)
    try:
        assert not Outputs().is_private(tmp_path / "out.csv")
        os.umask(0o077)
        assert Outputs().is_private(tmp_path / "out.csv")
        (tmp_path / "out.csv").touch(mode=0o600)
        (tmp_path / "out.csv").chmod(0o644)
        assert not Outputs().is_private(tmp_path / "out.csv")  # a file that is there keeps its permissions
    finally:
        os.umask(before)
    assert not Outputs().is_private("-")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_keys_and_models_get_their_names_before_the_release(tmp_path, monkeypatch):
    named = []
    rename = Path.replace

    def noted(self, target):
        named.append(Path(target).name)
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    with Outputs() as outputs:
        outputs.text(tmp_path / "release.csv", "a")
        outputs.text(tmp_path / "manifest.json", "{}", private="where possible")
        outputs.text(tmp_path / "model.json", "{}", private=True)
    assert named == ["model.json", "release.csv", "manifest.json"]


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "none"])
def test_a_new_file_replaces_none_that_another_process_made_meanwhile(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", _no_links)
    key, release = tmp_path / "key", tmp_path / "release.csv"
    outputs = Outputs()
    outputs.text(release, "a")
    outputs.text(key, "mine", private=True, new=True)
    key.write_text("of another")
    with pytest.raises(OutputError, match="key was not there when this run began, and another one has made it since"):
        outputs.__exit__(None, None, None)
    assert key.read_text() == "of another"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
    key.unlink()
    with Outputs() as outputs:
        outputs.text(key, "mine", private=True, new=True)
    assert key.read_text() == "mine"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def _no_links(self, target):
    raise OSError(errno.EPERM, "no links here")


def test_a_pipe_gets_its_bytes_after_keys_and_models_have_their_names(tmp_path, monkeypatch):
    model, manifest = tmp_path / "model.json", tmp_path / "manifest.json"
    model.write_text("before")
    seen = []

    def copied(staged):
        seen.append((model.read_text(), manifest.exists()))
        if len(seen) == 1:
            raise BrokenPipeError(errno.EPIPE, "nobody reads")

    monkeypatch.setattr(Staged, "copy_out", copied)
    for _ in range(2):
        outputs = Outputs()
        outputs.text(os.devnull, "a")
        outputs.text(model, "now", private=True)
        outputs.text(manifest, "{}")
        if not seen:
            with pytest.raises(OutputError):
                outputs.__exit__(None, None, None)
            assert contents(tmp_path) == {"model.json": b"before"}
        else:
            outputs.__exit__(None, None, None)
    assert seen == [("now", False), ("now", False)]
    assert contents(tmp_path) == {"model.json": b"now", "manifest.json": b"{}"}


def test_what_left_by_a_pipe_keeps_its_model_whatever_fails_after_it(tmp_path, monkeypatch):
    model, manifest = tmp_path / "model.json", tmp_path / "manifest.json"
    outputs = Outputs()
    outputs.text(os.devnull, "a")
    outputs.text(model, "now", private=True)
    outputs.text(manifest, "{}")
    rename = Path.replace

    def replace(self, target):
        if target == manifest:
            raise PermissionError(errno.EACCES, "not this one")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError):
        outputs.__exit__(None, None, None)
    assert contents(tmp_path) == {"model.json": b"now"}
