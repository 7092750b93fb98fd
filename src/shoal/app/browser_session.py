"""A session: one browser's table, plan, history and results. What takes time runs in its workers."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.app.editor import Editor
from shoal.app.folders import OfferedFolder
from shoal.app.results import Comparison, ReleaseRecord
from shoal.app.tasks.bench import Source
from shoal.app.tasks.plan_comparison import RiskMap
from shoal.app.tasks.release_job import ReleaseChoices
from shoal.app.texts import Texts, texts_of
from shoal.app.worker import Job, Worker
from shoal.comparison.grid import chosen_plan
from shoal.errors import DataError, PlanError, ShoalError
from shoal.examples import discharges
from shoal.files import write
from shoal.options import UNDECIDED
from shoal.plan import Plan

DEMO = "discharges.csv"

_TIMED = ("duration", "costs")
"""Tasks that measure the plan on a sample: they have a worker of their own, and rest while a release is made."""

_PATIENCE = 5.0
"""Seconds after which an answer that nobody waits for any more is given up, with the table that was read for it."""


@dataclass(frozen=True)
class Message:
    """A sentence for the next page, and whether it says that something was refused."""

    text: str = ""
    refused: bool = False


class Session:
    """What one browser works on, in a private folder of its own; ``plan`` has the values to start from."""

    def __init__(
        self, folder: Path, offered: OfferedFolder, *, most_upload: int, plan: dict[str, Any] | None = None
    ) -> None:
        self.folder, self.offered, self.most_upload = folder, offered, most_upload
        self.quick, self.heavy, self.timing = Worker(), Worker(), Worker()
        self.language = "en"
        self.message = Message()
        self.given_plan = plan
        self.source: Source | None = None
        self.table = 0
        self.data_folder: Path | None = None
        self.overview_job: Job | None = None
        self.editor: Editor | None = None
        self.run_job: Job | None = None
        self.releases: list[ReleaseRecord] = []
        self.comparison: Comparison | None = None
        self._answers: dict[str, Job] = {}
        self.lock = threading.RLock()
        self.turn = asyncio.Lock()

    @property
    def texts(self) -> Texts:
        """The texts in the language of the pages."""
        return texts_of(self.language)

    @property
    def overview(self) -> Any:
        """What is seen of the table; None until it was looked at."""
        return self.overview_job.result if self.overview_job is not None and self.overview_job.state == "done" else None

    def load(self, source: Source, *, data_folder: Path | None) -> None:
        """Look at another table; what was made of the last one is gone."""
        self.put_aside(source)
        self.source, self.data_folder = source, data_folder
        self.overview_job = self.quick.submit("look", source, finished=self._looked)

    def put_aside(self, next_source: Source | None = None) -> None:
        """Forget the table with what was made of it, and remove what was uploaded of it, but for what is read again."""
        self.heavy.kill()
        self.timing.kill()
        if any(job is not None and job.running for job in (self.overview_job, *self._answers.values())):
            self.quick.kill()  # nobody waits for it any more, and the next table shall not
        files = () if next_source is None else next_source.files
        for path in () if self.source is None else self.source.files:
            if path.parent.parent == self.folder and path not in files:
                path.unlink(missing_ok=True)
        for release in self.releases:
            shutil.rmtree(release.folder, ignore_errors=True)
        self.table += 1
        self.source, self.overview_job, self.editor, self.comparison, self.run_job = None, None, None, None, None
        self.releases, self._answers = [], {}

    def load_demo(self) -> None:
        """Look at the bundled table."""
        path = self.folder / DEMO
        if not path.exists():
            write(discharges(5000, patients=2000, seed=0), path)
            path.chmod(0o600)
        self.load(Source(str(path)), data_folder=None)

    @property
    def demo(self) -> Path | None:
        """Where the bundled table is, while it is the table that is worked on."""
        path = self.folder / DEMO
        return path if self.source is not None and self.source.path == str(path) else None

    def _looked(self, job: Job) -> None:
        """Begin with the plan that is proposed, or with the one that was given if it is for this table."""
        with self.lock:
            if job.outcome != "done" or job.arguments[0] is not self.source:  # another table was chosen meanwhile
                return
            proposed = job.result.proposed
            editor = Editor(proposed, "proposed")
            try:
                if self.given_plan is not None:
                    _require_same_columns(Plan.from_mapping(self.given_plan), proposed)
                    editor.take(self.given_plan, "plan file")
            except PlanError as error:
                self.say(error)
            self.editor = editor

    def require_seen(self, table: str | None) -> None:
        """Refuse what a page asks that shows another table than this, as in another tab; None where it does not say."""
        if table is not None and table != str(self.table):
            raise DataError("another table is open than this page showed, and nothing was changed: look again")

    def last_release(self, shown: str | None) -> ReleaseRecord:
        """Return the last release; refuse where a page shows another one, as in another tab; None if it says none."""
        releases = self.releases
        if shown is not None and (not releases or shown != releases[-1].number):
            raise DataError("another release is here than this page showed, or none any more: look again")
        if not releases:
            raise DataError("make a release first")
        return releases[-1]

    def require_editor(self) -> Editor:
        """Return the plan being edited; refuse where there is no table yet."""
        if self.editor is None or self.source is None:
            raise DataError("choose a table first")
        return self.editor

    def require_plan(self) -> Plan:
        """Return the plan; refuse where something is wrong with it."""
        return Plan.from_mapping(self.require_editor().values)

    @property
    def undecided(self) -> list[str]:
        """The columns whose role only a person can know."""
        if self.editor is None:
            return []
        return [name for name, about in self.editor.values["attributes"].items() if about.get("role") == UNDECIDED]

    def unique(self) -> Job:
        """Count who is unique by the quasi-identifiers chosen so far."""
        values = self.require_editor().values
        names = tuple(n for n, about in values["attributes"].items() if about.get("role") == "quasi_identifier")
        subject = values.get("subject")
        return self._asked("unique", names, None if subject == "record" else subject)

    def preview(self) -> Job:
        """Ask what the plan would do."""
        return self._asked("preview", self.require_plan().to_dict())

    def duration(self) -> Job | None:
        """Ask how long a run will take; not while a long work would be slowed by it, and slow what is measured."""
        return None if self.busy else self._timed("duration")

    def costs(self, asked: tuple[tuple[str, int], ...]) -> Job | None:
        """Ask what closeness costs, and what ways out there are; not while a long work is under way."""
        return None if self.busy or not asked else self._timed("costs", asked)

    def _timed(self, task: str, *arguments: Any) -> Job:
        """Return the answer of a task that tries the plan on a sample; those about another plan are given up."""
        question = (self.source, self.require_plan().to_dict())
        for other in _TIMED:
            if other in self._answers and self._answers[other].arguments[:2] != question:
                del self._answers[other]
                self.timing.kill()
        job = self._answers.get(task)
        if job is None or job.state == "cancelled":
            job = self._answers[task] = self.timing.submit(task, *question, *arguments, finished=self._rest)
        return job

    def _rest(self, job: Job) -> None:
        with self.lock:
            if not any(self._answers[name].running for name in _TIMED if self._answers.get(name) not in (None, job)):
                self.timing.kill()  # with the memory of its table

    def _asked(self, task: str, *arguments: Any) -> Job:
        """Return the answer to a question, asked once as long as it stays the same; an older one is given up."""
        job = self._answers.get(task)
        if job is None or job.arguments != (self.source, *arguments) or job.state == "cancelled":
            if job is not None and job.running and job.seconds > _PATIENCE:
                self.quick.kill()  # the answer that it works on is not wanted any more
            job = self._answers[task] = self.quick.submit(task, self.source, *arguments)
        return job

    def start_run(self, choices: ReleaseChoices) -> None:
        """Make a release in the background."""
        values = self.require_plan().to_dict()
        self.refuse_if_busy()
        folder = Path(tempfile.mkdtemp(prefix="release-", dir=self.folder))

        def finished(job: Job) -> None:
            with self.lock:
                unreachable = [folder]
                if job.outcome == "done" and self.run_job is job:  # and no other table was chosen meanwhile
                    # The numbers of earlier ones stay in the history, the files are of this one.
                    unreachable = [earlier.folder for earlier in self.releases]
                    number = f"{self.table}-{len(self.releases) + 1}"
                    self.releases.append(ReleaseRecord(number, values, folder, job.result, job.seconds, choices))
                for path in unreachable:
                    shutil.rmtree(path, ignore_errors=True)
                self.heavy.kill()  # with the memory of its table

        self.run_job = self.heavy.submit("release", self.source, values, str(folder), choices, finished=finished)

    def start_comparison(self, grid: dict[str, list[Any]]) -> None:
        """Compare plans in the background."""
        values = self.require_plan().to_dict()
        self.refuse_if_busy()
        cache = self.folder / "comparisons"
        cache.mkdir(mode=0o700, exist_ok=True)
        job = self.heavy.submit(
            "compare", self.source, values, grid, str(cache), finished=lambda job: self.heavy.kill()
        )
        self.comparison = Comparison(values, grid, job)

    def start_columns(self, comparison: Comparison) -> None:
        """Show the columns by two plans of the comparison side by side."""
        self.refuse_if_busy()
        base = Plan.from_mapping(comparison.values)
        plans = tuple(chosen_plan(base, comparison.runs[place].choices).to_dict() for place in comparison.pair)
        comparison.columns_job = self.heavy.submit("beside", self.source, plans, finished=lambda job: self.heavy.kill())

    def refuse_if_busy(self) -> None:
        """Refuse to begin a second long work before the first has ended; what is only measured gives way."""
        if self.busy:
            raise PlanError("something is still under way: wait for it, or cancel it")
        self.timing.kill()

    @property
    def busy(self) -> bool:
        """Whether a long work is under way."""
        comparison = self.comparison
        jobs = [self.run_job, *([comparison.job, comparison.columns_job] if comparison is not None else [])]
        return any(job is not None and job.running for job in jobs)

    def map_of(self, comparison: Comparison) -> RiskMap | None:
        """Return the newest map there is, and have a newer one drawn where results came since."""
        job = comparison.map_job
        if job is not None and job.state == "done":
            comparison.risk_map = job.result
        key = (len(comparison.runs), comparison.job.state, comparison.axes, comparison.bounds, comparison.picked)
        if comparison.runs and key != comparison.map_key and (job is None or not job.running):
            if comparison.map_key is not None and comparison.map_key[1] != comparison.job.state:
                comparison.risk_map = None  # its numbers are not those of the table any more
            comparison.map_key = key
            comparison.map_job = self.quick.submit(
                "map", tuple(comparison.runs), comparison.axes, comparison.bounds, comparison.picked
            )
        return comparison.risk_map

    def say(self, error: ShoalError | str) -> None:
        """Show a sentence on the next page: why something was refused, or what came of it."""
        self.message = Message(str(error), refused=isinstance(error, ShoalError))

    def take_message(self) -> Message:
        """Return the sentence to show; it is shown once."""
        message, self.message = self.message, Message()
        return message

    def close(self) -> None:
        """End the workers and remove the files."""
        for worker in (self.quick, self.heavy, self.timing):
            with contextlib.suppress(OSError):
                worker.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _require_same_columns(plan: Plan, proposed: dict[str, Any]) -> None:
    odd = sorted(set(plan.attributes) ^ set(proposed["attributes"]))
    if odd:
        raise PlanError(
            f"the plan that was given is for another table, which differs in {', '.join(map(repr, odd[:5]))}: "
            "a plan was proposed instead"
        )
