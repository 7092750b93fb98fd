"""Plain values: numbers of NumPy as the numbers that they are."""

from __future__ import annotations

from typing import Any

import numpy as np

_DEEPEST = 200
"""What is nested deeper is left to those who refuse it."""


def plain(value: Any, *, depth: int = 0) -> Any:
    """Return a value with every number of NumPy in it as Python's, in lists and tables, too.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"k": np.int64(5), "try": [np.float32(0.1), np.bool_(True)]})
    {'k': 5, 'try': [0.1, True]}
    """
    if isinstance(value, np.floating):  # the decimals as they were written, also of narrower numbers
        return float(str(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if depth >= _DEEPEST:
        return value
    if type(value) in (list, tuple):
        return type(value)(plain(inner, depth=depth + 1) for inner in value)
    if type(value) is dict:
        return {plain(key): plain(inner, depth=depth + 1) for key, inner in value.items()}
    return value
