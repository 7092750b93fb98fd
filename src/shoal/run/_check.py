"""Check: everything that is known of a table and a plan before the work, for Python as for ``shoal check``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from shoal.card import Card, screenful
from shoal.errors import DataError, ShoalError
from shoal.files import FORMATS, SourceFile
from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey, file_label, find_giveaways, formulas_of
from shoal.giveaways.telling_order import followed_columns
from shoal.kinds import Kind, Operator
from shoal.masking.inputs import Inputs, find_problems, read_inputs
from shoal.masking.preflight import forecast, require_comparable, require_feasible, sentences_before
from shoal.masking.recoding import recoded
from shoal.masking.row_order import order_sentence
from shoal.masking.suppression import budget
from shoal.partitioners import METHODS
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute_blocks import require_guarantee, why_not_guaranteed
from shoal.plan.missing_values import open_table
from shoal.plan.plan import require_plan
from shoal.plan.propose import looks_like_codes
from shoal.plan.treatment import treatment
from shoal.protect import Forecast
from shoal.run.source_parsing import parsed


def averaged_codes(inputs: Inputs, plan: Plan) -> tuple[str, ...]:
    """Say which columns of few whole numbers are masked by their mean, a sentence for each."""
    if plan.release is ReleaseMode.PERMUTE:
        return ()
    return tuple(
        f"column {column.name!r} has {levels} different whole numbers and is masked by their mean: if they are codes, "
        'give it kind = "nominal", or "ordinal" where they stand in an order'
        for column in inputs.quasi_identifiers
        if column.kind.base is Kind.NUMERIC and column.whole and column.spec.operator is Operator.MEAN
        if looks_like_codes(column.name, levels := len(np.unique(column.observed)), len(column.observed))
    )


@dataclass(frozen=True)
class Outlook:
    """What a plan would do with a table that goes together with it. No value of a record."""

    giveaways: tuple[Giveaway, ...]  # what the release would give away
    sentences: tuple[str, ...]  # what would be done, besides what is done to each column
    ahead: tuple[str, ...]  # what the guarantees ask of the groups
    # group_size, most_groups: the smallest group to expect, and how many groups there are at most
    group_size: int
    most_groups: int
    cautions: tuple[str, ...]  # what a person should look at twice
    not_guaranteed: str | None  # why k is not guaranteed, where the plan gives it up


@dataclass(frozen=True, eq=False)
class TableCheck:
    """A table and a plan that go together."""

    # table, inputs: the table as it is compared, and what the plan reads of it
    table: Table
    inputs: Inputs
    outlook: Outlook


def check_file(data: SourceFile, plan: Plan) -> TableCheck:
    """Check a file against a plan as `check_table` does, with what the file gives away beside its table."""
    table_check = check_table(Table.of(parsed(data, plan).frame), plan)
    formulas = formulas_of(data.frame, plan) if data.format in FORMATS and FORMATS[data.format].has_formulas else ()
    giveaways = (*file_label(data), *formulas, *table_check.outlook.giveaways)
    return replace(table_check, outlook=replace(table_check.outlook, giveaways=giveaways))


def check_table(original: Table, plan: Plan) -> TableCheck:
    """Check a table against a plan; nothing is grouped.

    Raises everything that is wrong with the table in one message, or what not even the coarsest groups could keep.
    """
    try:
        recoding = recoded(original, plan)
        table = recoding.table
        inputs = read_inputs(table, plan)
    except DataError:  # which is the first thing that is wrong, and not all
        raise DataError("; and ".join(find_problems(original, plan))) from None
    require_guarantee(plan)
    require_feasible(inputs, plan)
    require_comparable(inputs, plan)
    records, subjects = len(original), inputs.subjects
    reason = why_not_guaranteed(plan)
    ahead = forecast(inputs, plan) if reason is None else Forecast(plan.k)
    sentences = [f"{step.sentence}." for step in recoding.steps]
    if plan.suppress is not None:
        sentences.append(f"At most {budget(plan, records):,} records may be dropped, those that cost most.")
    sentences += map(_sentence, sentences_before(inputs, plan))
    followed = followed_columns(original, plan)
    if followed or plan.order == "shuffle":
        sentences.append(_sentence(order_sentence(followed, done=False)))
    # Where all quasi-identifiers are constant, subjects are grouped, and not records.
    groups_subjects = len(inputs.constant) == len(inputs.quasi_identifiers)
    outlook = Outlook(
        giveaways=tuple(find_giveaways(Survey(table, plan, subjects=subjects))),
        sentences=tuple(sentences),
        ahead=tuple(map(_sentence, ahead.sentences)),
        group_size=ahead.group_size,
        most_groups=(subjects.count if subjects is not None and groups_subjects else records) // ahead.group_size,
        cautions=averaged_codes(inputs, plan),
        not_guaranteed=reason,
    )
    return TableCheck(table, inputs, outlook)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


@dataclass(frozen=True)
class Problem:
    """One thing to know before a table is anonymized. No value of a record."""

    # ``error``: nothing would be released. ``caution``: look twice. ``giveaway``: the release would tell more than
    # its guarantees speak of
    kind: Literal["error", "caution", "giveaway"]
    sentence: str  # what it is
    remedy: str = ""  # lines of the plan that would end it, as TOML; empty where no line can


@dataclass(frozen=True)
class Fate:
    """A column: its role and kind in the plan, and what would happen to it."""

    column: str
    role: str
    kind: str
    what: str


@dataclass(frozen=True, repr=False)
class Check(Card):
    """What `check` found; true where `shoal.anonymize` would try."""

    plan: Plan  # the plan that was checked
    records: int  # how many records the table has
    problems: tuple[Problem, ...] = ()  # what is wrong and what to beware of, the worst first
    # what would happen to each column; empty where the table and the plan do not go together
    columns: tuple[Fate, ...] = ()
    forecast: tuple[str, ...] = ()  # what would be done, in sentences; empty likewise
    # group_size, most_groups: the smallest group to expect, and how many groups there are at most; None likewise
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
    >>> checked = shoal.check(frame, plan)
    >>> checked.ok, checked.group_size, checked.most_groups
    (True, 5, 60)
    >>> shoal.check(frame, plan.with_(k=301)).errors[0].sentence
    'k is 301 but the table has only 300 different subjects (patient_id): lower k or bring more data'
    """
    require_plan(plan)
    records = len(Table.of(frame))
    try:
        table = open_table(frame, plan)
        try:
            outlook = check_table(table, plan).outlook
        except DataError as error:
            sentences = find_problems(table, plan) or [str(error)]
            return Check(plan, records, tuple(Problem("error", sentence) for sentence in sentences))
    except ShoalError as error:
        return Check(plan, records, (Problem("error", str(error)),))
    given_up = () if outlook.not_guaranteed is None else (f"k is not guaranteed: {outlook.not_guaranteed}",)
    return Check(
        plan,
        records,
        (
            *(Problem("caution", sentence) for sentence in (*given_up, *outlook.cautions)),
            *(Problem("giveaway", each.sentence, each.remedy) for each in outlook.giveaways),
        ),
        tuple(_fate(name, plan) for name in table.names),
        (f"Method {plan.method}: {METHODS[plan.method].summary}.", *outlook.sentences, *outlook.ahead),
        outlook.group_size,
        outlook.most_groups,
    )


def _fate(name: str, plan: Plan) -> Fate:
    attribute = plan.attributes[name]
    return Fate(name, attribute.role.value, attribute.kind.value if attribute.kind else "", treatment(name, plan))
