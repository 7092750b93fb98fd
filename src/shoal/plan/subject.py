"""The key ``subject`` of a plan: whom a record is about, so that k counts persons and not rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import nearest
from shoal.plan.attribute import Role

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

RECORD = "record"
"""What ``subject`` says where every record is a subject of its own; a column of this name goes first."""


def subject_column(plan: Plan) -> str | None:
    """Return the column of subjects, or None where every record counts as one."""
    if plan.subject == RECORD and RECORD not in plan.attributes:
        return None
    return plan.subject


def check_subject(plan: Plan) -> None:
    """Refuse a column that cannot say whom a record is about."""
    column = subject_column(plan)
    if column is None:
        return
    if column not in plan.attributes:
        raise ValueError(
            f"subject names {column!r}, which attributes do not declare{nearest(column, plan.attributes)}; "
            f'subject = "{RECORD}" says that every record is a subject of its own'
        )
    role = plan.attributes[column].role
    if role is not Role.IDENTIFIER:
        would = "would be masked" if role is Role.QUASI_IDENTIFIER else "would leave as it is"
        raise ValueError(
            f"subject names {column!r}, which is {role.value} and {would}: whom a record is about is an identifier, so "
            'give it role = "identifier"'
        )
