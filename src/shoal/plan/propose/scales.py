"""Scales that people write in words: their order is known without asking."""

from __future__ import annotations

from collections.abc import Sequence

_SCALES = (
    "minor moderate major extreme",
    "none minimal mild moderate severe extreme",
    "none low medium high",
    "very low|low|medium|high|very high",
    "low mid high",
    "never rarely sometimes often always",
    "never|seldom|occasionally|frequently|always",
    "daily weekly monthly quarterly yearly",
    "strongly disagree|disagree|neutral|agree|strongly agree",
    "strongly disagree|disagree|neither agree nor disagree|agree|strongly agree",
    "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
    "very bad|bad|fair|good|very good|excellent",
    "very poor|poor|fair|good|very good|excellent",
    "none primary secondary tertiary",
    "no education|primary|secondary|higher",
    "less than primary|primary|secondary|vocational|bachelor|master|doctorate",
    "small medium large",
    "xs s m l xl xxl",
    "first second third fourth fifth",
    "i ii iii iv v",
    "child teenager adult senior",
)


def known_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Return labels in their order, lowest first, where all are steps of one scale that is known; else None.

    Examples
    --------
    >>> known_order(["extreme", "Minor", "moderate"])
    ('Minor', 'moderate', 'extreme')
    >>> known_order(["red", "green"]) is None
    True
    """
    written = {label.strip().lower(): label for label in labels}
    if len(written) < len(labels) or len(labels) < 2:
        return None
    for scale in _SCALES:
        steps = scale.split("|") if "|" in scale else scale.split()
        if set(written) <= set(steps):
            return tuple(written[step] for step in steps if step in written)
    return None
