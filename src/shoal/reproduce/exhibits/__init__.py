"""Every exhibit of the five papers that can be made again, in the papers' order."""

from __future__ import annotations

from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.exhibits import p0, p1, p2, p3, p4

EXHIBITS: dict[str, Exhibit] = {exhibit.name: exhibit for paper in (p0, p1, p2, p3, p4) for exhibit in paper.EXHIBITS}
"""Every exhibit by its name on the command line."""
