"""A caution: whole numbers of few levels that a plan averages may be codes, and 1.4 is no sex."""

from __future__ import annotations

import numpy as np

from shoal.kinds import Kind, Operator
from shoal.masking.inputs import Inputs
from shoal.plan import Plan, ReleaseMode
from shoal.plan.propose import looks_like_codes


def averaged_codes(inputs: Inputs, plan: Plan) -> tuple[str, ...]:
    """Say which columns of few whole numbers are masked by their mean, a sentence for each."""
    if plan.release is ReleaseMode.PERMUTE:
        return ()
    return tuple(
        f"column {column.name!r} has {levels} different whole numbers and is masked by their mean: if they are codes, "
        'give it kind = "nominal", or "ordinal" where they stand in an order'
        for column in inputs.quasi_identifiers
        if column.kind is Kind.NUMERIC and column.whole and column.spec.operator is Operator.MEAN
        if looks_like_codes(column.name, levels := len(np.unique(column.observed)), len(column.observed))
    )
