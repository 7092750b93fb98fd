"""Signatures of the compiled kernels. Arrays are column-major; progress is called with (done, total)."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int], object]

class Records:
    def __init__(
        self,
        coords: NDArray[np.float64],
        ranks: NDArray[np.int32],
        rank_steps: NDArray[np.float64],
        rank_levels: NDArray[np.int32],
        rank_convex: NDArray[np.bool_],
        codes: NDArray[np.int32],
        code_weights: NDArray[np.float64],
        code_levels: NDArray[np.int32],
    ) -> None: ...
    def __len__(self) -> int: ...

def split_classes(labels: NDArray[np.int64], column: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]: ...
def exact_sum(added: NDArray[np.float64], removed: NDArray[np.float64]) -> float: ...
def mdav(records: Records, k: int, progress: Progress | None) -> NDArray[np.int64]: ...
