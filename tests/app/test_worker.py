"""Work off the page: progress, one sentence for what goes wrong, and a cancel that frees everything."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from app.served import PLAN
from shoal.app.tasks.bench import Source
from shoal.app.tasks.release_job import ReleaseChoices
from shoal.app.worker import DIED, Job, Worker
from shoal.examples import discharges
from shoal.plan.toml import parse_toml


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker that the test may end."""
    made = Worker()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def shared_worker(source: Source) -> Iterator[Worker]:
    """A worker that has started, for tests that do not end it: what it loads takes longer than what they ask."""
    made = Worker()
    assert made.submit("look", source).ending.wait(120)
    yield made
    made.kill()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    path = tmp_path_factory.mktemp("worker") / "stays.csv"
    discharges(400, patients=200, seed=2).write_csv(path)
    return Source(str(path))


def ended(job: Job) -> Job:
    assert job.ending.wait(120)
    return job


def until(condition: object, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if callable(condition) and condition():
            return True
        time.sleep(0.02)
    return False


def gone(process: int | None) -> bool:
    assert process is not None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_tasks_are_done_one_after_the_other_and_the_table_is_kept(shared_worker: Worker, source: Source) -> None:
    first = shared_worker.submit("look", source)
    second = shared_worker.submit("unique", source, ("age", "sex"), "patient_id")
    assert ended(first).state == "done"
    assert first.result.rows == 400
    assert [column.name for column in first.result.columns][:3] == ["patient_id", "name", "age"]
    number = shared_worker.process_id
    assert ended(second).state == "done"
    assert 0 < second.result.together <= 400
    assert shared_worker.process_id == number


def test_a_table_that_came_anew_under_its_name_is_read_anew(shared_worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "stays.csv"
    discharges(40, seed=1).write_csv(path)
    assert ended(shared_worker.submit("look", Source(str(path)))).result.rows == 40
    path.unlink()
    discharges(50, seed=1).write_csv(path)
    assert ended(shared_worker.submit("look", Source(str(path)))).result.rows == 50


def test_how_long_a_run_takes_is_estimated_from_a_sample(shared_worker: Worker, source: Source) -> None:
    found = ended(shared_worker.submit("duration", source, parse_toml(PLAN))).result
    assert 200 <= found.sampled <= 400
    assert found.seconds > 0
    out_of_reach = parse_toml(PLAN) | {"k": 300}
    assert ended(shared_worker.submit("duration", source, out_of_reach)).result is None


def test_the_time_left_is_that_of_the_stage() -> None:
    job = Job("release")
    job.tell("grouping", 0, 0)
    job.started -= 100
    job.tell("auditing", 0, 10)
    job.stage_started -= 10
    job.tell("auditing", 5, 10)
    left = job.seconds_left
    assert left is not None
    assert 10 <= left < 100  # of the ten seconds of this stage, whatever came before it


def test_what_is_wrong_is_one_sentence_and_the_worker_goes_on(shared_worker: Worker, source: Source) -> None:
    missing = ended(shared_worker.submit("look", Source("/nowhere/table.csv")))
    assert missing.state == "failed"
    assert "there is no such file" in missing.problem
    mistake = ended(shared_worker.submit("unique", source, None, None))
    assert mistake.state == "failed"
    assert mistake.problem.startswith("this is a mistake of shoal (TypeError)")
    assert ended(shared_worker.submit("look", source)).state == "done"


def test_a_cancel_ends_the_process_and_leaves_nothing(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    discharges(30_000, seed=1).write_csv(path)
    values = parse_toml(PLAN)
    values |= {"subject": "record", "refine": "best", "closeness": {"t": 0.05}}
    folder = tmp_path / "made"
    folder.mkdir()
    job = worker.submit("release", Source(str(path)), values, str(folder))
    assert until(lambda: job.stage == "grouping" or not job.running)
    assert job.running, job.problem
    process = worker.process_id
    worker.kill()
    assert job.state == "cancelled"
    assert gone(process)
    assert list(folder.iterdir()) == []
    assert ended(worker.submit("look", Source(str(path)))).state == "done"


def test_whoever_sees_that_a_job_ended_sees_what_came_of_it() -> None:
    seen = []
    job = Job("look", finished=lambda job: seen.append((job.outcome, job.state, job.running, job.ending.is_set())))
    job.end("done", result=1)
    job.end("cancelled")
    assert seen == [("done", "running", True, False)]
    assert (job.state, job.result, job.running, job.ending.is_set()) == ("done", 1, False, True)


def test_what_is_removed_after_a_cancel_is_removed_when_nobody_writes_there_any_more(
    worker: Worker, source: Source
) -> None:
    alive = []
    process = None

    def finished(job: Job) -> None:
        alive.append((job.outcome, gone(process)))

    first = worker.submit("look", source, finished=finished)
    second = worker.submit("look", source, finished=finished)
    process = worker.process_id
    worker.kill()
    assert alive == [("cancelled", True)] * 2
    assert first.state == second.state == "cancelled"


def test_a_worker_that_dies_is_one_sentence_and_the_next_task_starts_another(worker: Worker, source: Source) -> None:
    assert ended(worker.submit("look", source)).state == "done"
    process = worker.process_id
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    job = worker.submit("look", source)
    os.kill(process, signal.SIGKILL)
    assert ended(job).state == "failed"
    assert job.problem == DIED
    assert ended(worker.submit("look", source)).state == "done"
    assert worker.process_id != process


def test_formulas_are_escaped_where_asked(shared_worker: Worker, tmp_path: Path) -> None:
    frame = discharges(60, patients=30, seed=2).with_columns(pl.lit("=1+1").alias("diagnosis"))
    frame.write_csv(tmp_path / "stays.csv")
    source = Source(str(tmp_path / "stays.csv"))
    assert ended(shared_worker.submit("look", source)).result.formulas
    for escape in (False, True):
        folder = tmp_path / f"made-{escape}"
        folder.mkdir()
        job = ended(shared_worker.submit("release", source, parse_toml(PLAN), str(folder), ReleaseChoices(escape)))
        assert job.state == "done", job.problem
        assert ("'=1+1" in (folder / job.result.release).read_text()) is escape
        assert any(giveaway["name"] == "formulas" for giveaway in job.result.giveaways) is not escape


def test_the_release_of_a_worker_is_that_of_the_command_line(
    shared_worker: Worker, source: Source, tmp_path: Path
) -> None:
    from command import shoal

    folder = tmp_path / "made"
    folder.mkdir()
    job = ended(shared_worker.submit("release", source, parse_toml(PLAN), str(folder)))
    assert job.state == "done", job.problem
    (tmp_path / "plan.toml").write_text(PLAN)
    done = shoal("anonymize", source.path, "--plan", "plan.toml", "-o", "out.csv", "-q", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "out.csv").read_bytes() == (folder / job.result.release).read_bytes()
    for path in folder.iterdir():
        if path.name != job.result.release:
            assert path.stat().st_mode & 0o077 == 0, path.name
    assert {name for name, holds, _ in job.result.findings if holds} >= {"k_anonymity"}
