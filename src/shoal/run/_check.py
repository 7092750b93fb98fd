"""Check: everything that is known of a table and a plan before the work, for Python as for ``shoal check``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from shoal.card import Card, screenful
from shoal.errors import DataError, ShoalError
from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.masking.inputs import find_problems
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.missing_cells import open_table
from shoal.plan.plan import require_plan
from shoal.plan.treatment import treatment
from shoal.run.checked import Checked, check_table


@dataclass(frozen=True)
class Problem:
    """One thing to know before a table is anonymized. No value of a record.

    Parameters
    ----------
    kind
        ``error``: nothing would be released. ``caution``: look twice. ``giveaway``: the release would tell more than
        its guarantees speak of.
    sentence
        What it is.
    remedy
        Lines of the plan that would end it, as TOML; empty where no line can.
    """

    kind: Literal["error", "caution", "giveaway"]
    sentence: str
    remedy: str = ""


@dataclass(frozen=True)
class Fate:
    """A column: its role and kind in the plan, and what would happen to it."""

    column: str
    role: str
    kind: str
    what: str


@dataclass(frozen=True, repr=False)
class Check(Card):
    """What `check` found; true where `shoal.anonymize` would try.

    Parameters
    ----------
    plan
        The plan that was checked.
    records
        How many records the table has.
    problems
        What is wrong and what to beware of, the worst first.
    columns
        What would happen to each column; empty where the table and the plan do not go together.
    forecast
        What would be done, in sentences; empty likewise.
    group_size, most_groups
        The smallest group to expect, and how many groups there are at most; None likewise.
    """

    plan: Plan
    records: int
    problems: tuple[Problem, ...] = ()
    columns: tuple[Fate, ...] = ()
    forecast: tuple[str, ...] = ()
    group_size: int | None = None
    most_groups: int | None = None

    @property
    def ok(self) -> bool:
        """Whether `shoal.anonymize` would try: no errors. There may be cautions and giveaways."""
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    @property
    def errors(self) -> tuple[Problem, ...]:
        """What keeps anything from being released."""
        return self._of("error")

    @property
    def cautions(self) -> tuple[Problem, ...]:
        """What to look at twice."""
        return self._of("caution")

    @property
    def giveaways(self) -> tuple[Problem, ...]:
        """What the release would tell beside its guarantees."""
        return self._of("giveaway")

    def _of(self, kind: str) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.kind == kind)

    def __repr__(self) -> str:
        verdict = "nothing is wrong" if self.ok else "this cannot be released"
        lines = [f"Check of {self.records:,} records: {verdict}"]
        lines += [f"  {problem.kind}: {problem.sentence}" for problem in self.problems]
        lines += [f"  {sentence}" for sentence in self.forecast]
        return screenful(lines)


def check(frame: Any, plan: Plan) -> Check:
    """Check a table against a plan: what is wrong, or what would be done and what it would give away.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table.
    plan
        Every choice of the run.

    Returns
    -------
    Check
        Problems and forecast; true where `shoal.anonymize` would try. Nothing is grouped.

    Raises
    ------
    DataError
        ``frame`` is no table in memory.
    PlanError
        ``plan`` is no plan.

    Examples
    --------
    >>> import shoal
    >>> frame = shoal.examples.discharges(300, seed=1)
    >>> plan = shoal.propose(frame, k=5)
    >>> found = shoal.check(frame, plan)
    >>> found.ok, found.group_size, found.most_groups
    (True, 5, 60)
    >>> shoal.check(frame, plan.with_(k=301)).errors[0].sentence
    'k is 301 but the table has only 300 different subjects (patient_id): lower k or bring more data'
    """
    require_plan(plan)
    records = len(Table.of(frame))
    try:
        table = open_table(frame, plan)
        try:
            found = check_table(table, plan)
        except DataError:
            sentences = find_problems(table, plan)
            if not sentences:
                raise
            return Check(plan, records, tuple(Problem("error", sentence) for sentence in sentences))
    except ShoalError as error:
        return Check(plan, records, (Problem("error", str(error)),))
    return Check(
        plan,
        records,
        (
            *(Problem("caution", sentence) for sentence in _cautions(found)),
            *(_giveaway(giveaway) for giveaway in found.giveaways),
        ),
        tuple(_fate(name, plan) for name in table.names),
        (f"Method {plan.method}: {METHODS[plan.method].summary}.", *found.sentences, *found.ahead),
        found.group_size,
        found.most_groups,
    )


def _cautions(found: Checked) -> tuple[str, ...]:
    given_up = () if found.not_guaranteed is None else (f"k is not guaranteed: {found.not_guaranteed}",)
    return (*given_up, *found.cautions)


def _giveaway(giveaway: Giveaway) -> Problem:
    return Problem("giveaway", giveaway.sentence, giveaway.remedy)


def _fate(name: str, plan: Plan) -> Fate:
    attribute = plan.attributes[name]
    return Fate(name, attribute.role.value, attribute.kind.value if attribute.kind else "", treatment(name, plan))
