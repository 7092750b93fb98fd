"""The table of a run, recoded as its plan says: what records are compared by, and released from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.encode import read_subjects
from shoal.errors import DataError
from shoal.frames import Table
from shoal.kinds.numeric import check_range
from shoal.masking.totals import follow_parts, require_sums
from shoal.plan import Plan
from shoal.plan.attribute import Role
from shoal.recode import RECODINGS, Recoded, Step, recode_table


def recoded(
    table: Table, plan: Plan, *, judge_totals: bool = True, asked: Mapping[str, Mapping[str, Any]] | None = None
) -> Recoded:
    """Recode a table by its plan; without recodings it stays the table that it is.

    Columns that the table does not have are passed over: who reads the inputs says so. Who only compares tables does
    not judge totals. A part of a table brings the recodings ``asked`` of it, in which all of the whole is known.
    """
    part = asked is not None
    recodings = plan.recodings() if asked is None else asked
    if judge_totals and all(name in table.names for total in plan.totals for name in total.columns):
        require_sums(table, plan)
    asked = {name: keys for name, keys in recodings.items() if name in table.names}
    if not asked:
        return Recoded(table, table)
    for name, keys in asked.items():
        if keys.get("relative_to") is not None and keys["relative_to"] not in table.names:
            raise DataError(
                f"column {name!r} becomes its distance from {keys['relative_to']!r}, which the table does not have"
            )
    subject = plan.subject_column()
    counts_subjects = not part and subject is not None and "rare" in {key for keys in asked.values() for key in keys}
    subjects = read_subjects(table, subject).numbers if counts_subjects and subject is not None else None
    made = recode_table(table, asked, subjects=subjects, part=part)
    for name in plan.names(Role.QUASI_IDENTIFIER):
        if name in asked and plan.spec(name).kind.is_number:
            check_range(name, made.before.numbers(name).values)  # loss is measured against what came, not what is left
    return follow_parts(made, plan) if plan.totals else made


def coarsened(plan: Plan) -> bool:
    """Whether a recoding of the plan loses something."""
    return any(RECODINGS[key].loses for keys in plan.recodings().values() for key in keys)


def recoding_in_manifest(steps: Sequence[Step]) -> dict[str, Any]:
    """Return what a manifest says of recodings; nothing where there were none."""
    return {"recoding": [step.to_dict() for step in steps]} if steps else {}


def recoding_sentences(manifest: Mapping[str, Any]) -> list[str]:
    """Say what a manifest says of recodings, a sentence each."""
    return [
        Step(step["column"], step["recoding"], step["what"], step["cells"], step["of"]).sentence
        for step in manifest.get("recoding", ())
    ]
