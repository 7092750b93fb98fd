"""A state that a key seals: who can write the file, and does not have the key, cannot change it unnoticed."""

import json

import pytest

from shoal.stream.engine.snapshot import read_snapshot, write_snapshot

KEY = b"correct horse battery staple\n"
PLAN = 'k = 3\n[stream]\nmax_delay = 20\n[attributes]\nage = { role = "quasi_identifier", kind = "numeric" }\n'
RUN = ("stream", "--plan", "plan.toml", "-i", "in.ndjson", "-o", "out.ndjson", "-q", "--state", "state")
SEALED = (*RUN, "--state-key-file", "key")


@pytest.fixture
def stream(folder):
    """A stream that stopped half-way, with a state that is sealed."""
    folder.write_plan(PLAN)
    (folder.path / "key").write_bytes(KEY)
    (folder.path / "key").chmod(0o600)
    lines(folder, 50)
    assert folder.shoal(*SEALED, "--on-end", "save").returncode == 0
    return folder


def lines(folder, count):
    (folder.path / "in.ndjson").write_text("".join(f'{{"age": {i * 37 % 60}}}\n' for i in range(count)))


def test_a_sealed_state_is_gone_on_with(stream):
    lines(stream, 100)
    assert stream.shoal(*SEALED).returncode == 0
    assert len((stream.path / "out.ndjson").read_text().splitlines()) == 100


def test_what_was_changed_without_the_key_is_refused(stream):
    """The attack: change a record that waits, and make the checksum fit."""
    state = stream.path / "state" / "stream.snapshot"
    header, parts = read_snapshot(state, key=KEY.strip())
    first, *rest = parts["/rows"].decode().splitlines()
    position, record = json.loads(first)
    changed = "\n".join([json.dumps([position, {**record, "age": 59}]), *rest]).encode()
    for key, why in [
        (None, "sealed by no key, and a key was given"),
        (b"somebody else's", "or sealed by another key"),
    ]:
        write_snapshot(state, header, {**parts, "/rows": changed}, key=key)
        done = stream.shoal(*SEALED)
        assert (done.returncode, done.stdout) == (2, b"")
        assert why in done.stderr.decode()


def test_without_its_key_it_is_refused(stream):
    done = stream.shoal(*RUN)
    assert done.returncode == 2
    assert "is sealed by a key: give the one it was saved with (--state-key-file" in done.stderr.decode()


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (None, 0, "is not there"),
        (KEY, 0o644, "can be read or written by others than its owner"),
        (KEY, 0o620, "can be read or written by others than its owner"),
        (b"short\n", 0o600, "must hold from 16 to 4096 bytes"),
        (b"x" * 5000, 0o600, "must hold from 16 to 4096 bytes"),
    ],
)
def test_a_key_that_is_no_secret_is_refused(stream, content, mode, why):
    (stream.path / "key").unlink()
    if content is not None:
        (stream.path / "key").write_bytes(content)
        (stream.path / "key").chmod(mode)
    done = stream.shoal(*SEALED)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert "correct horse" not in done.stderr.decode()


def test_a_key_seals_nothing_without_a_state(stream):
    done = stream.shoal(*RUN[:-2], "--state-key-file", "key")
    assert done.returncode == 2
    assert "--state-key-file seals a state, and no --state was asked for" in done.stderr.decode()
