"""Soria-Comas et al. 2015, Algorithms 1 and 2 transcribed line by line in NumPy, against `merge` and `k_first`."""

import numpy as np
import pytest

from shoal.constrain import k_first, merge
from shoal.partitioners import mdav
from shoal.reproduce.reference import Reference
from shoal.reproduce.soria_comas_2015 import data_set, merge_with
from shoal.scaling import zscores

ROUNDING = 1e-12


class Transcript:
    """Algorithm 2; names are the paper's."""

    def __init__(self, points, confidential, k, t):
        levels, codes = np.unique(confidential, return_inverse=True)
        self.steps = (codes[:, None] <= np.arange(len(levels))).astype(float)
        self.table = self.steps.mean(axis=0)
        self.points, self.k, self.t = points, k, t

    def emd(self, sums):
        return np.abs(sums / self.k - self.table).sum(axis=-1) / (len(self.table) - 1)

    def by_distance(self, x, rows):
        return rows[np.lexsort((rows, ((self.points[rows] - x) ** 2).sum(axis=1)))]

    def generate_cluster(self, x, rows):
        if len(rows) < 2 * self.k:
            return rows
        outward = self.by_distance(self.points[x], rows).tolist()
        cluster, rest = outward[: self.k], outward[self.k :]
        sums = self.steps[cluster].sum(axis=0)
        while self.emd(sums) > self.t and rest:
            y = rest.pop(0)
            swapped = self.emd(sums + self.steps[y] - self.steps[cluster])
            best = min(range(self.k), key=lambda i: (round(swapped[i], 12), cluster[i]))
            if swapped[best] < self.emd(sums) - ROUNDING:
                sums += self.steps[y] - self.steps[cluster[best]]
                cluster[best] = y
        return np.array(cluster)

    def clusters(self):
        labels = np.full(len(self.points), -1)
        rows = np.arange(len(self.points))
        while len(rows):
            far = self.points[rows].mean(axis=0)
            for _ in range(2):
                if not len(rows):
                    break
                x = rows[((self.points[rows] - far) ** 2).sum(axis=1).argmax()]
                labels[self.generate_cluster(x, rows)] = labels.max() + 1
                rows = np.flatnonzero(labels < 0)
                if len(rows):
                    far = self.points[x]
        return labels


def same_groups(a, b):
    pairs = len(np.unique(np.column_stack([a, b]), axis=0))
    return pairs == len(np.unique(a)) == len(np.unique(b))


@pytest.mark.parametrize(("name", "k", "t"), [("HCD", 2, 0.25), ("HCD", 5, 0.13), ("MCD", 10, 0.05), ("MCD", 30, 0.17)])
def test_the_groups_are_those_of_the_listings(reference_data, name, k, t):
    quasi, confidential = data_set(Reference.at(reference_data).columns("census"), name)
    points = zscores(quasi)
    merged = merge_with("nearest", points, confidential, mdav(points, k), [t])[t]
    assert same_groups(merged, merge(points, confidential, k=k, t=t))
    clusters = Transcript(points, confidential, k, t).clusters()
    swapped = merge_with("nearest", points, confidential, clusters, [t])[t]
    assert same_groups(swapped, k_first(points, confidential, k=k, t=t))
