"""What a session shows while its workers go on: nothing half, and nothing that stays as if it were under way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.served import PLAN
from shoal.app.browser_session import Session
from shoal.app.folders import OfferedFolder
from shoal.app.pages import compare_page, protect_page
from shoal.app.pages.run_page import run_part
from shoal.app.results import ReleaseRecord
from shoal.app.tasks.bench import Source
from shoal.app.tasks.release_job import ReleaseChoices
from shoal.app.worker import Job
from shoal.examples import discharges
from shoal.plan.toml import parse_toml


@contextmanager
def opened(folder: Path) -> Iterator[Session]:
    discharges(200, patients=100, seed=3).write_csv(folder / "stays.csv")
    own = folder / "session"
    own.mkdir()
    made = Session(own, OfferedFolder(None), most_upload=1_000_000, plan=parse_toml(PLAN))
    load(made, Source(str(folder / "stays.csv")))
    yield made
    made.close()


def load(session: Session, source: Source) -> None:
    session.load(source, data_folder=None)
    assert session.overview_job is not None
    assert session.overview_job.ending.wait(120)


@pytest.fixture(scope="module")
def shared_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session whose first worker has started: what it loads takes longer than what tests ask of it."""
    with opened(tmp_path_factory.mktemp("session")) as made:
        yield made


@pytest.fixture
def session(shared_session: Session) -> Session:
    """A session with a small table that was looked at, and nothing made of it."""
    load(shared_session, Source(str(shared_session.folder.parent / "stays.csv")))
    return shared_session


def test_what_ends_while_a_page_is_written_is_asked_for_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session.preview().ending.wait(120)
    job = Job("duration")
    monkeypatch.setattr(session, "duration", lambda: job)
    words = protect_page.duration_words

    def ends_meanwhile(*arguments: Any) -> Any:
        job.end("done")
        return words(*arguments)

    monkeypatch.setattr(protect_page, "duration_words", ends_meanwhile)
    assert "data-poll" in protect_page.ahead_part(session)
    assert "data-poll" not in protect_page.ahead_part(session)


def test_a_comparison_that_ends_while_its_map_is_asked_for_is_asked_for_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job("compare")
    monkeypatch.setattr(session.heavy, "submit", lambda *arguments, **options: job)
    session.start_comparison({"k": [3, 5]})
    monkeypatch.setattr(session, "map_of", lambda comparison: job.end("done", result=()))
    assert "data-poll" in compare_page.board_part(session)
    assert "data-poll" not in compare_page.board_part(session)


def test_a_release_is_there_as_soon_as_its_run_has_ended(session: Session) -> None:
    session.start_run(ReleaseChoices(attacks="none"))
    assert session.run_job is not None
    while not session.run_job.ending.wait(0.1):
        assert "data-poll" in run_part(session) or session.run_job.ending.is_set()
    assert 'id="made"' in run_part(session)
    first = session.releases[-1].folder
    session.start_run(ReleaseChoices(attacks="none"))
    assert session.run_job.ending.wait(120)
    assert [made.folder.exists() for made in session.releases] == [False, True]
    assert not first.exists()


def test_a_release_of_a_table_that_was_put_aside_is_not_shown_with_the_next(session: Session) -> None:
    with session.lock:  # as whoever asks for another table has it
        session.start_run(ReleaseChoices(attacks="none"))
        job = session.run_job
        assert job is not None
        while not job.outcome:  # it ends, and waits for its turn
            job.ending.wait(0.05)
        session.put_aside()
    assert job.ending.wait(120)
    assert session.releases == []
    assert list(session.folder.glob("release-*")) == []


@pytest.mark.parametrize(
    ("release", "stem"),
    [
        ("stays-anonymous.csv", "stays-anonymous"),
        ("stays.2020-anonymous.csv", "stays.2020-anonymous"),
        ("stays.2021-anonymous.csv.gz", "stays.2021-anonymous"),
        ("a-anonymous.b-anonymous.parquet", "a-anonymous.b-anonymous"),
    ],
)
def test_files_of_two_releases_never_share_a_name(tmp_path: Path, release: str, stem: str) -> None:
    made = ReleaseRecord("1-1", {}, tmp_path, SimpleNamespace(release=release), 0.0)
    assert made.given_name(release) == release
    assert made.given_name("plan.toml") == f"{stem}.plan.toml"


def test_a_table_does_not_wait_for_the_one_before_it(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        source = session.source
        assert source is not None
        session.load(source, data_folder=None)
        first = session.overview_job
        load(session, source)
        assert first is not None
        assert first.outcome == "cancelled"
        assert session.overview.rows == 200
        session.unique()
        asked = session.preview()
        session.put_aside()
        assert asked.outcome == "cancelled"
