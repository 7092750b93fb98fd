"""Names with commas between them, as options take them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import PlanError


def listed(texts: Sequence[str], option: str) -> tuple[str, ...] | None:
    """Return the names that an option lists; None where it was left out.

    Raises
    ------
    PlanError
        It was given and names nothing: that would be read as everything.

    Examples
    --------
    >>> listed(["linkage, identity", "linkage"], "--attacks"), listed([], "--attacks")
    (('linkage', 'identity', 'linkage'), None)
    """
    names = tuple(name.strip() for text in texts for name in text.split(",") if name.strip())
    if texts and not names:
        raise PlanError(f"{option} names nothing: leave it out, or give it names with commas between them")
    return names or None
