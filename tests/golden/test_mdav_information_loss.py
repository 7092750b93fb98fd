"""Information loss of MDAV on the reference sets of the field, to four decimals."""

from __future__ import annotations

import numpy as np
import pytest

from reference.published import MDAV_LOSS
from shoal.partitioners import mdav


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(("name", "k", "percent"), MDAV_LOSS)
def test_information_loss(reference_data, name, k, percent, ddof):
    values = np.loadtxt(reference_data / f"{name}.csv", delimiter=",", skiprows=1)
    points = (values - values.mean(axis=0)) / values.std(axis=0, ddof=ddof)
    labels = mdav(points, k)
    centroids = np.stack([points[labels == group].mean(axis=0) for group in range(labels.max() + 1)])
    sse = ((points - centroids[labels]) ** 2).sum()
    sst = ((points - points.mean(axis=0)) ** 2).sum()
    assert round(100 * sse / sst, 4) == percent
