"""Signatures of the compiled kernels. Arrays are column-major; progress is called with (done, total)."""

import numpy as np
from numpy.typing import NDArray

def split_classes(labels: NDArray[np.int64], column: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.int64]: ...
