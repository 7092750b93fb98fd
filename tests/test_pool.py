"""Parts of a job on several threads: results in order, one progress, one stop."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from command import interruptible
from shoal.pool import in_threads


def test_results_come_in_the_order_of_the_parts():
    def work(part, report):
        time.sleep(0.01 * (3 - part))
        return part

    assert in_threads(work, [0, 1, 2], 3, None) == [0, 1, 2]


def test_no_parts_give_no_results():
    assert in_threads(lambda part, report: part, [], 0, None) == []


def test_progress_is_the_sum_over_parts():
    calls = []

    def work(part, report):
        report(part // 2, part)
        report(part, part)

    in_threads(work, [10, 20, 30], 60, lambda *call: calls.append(call))
    assert calls[-1] == (60, 60)
    assert calls == sorted(calls)


def test_the_first_exception_stops_the_other_parts_at_their_next_report():
    started = threading.Event()
    reports = []

    def work(part, report):
        if part == 0:
            started.wait(10)
            raise ValueError("first")
        started.set()
        for done in range(100_000):
            report(done, 100_000)
            reports.append(done)
            time.sleep(0.001)

    with pytest.raises(ValueError, match="first"):
        in_threads(work, [0, 1], 100_000, None)
    assert len(reports) < 100_000


def test_ctrl_c_is_heard_while_threads_work_even_if_a_library_restarts_interrupted_waits():
    done = []

    def work(part, report):
        for step in range(30_000):
            report(step, 30_000)
            time.sleep(0.001)
        done.append(part)

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    with interruptible():
        signal.siginterrupt(signal.SIGINT, False)  # what some libraries' own handlers do
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            in_threads(work, [0, 1], 60_000, None)
        timer.join()
    assert done == []


def test_many_parts_take_no_more_waiting_objects_than_threads(monkeypatch):
    submitted = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *args, **kwargs):
            submitted.append(args)
            return super().submit(*args, **kwargs)

    monkeypatch.setattr("shoal.pool.ThreadPoolExecutor", Counting)
    assert in_threads(lambda part, report: 2 * part, range(5_000), 5_000, None, workers=3) == list(range(0, 10_000, 2))
    assert len(submitted) == 3


def test_parts_that_have_not_begun_are_left_out_after_an_exception():
    begun = []

    def work(part, report):
        begun.append(part)
        if part == 3:
            raise ValueError("third")
        time.sleep(0.005)

    with pytest.raises(ValueError, match="third"):
        in_threads(work, range(10_000), 10_000, None, workers=2)
    assert len(begun) < 10_000
