"""What a plan would do with a table, and whether it can: everything that is known before the work."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.errors import DataError
from shoal.files import FORMATS, SourceFile
from shoal.frames import Table
from shoal.giveaways import Giveaway, Survey, file_label, find_giveaways, formula_cells
from shoal.giveaways.row_order import followed_columns
from shoal.masking.inputs import Inputs, find_problems, read_inputs
from shoal.masking.preflight import constant_sentence, forecast, require_comparable, require_feasible, slow_sentences
from shoal.masking.recoding import recoded
from shoal.masking.row_order import order_sentence
from shoal.masking.suppression import budget
from shoal.plan import Plan
from shoal.plan.attribute_blocks import require_guarantee, why_not_guaranteed
from shoal.run.codes import averaged_codes
from shoal.run.source import parsed


@dataclass(frozen=True, eq=False)
class Checked:
    """A table and a plan that go together.

    Parameters
    ----------
    table, inputs
        The table as it is compared, and what the plan reads of it.
    giveaways
        What the release would give away.
    sentences
        What would be done, besides what is done to each column.
    ahead
        What the guarantees ask of the groups.
    group_size, most_groups
        The smallest group to expect, and how many groups there are at most.
    cautions
        What a person should look at twice.
    not_guaranteed
        Why k is not guaranteed, where the plan gives it up.
    """

    table: Table
    inputs: Inputs
    giveaways: tuple[Giveaway, ...]
    sentences: tuple[str, ...]
    ahead: tuple[str, ...]
    group_size: int
    most_groups: int
    cautions: tuple[str, ...]
    not_guaranteed: str | None


def checked(data: SourceFile, plan: Plan) -> Checked:
    """Check a file against a plan as `check_table` does, with what the file gives away beside its table."""
    found = check_table(Table.of(parsed(data, plan).frame), plan)
    formulas = formula_cells(data, plan) if data.format in FORMATS and FORMATS[data.format].has_formulas else ()
    return replace(found, giveaways=(*file_label(data), *formulas, *found.giveaways))


def check_table(came: Table, plan: Plan) -> Checked:
    """Check a table against a plan; nothing is grouped.

    Raises
    ------
    PlanError, DataError
        Everything that is wrong with the table, in one message.
    GuaranteeError
        What is asked cannot be kept, not even by the coarsest groups.
    """
    try:
        recoding = recoded(came, plan)
        table = recoding.table
        inputs = read_inputs(table, plan)
    except DataError:  # which is the first thing that is wrong, and not all
        raise DataError("; and ".join(find_problems(came, plan))) from None
    require_guarantee(plan)
    require_feasible(inputs, plan)
    require_comparable(inputs, plan)
    records, subjects = len(came), inputs.subjects
    reason = why_not_guaranteed(plan)
    ahead = None if reason is not None else forecast(inputs, plan)
    group_size = plan.k if ahead is None else ahead.group_size
    whole = len(inputs.constant) == len(inputs.quasi_identifiers)  # then subjects are grouped, and not records
    return Checked(
        table=table,
        inputs=inputs,
        giveaways=tuple(find_giveaways(Survey(table, plan, subjects=subjects))),
        sentences=(
            *(f"{step.sentence}." for step in recoding.steps),
            *(
                ()
                if plan.suppress is None
                else (f"At most {budget(plan, records):,} records may be dropped, those that cost most.",)
            ),
            *map(_sentence, constant_sentence(inputs, plan)),
            *map(_sentence, slow_sentences(inputs, plan)),
            *_order(came, plan),
        ),
        ahead=() if ahead is None else tuple(map(_sentence, ahead.sentences)),
        group_size=group_size,
        most_groups=(subjects.count if subjects is not None and whole else records) // group_size,
        cautions=tuple(averaged_codes(inputs, plan)),
        not_guaranteed=reason,
    )


def _order(table: Table, plan: Plan) -> tuple[str, ...]:
    followed = followed_columns(table, plan) if plan.order == "auto" else ()
    return (_sentence(order_sentence(followed, done=False)),) if followed or plan.order == "shuffle" else ()


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
