"""The metrics of a run, as Prometheus reads them."""

from __future__ import annotations

import itertools
import re
import types
import urllib.error
import urllib.request

import pytest

from shoal.stream.connect.line_source import LinesSource
from stream.connect.messages import make_messages, make_runner


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.ndjson").write_bytes(b"\n".join(make_messages(400)) + b"\n")
    return tmp_path


def test_metrics_are_served(folder):
    runner = make_runner(folder)
    port = runner.metrics.serve(0)
    assert 'shoal_stream_dropped_total{reason="not_close"} 0' in runner.metrics.page()  # before anything came
    try:
        runner.run()
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/other", timeout=10)
    finally:
        runner.metrics.close()
    assert "shoal_stream_messages_total 400" in page
    assert 'shoal_stream_dropped_total{reason="not_close"} 0' in page
    assert "# TYPE shoal_stream_buffered gauge" in page


def test_silence_is_a_rate_of_nothing(folder, monkeypatch):
    rates = []

    class Pausing(LinesSource):
        """All lines at once, then nothing for a while."""

        def read(self, timeout):
            rates.extend(re.findall(r"messages_per_second ([0-9.]+)", runner.metrics.page()))
            return [] if len(rates) in (2, 3) else super().read(timeout)

    clock = types.SimpleNamespace(monotonic=itertools.count(10.0, 10.0).__next__)
    monkeypatch.setattr("shoal.stream.connect.metrics.time", clock)
    runner = make_runner(folder, source=Pausing([str(folder / "in.ndjson")], csv=False, limit=10_000))
    runner.run()
    assert [float(rate) > 0 for rate in rates] == [False, True, False, False, False]
