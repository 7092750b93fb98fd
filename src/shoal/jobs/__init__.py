"""One way to make a release of a file, for the command line, the app and Spark.

A `Job` says what is read, by which plan, and every file that shall appear; `release_file` carries it out. An `Engine`
is where the work is done, a `Watcher` who says something meanwhile.
"""

from __future__ import annotations

from shoal.jobs._release_file import Outcome, release_file, require_all
from shoal.jobs.job import Audit, Engine, Job, ReportRequest, Watcher
from shoal.jobs.local_engine import LocalEngine

__all__ = [
    "Audit",
    "Engine",
    "Job",
    "LocalEngine",
    "Outcome",
    "ReportRequest",
    "Watcher",
    "release_file",
    "require_all",
]
