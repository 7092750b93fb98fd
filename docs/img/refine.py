"""Draw the pictures of docs/refine.md: the four moves, and the loss of Census over time (measured here)."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

from mdav import Drawing
from shoal.partitioners import mdav
from shoal.points import Points
from shoal.refinement import EFFORTS, lower_bound, refinement
from shoal.refinement.search import Search
from shoal.reproduce.reference import Reference
from shoal.scaling import zscores

HERE = Path(__file__).parent
SHARES = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1)

# Records of the groups before and after a move, in units of a panel.
LEFT = np.array([[0.10, 0.62], [0.20, 0.80], [0.24, 0.50]])
RIGHT = np.array([[0.72, 0.58], [0.84, 0.78], [0.90, 0.50]])
TOP = np.array([[0.44, 0.96], [0.56, 0.90], [0.50, 1.02]])
MOVES = {
    "relocate": (
        "a record joins a neighbour's group",
        [np.vstack([LEFT, [[0.58, 0.62]]]), RIGHT],
        [LEFT, np.vstack([RIGHT, [[0.58, 0.62]]])],
    ),
    "swap": (
        "two records change places",
        [np.vstack([LEFT[:2], [[0.62, 0.66]]]), np.vstack([RIGHT[1:], [[0.34, 0.56]]])],
        [np.vstack([LEFT[:2], [[0.34, 0.56]]]), np.vstack([RIGHT[1:], [[0.62, 0.66]]])],
    ),
    "dissolve": (
        "a group goes into its neighbours",
        [LEFT, RIGHT, np.array([[0.34, 0.76], [0.64, 0.72], [0.66, 0.46]])],
        [np.vstack([LEFT, [[0.34, 0.76]]]), np.vstack([RIGHT, [[0.64, 0.72], [0.66, 0.46]]])],
    ),
    "found": (
        "spare records form a group",
        [np.vstack([LEFT, [[0.42, 0.66], [0.46, 0.52]]]), np.vstack([RIGHT, [[0.54, 0.64]]])],
        [LEFT, RIGHT, np.array([[0.42, 0.66], [0.46, 0.52], [0.54, 0.64]])],
    ),
}


def draw_moves() -> None:
    """Draw each move as groups before and groups after."""
    drawing = Drawing(760, 270, "Four moves between neighbouring groups with k = 3: before above, after below")
    drawing.scale = 170.0
    for column, (name, (words, *states)) in enumerate(MOVES.items()):
        for row, groups in enumerate(states):
            drawing.corner = np.array([10.0 + 190.0 * column, 205.0 + 110.0 * row])
            for number, group in enumerate(groups):
                drawing.hull(group, f"g{number}")
                for point in group:
                    drawing.dot(point, f"fill g{number}", 4.0)
        x = 10 + 190 * column
        drawing.parts.append(f'<text x="{x}" y="20" font-weight="600">{name}</text>')
        drawing.parts.append(f'<text class="small" x="{x}" y="40">{words}</text>')
    drawing.save("refine-moves.svg")


def draw_time(k: int = 3) -> None:
    """Measure and draw what Census loses after so much processor time: shares of the effort "good", then "best"."""
    census = Points.of(zscores(Reference.at().table("census")))
    total = float((census.coords**2).sum())
    start = time.process_time()
    groups = mdav(census, k)
    own = time.process_time() - start
    good = EFFORTS["good"]
    found = [(own, 100 * refinement(census, groups, k, effort="quick").before / total)]
    for share in SHARES:
        start = time.process_time()
        result = Search(census, k)(groups, good.part(share))
        found.append((own + time.process_time() - start, 100 * result.after / total))
    start = time.process_time()
    best = refinement(census, groups, k, effort="best").after
    found.append((own + time.process_time() - start, 100 * best / total))
    _chart(found, lower_bound(census, k).percent, k)


def _chart(found: list[tuple[float, float]], bound: float, k: int) -> None:
    width, height, left, bottom = 640, 320, 60, 270
    low, high = 4.4, 6.0
    first, last = math.log10(0.001), math.log10(60.0)

    def at(seconds: float, percent: float) -> tuple[float, float]:
        x = left + (math.log10(seconds) - first) / (last - first) * (width - left - 20)
        return round(x, 1), round(bottom - (percent - low) / (high - low) * (bottom - 40), 1)

    drawing = Drawing(width, height, f"What Census loses over processor time, k = {k}, against the proven bound")
    for percent in np.arange(4.4, 6.01, 0.4):
        (x1, y), (x2, _) = at(10**first, percent), at(10**last, percent)
        drawing.parts.append(f'<path class="faint" d="M{x1},{y}H{x2}"/>')
        drawing.parts.append(f'<text class="small" x="{x1 - 8}" y="{y + 4}" text-anchor="end">{percent:.1f} %</text>')
    for seconds in (0.001, 0.01, 0.1, 1, 10):
        x, _ = at(seconds, low)
        drawing.parts.append(f'<text class="small" x="{x}" y="{bottom + 20}" text-anchor="middle">{seconds:g} s</text>')
    (x1, y), (x2, _) = at(10**first, bound), at(10**last, bound)
    drawing.parts.append(f'<path class="line" stroke-dasharray="6 4" d="M{x1},{y}H{x2}"/>')
    words = f"proven: no groups of {k} lose less than {math.floor(bound * 1000) / 1000:.3f} %"
    drawing.parts.append(f'<text class="small" x="{x2}" y="{y + 18}" text-anchor="end">{words}</text>')
    path = "L".join(f"{x},{y}" for x, y in (at(*point) for point in found))
    drawing.parts.append(f'<path class="g0" style="stroke: var(--c); fill: none; stroke-width: 2" d="M{path}"/>')
    for point in found:
        x, y = at(*point)
        drawing.parts.append(f'<circle class="fill g0" cx="{x}" cy="{y}" r="4"/>')
    x, y = at(*found[0])
    drawing.parts.append(f'<text class="small" x="{x + 10}" y="{y - 8}">MDAV, {found[0][1]:.2f} %</text>')
    x, y = at(*found[-1])
    drawing.parts.append(f'<text class="small" x="{x}" y="{y - 10}" text-anchor="end">{found[-1][1]:.2f} %</text>')
    drawing.text(width / 2, bottom + 40, "processor time", "small", "middle")
    drawing.save("refine-time.svg")


if __name__ == "__main__":
    draw_moves()
    if "--moves" not in sys.argv:
        draw_time()
