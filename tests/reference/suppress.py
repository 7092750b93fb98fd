"""Suppression as it is defined: at every step all that could be dropped is tried, and the best for a record is."""

from __future__ import annotations

import numpy as np


def error(values):
    """Squared distances of records from their mean."""
    return float(((values - values.mean(axis=0)) ** 2).sum()) if len(values) else 0.0


def costliest(values, labels, most, *, k, subjects, domains=None):
    """Try every whole group, and every record of a group that keeps k subjects; stop when nothing fits or saves."""
    domains = np.zeros(len(labels), dtype=int) if domains is None else domains
    groups = {group: np.flatnonzero(labels == group).tolist() for group in np.unique(labels)}
    gone = []
    while True:
        offers = []
        for group, rows in groups.items():
            whole = error(values[rows])
            others = [g for g, members in groups.items() if g != group and domains[members[0]] == domains[rows[0]]]
            if others and len(gone) + len(rows) <= most:
                offers.append((-whole / len(rows), rows[0], rows))
            for row in rows:
                left = [other for other in rows if other != row]
                if len(gone) < most and len({subjects[other] for other in left}) >= k:
                    offers.append((error(values[left]) - whole, row, [row]))
        offers = [offer for offer in offers if offer[0] < -1e-12]
        if not offers:
            return gone
        _, _, rows = min(offers)
        gone += rows
        group = labels[rows[0]]
        groups[group] = [row for row in groups[group] if row not in rows]
        if not groups[group]:
            del groups[group]
