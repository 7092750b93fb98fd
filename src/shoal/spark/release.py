"""A release on Spark: the released table stays where the cluster has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from shoal.card import screenful
from shoal.errors import PlanError
from shoal.measures import Score
from shoal.plan import Plan
from shoal.progress import Progress, shown
from shoal.report import ReportData, collect
from shoal.report.report_data import RecodingRow
from shoal.report.report_statistics import ReleaseStatistics, Statistics, Trials
from shoal.run.guarantees import guarantee_line
from shoal.run.release import Release
from shoal.spark.messages import in_words
from shoal.spark.report_statistics import Evidence
from shoal.spark.session import followed


@dataclass(frozen=True, eq=False)
class SparkRelease(Release):
    """An anonymized table of Spark with its evidence.

    ``data`` is a Spark DataFrame. Its rows have no positions, so that ``labels``, ``partition`` and ``rows`` are empty;
    the manifest counts the classes.

    Parameters
    ----------
    evidence
        What measures and reports need besides; None where the run did not measure.
    """

    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def scores(self) -> Mapping[str, Score]:
        """Every measure by its key, as `shoal.measures.measure` has them.

        Raises
        ------
        PlanError
            The run did not measure.
        """
        return self._measured().scores

    def _original(self, original: Any | None, call: str) -> Any:
        # What is drawn was counted beside the original already.
        return original if call.startswith("plot") else super()._original(original, call)

    def _collected(self, original: Any | None, call: str, **options: Any) -> ReportData:
        # Neither are the tables here, to be looked at again, nor is the original needed for what the run counted.
        return collect(original, self, self.plan, **options)

    def gather_statistics(self, plan: Plan, trials: Trials) -> Statistics:
        """Return everything that an internal report is made of, counted by Spark."""
        if trials.certificate:
            raise PlanError("certificate is proven on all records in memory, and these are on Spark: leave it out")
        steps = self.manifest.get("recoding", ())
        recoding = tuple(RecodingRow(step["column"], step["what"], step["cells"], step["of"]) for step in steps)
        with self._counting(progress=trials.progress):
            return self._measured().statistics(self.data, plan, trials.attacks, recoding)

    def gather_release_statistics(self, plan: Plan) -> ReleaseStatistics:
        """Return what the released table shows by itself, counted by Spark."""
        with self._counting(progress=None):
            return self._measured().release_statistics(self.data, plan)

    @contextmanager
    def _counting(self, *, progress: Progress | bool | None) -> Iterator[None]:
        with in_words(), shown(progress, "counting on Spark") as report, followed(self.data.sparkSession, report):
            yield

    def _measured(self) -> Evidence:
        if self.evidence is None:
            raise PlanError(
                "measures and reports of Spark need what is counted beside the original: anonymize by "
                "shoal.spark.anonymize(frame, plan, measure=True)"
            )
        return self.evidence

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "evidence": None}

    def in_original_order(self) -> Release:
        """Return the release as it is: a table of Spark has no order of rows."""
        return self

    def __repr__(self) -> str:
        records, groups = self.manifest["output"]["rows"], self.manifest["groups"]
        lines = [f"Release of {records:,} records in {groups['count']:,} groups on Spark"]
        lines += map(guarantee_line, self.guarantees.values())
        lines += [f"  warning: {warning}" for warning in self.manifest.get("warnings", ())]
        return screenful(lines)
