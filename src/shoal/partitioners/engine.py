"""How a partitioner searches records: through a k-d tree, or by going through all of them."""

from __future__ import annotations

from typing import Literal, get_args

from shoal.errors import PlanError

Engine = Literal["auto", "tree", "scan"]


def require_engine(engine: str) -> Engine:
    """Return the engine, or refuse a name that is none."""
    for known in get_args(Engine):
        if engine == known:
            return known  # type: ignore[no-any-return]  # get_args forgets the literal
    raise PlanError(f'engine must be "auto", "tree" or "scan", not "{engine}"')
