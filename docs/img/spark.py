"""Draw spark-fragments.svg, the picture of docs/spark.md, from a real run; it adapts to light and dark pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.points import Points
from shoal.spark.cuts import Cuts

HERE = Path(__file__).parent
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #333 } .small { font-size: 12px }
.frame { fill: none; stroke: #bbb } .low { --c: #0f766e } .high { --c: #b45309 } .dot { fill: var(--c) }
.cut { stroke: var(--c); stroke-width: 2 } .both { stroke: #555; stroke-width: 2; stroke-dasharray: 5 4 }
@media (prefers-color-scheme: dark) {
text { fill: #ddd } .frame { stroke: #666 } .both { stroke: #bbb } .low { --c: #2dd4bf } .high { --c: #fbbf24 }
}
</style>"""
WIDE, HIGH, EDGE = 300, 220, 20
RECORDS = 240


def table() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return records with two quasi-identifiers, and the half of the confidential attribute that follows the first."""
    rng = np.random.default_rng(7)
    points = rng.random((RECORDS, 2))
    pay = points[:, 0] + 0.35 * rng.normal(size=RECORDS)
    return points, (np.argsort(np.argsort(pay)) >= RECORDS // 2).astype(np.int64)


def medians(points: NDArray[np.float64], strata: NDArray[np.int64], count: int) -> list[float]:
    """Return the cuts between two fragments that the tree of each stratum has."""
    stretched = Points.of(points * [3.0, 1.0])  # so that the first cut is along the first quasi-identifier
    cuts = Cuts.learn(stretched, np.ones(len(points), dtype=np.int64), strata, count, 1)
    return [float(value) / 3.0 for value in cuts.values[:, 0, 0]]


def panel(left: int, title: str, points: NDArray[np.float64], strata: NDArray[np.int64], *, own: bool) -> list[str]:
    """Draw the records and the cuts, and count the records of each stratum in each fragment."""
    where = medians(points, strata if own else np.zeros_like(strata), 2 if own else 1)
    parts = [f'<text x="{left}" y="16">{title}</text>']
    parts.append(f'<rect class="frame" x="{left}" y="{EDGE + 8}" width="{WIDE}" height="{HIGH}"/>')
    for (x, y), stratum in zip(points, strata, strict=True):
        css = ("low", "high")[stratum]
        at = (round(left + x * WIDE, 1), round(EDGE + 8 + (1 - y) * HIGH, 1))
        parts.append(f'<circle class="{css} dot" cx="{at[0]}" cy="{at[1]}" r="2.6"/>')
    for stratum, value in enumerate(where):
        x, css = round(left + value * WIDE, 1), ("low cut", "high cut")[stratum] if own else "both"
        parts.append(f'<path class="{css}" d="M{x},{EDGE + 8}v{HIGH}"/>')
    cut = np.array(where if own else where * 2)
    right = points[:, 0] >= cut[strata]
    for side, x in ((False, left + 8), (True, left + WIDE - 118)):
        low, high = (int(((right == side) & (strata == stratum)).sum()) for stratum in (0, 1))
        y = EDGE + HIGH + 28
        parts.append(f'<text class="small" x="{x}" y="{y}">{low} low and {high} high</text>')
    return parts


def main() -> None:
    """Write the picture."""
    points, strata = table()
    width, height = 2 * WIDE + 3 * EDGE, HIGH + 2 * EDGE + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>Two fragments, cut in space and inside each stratum</title>{STYLE}',
        *panel(EDGE, "Cut in space alone", points, strata, own=False),
        *panel(WIDE + 2 * EDGE, "Cut inside each stratum at its own median", points, strata, own=True),
        "</svg>",
    ]
    (HERE / "spark-fragments.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
