"""What a name leads to, whatever stands there."""

import os

import pytest

from shoal.file_status import file_status, is_one_file, is_special_file

LONG = "x" * 300
"""No file has so long a name."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "sub").mkdir()
    (tmp_path / "to_sub").symlink_to("sub")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "device").symlink_to(os.devnull)
    return tmp_path


@pytest.mark.parametrize("name", ["pipe", "to_pipe", "device", os.devnull])
def test_pipes_and_devices_are_special(folder, name):
    assert is_special_file(folder / name)
    assert is_special_file(str(folder / name))


@pytest.mark.parametrize(
    "name", ["file", "link", "sub", "to_sub", "nothing", "dangling", "loop", "file/under", LONG, f"{LONG}/x", "a\0b"]
)
def test_files_folders_and_nothing_are_not(folder, name):
    assert not is_special_file(folder / name)


@pytest.mark.parametrize("name", ["nothing", "dangling", "loop", "file/under", LONG, "a\0b"])
def test_nothing_has_no_status(folder, name):
    assert file_status(folder / name) is None


def test_a_link_has_the_status_of_what_it_leads_to(folder):
    found = file_status(folder / "link")
    assert found is not None
    assert (found.st_size, found.st_ino) == (5, (folder / "file").stat().st_ino)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("file", True),
        ("link", True),
        ("hard", True),
        ("other", False),
        ("sub", False),
        ("nothing", False),
        (LONG, False),
    ],
)
def test_names_of_one_file(folder, name, same):
    os.link(folder / "file", folder / "hard")
    (folder / "other").write_bytes(b"12345")
    assert is_one_file(folder / name, folder / "file") is same
    assert is_one_file(str(folder / "link"), folder / name) is same


def test_one_pipe_is_no_file(folder):
    assert not is_one_file(folder / "pipe", folder / "to_pipe")
