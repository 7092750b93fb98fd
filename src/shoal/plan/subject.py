"""The key ``subject`` of a plan: whom a record is about, so that k counts persons and not rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import nearest
from shoal.plan.attribute import Role
from shoal.plan.attribute_blocks import why_not_guaranteed

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

RECORD = "record"
"""What ``subject`` says where every record is a subject of its own; a column of this name goes first."""


def check_keep_subject(plan: Plan) -> None:
    """Refuse pseudonyms where there is no subject to follow, or no group of whole subjects."""
    if plan.keep_subject is None:
        return
    asked = f'keep_subject = "{plan.keep_subject}"'
    if plan.subject_column() is None:
        raise ValueError(f"{asked} needs subject to name a column: without one there is nobody to follow")
    if plan.release == "permute":
        raise ValueError(
            f'{asked} lets rows be followed, and release = "permute" gives them the confidential values of others: '
            "leave one of them out"
        )
    reason = why_not_guaranteed(plan)
    if reason is not None:
        raise ValueError(
            f"{asked} shows which rows are of one subject, so k must be guaranteed, and it is not: {reason}"
        )


def check_subject(plan: Plan) -> None:
    """Refuse a column that cannot say whom a record is about."""
    column = plan.subject_column()
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
