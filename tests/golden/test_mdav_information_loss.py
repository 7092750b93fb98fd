"""Information loss of MDAV on the reference sets of the field, to four decimals."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shoal.partition import mdav

DATA = os.environ.get("SHOAL_REFERENCE_DATA")


@pytest.mark.skipif(DATA is None, reason="SHOAL_REFERENCE_DATA does not say where census.csv and tarragona.csv are")
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(
    ("name", "k", "percent"),
    [
        ("census", 3, 5.6922),
        ("census", 5, 9.0884),
        ("census", 10, 14.1559),
        ("tarragona", 3, 16.9326),
        ("tarragona", 5, 22.4619),
        ("tarragona", 10, 33.1929),
    ],
)
def test_information_loss(name, k, percent, ddof):
    values = np.loadtxt(Path(DATA) / f"{name}.csv", delimiter=",", skiprows=1)
    points = (values - values.mean(axis=0)) / values.std(axis=0, ddof=ddof)
    labels = mdav(points, k)
    centroids = np.stack([points[labels == group].mean(axis=0) for group in range(labels.max() + 1)])
    sse = ((points - centroids[labels]) ** 2).sum()
    sst = ((points - points.mean(axis=0)) ** 2).sum()
    assert round(100 * sse / sst, 4) == percent
