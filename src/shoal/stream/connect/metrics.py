"""Metrics of a running stream: a line in the log, and a page that Prometheus reads.

Counts are exact. Of errors, delays and gaps, what `shoal.stream.engine.stream_statistics` lets out: who reads a page
after every group must not learn anything of the group.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from shoal.errors import PlanError
from shoal.stream.connect.lane import Lane
from shoal.stream.engine import REASONS
from shoal.stream.engine.stream_statistics import QUANTILES

logger = logging.getLogger("shoal.stream")

_HELP = {
    "messages_total": ("counter", "messages read"),
    "refused_total": ("counter", "messages that were no records of the plan"),
    "released_total": ("counter", "records released"),
    "dropped_total": ("counter", "records dropped, by reason"),
    "merged_total": ("counter", "records released with the values of an earlier group"),
    "groups_total": ("counter", "groups released"),
    "buffered": ("gauge", "records in the buffer"),
    "messages_per_second": ("gauge", "messages read per second since the last look"),
    "delay_records": (
        "gauge",
        "arrivals that records of a group waited for on average, by quantile of the latest 100 groups",
    ),
    "error_at_most": ("gauge", "error that half of the latest 100 groups stay within, quasi-identifiers on [0, 1]"),
}

_OF_MANY_GROUPS = ("delay_records", "error_at_most")
"""What is published only when it covers many groups."""


class Metrics:
    """What is counted of a run, in the lanes that a function returns."""

    def __init__(self, lanes: Callable[[], list[Lane]]) -> None:
        self._lanes = lanes
        self._values: dict[str, Any] = {}
        self._seen = (time.monotonic(), 0)
        self._updated = 0.0
        self._server: ThreadingHTTPServer | None = None

    def update(self, *, now: bool = False) -> dict[str, Any]:
        """Look at the lanes, not more than once a second, and return what is known."""
        moment = time.monotonic()
        if not now and moment - self._updated < 1.0:
            return self._values
        self._updated = moment
        lanes = self._lanes()
        stats = [lane.anonymizer.stats for lane in lanes]
        refused = sum(lane.refused for lane in lanes)
        messages = refused + sum(stat.arrived for stat in stats)
        since, before = self._seen
        rate = (messages - before) / (moment - since) if moment > since else 0.0
        if moment - since >= 1.0:
            self._seen = (moment, messages)
        published = [lane.anonymizer.published for lane in lanes if lane.anonymizer.published is not None]
        self._values = {
            "messages_total": messages,
            "refused_total": refused,
            "released_total": sum(stat.released for stat in stats),
            "dropped_total": {reason: sum(stat.dropped[reason] for stat in stats) for reason in REASONS},
            "merged_total": sum(stat.merged for stat in stats),
            "groups_total": sum(stat.groups for stat in stats),
            "buffered": sum(stat.buffered for stat in stats),
            "messages_per_second": round(max(0.0, rate), 1),
        }
        if published:  # of several lanes, the largest
            self._values["delay_records"] = {
                q: max(figures.delay_quantiles[q] for figures in published) for q in QUANTILES
            }
            self._values["error_at_most"] = max(figures.error_at_most for figures in published)
            self._values["gaps"] = {
                what: sum(figures.gaps_at_most[what] for figures in published) for what in published[0].gaps_at_most
            }
        return self._values

    def log(self, *, last: bool = False) -> None:
        """Write one line; the last one of a run says what became of gaps, as far as that is told."""
        values = self.update(now=True)
        line = (
            f"messages={values['messages_total']} refused={values['refused_total']} "
            f"released={values['released_total']} dropped={sum(values['dropped_total'].values())} "
            f"buffered={values['buffered']} rate={values['messages_per_second']:.0f}/s"
        )
        if "error_at_most" in values:
            delays = values["delay_records"]
            line += f" delay_p50<={delays['0.5']} delay_p99<={delays['0.99']} error<={values['error_at_most']:g}"
        if last:
            line += "".join(f" {what}<={count}" for what, count in values.get("gaps", {}).items())
        logger.info("%s", line)

    def page(self) -> str:
        """Return the metrics in Prometheus' text format."""
        lines = []
        for name, (kind, text) in _HELP.items():
            if name in _OF_MANY_GROUPS and name not in self._values:
                continue  # too few groups to tell of
            full, value = f"shoal_stream_{name}", self._values.get(name, 0)
            lines += [f"# HELP {full} {text}", f"# TYPE {full} {kind}"]
            if isinstance(value, dict):
                label = "quantile" if name == "delay_records" else "reason"
                lines += [f'{full}{{{label}="{key}"}} {inner}' for key, inner in value.items()]
            else:
                lines.append(f"{full} {value}")
        return "\n".join(lines) + "\n"

    def serve(self, port: int, *, host: str = "127.0.0.1") -> int:
        """Answer ``GET /metrics`` in the background; return the port (a free one for 0)."""
        page = self.page
        self.update(now=True)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                exists = self.path in ("/metrics", "/")
                body = page().encode() if exists else b"the metrics are at /metrics\n"
                self.send_response(200 if exists else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # the name is the base class's
                pass

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise PlanError(
                f"metrics cannot be served at {host}:{port}: {error.strerror}; choose another port"
            ) from None
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop answering."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
