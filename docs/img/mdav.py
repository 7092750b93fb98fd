"""Draw the pictures of docs/mdav.md from real runs on small tables; they adapt to light and dark pages."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners import mdav

HERE = Path(__file__).parent
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #333 } .small { font-size: 12px } .sign { font-style: italic }
.dot { fill: #888 } .line { stroke: #555; fill: none } .faint { stroke: #bbb; fill: none }
.g0 { --c: #0f766e } .g1 { --c: #b45309 } .g2 { --c: #6d28d9 } .g3 { --c: #be185d }
.fill { fill: var(--c) } .edge { stroke: var(--c); fill: var(--c); opacity: .2 }
.seen { stroke: #0f766e; fill: #0f766e; fill-opacity: .14 }
@media (prefers-color-scheme: dark) {
text { fill: #ddd } .dot { fill: #999 } .line { stroke: #bbb } .faint { stroke: #666 }
.g0 { --c: #2dd4bf } .g1 { --c: #fbbf24 } .g2 { --c: #a78bfa } .g3 { --c: #f472b6 }
.seen { stroke: #2dd4bf; fill: #2dd4bf }
}
</style>"""

Point = NDArray[np.float64]
Box = tuple[Point, Point, NDArray[np.int64]]


class Drawing:
    """Shapes in pixels, with the origin of a panel moved about."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img"><title>{title}</title>{STYLE}'
        ]
        self.corner = np.zeros(2)
        self.scale = 1.0

    def at(self, point: Point) -> tuple[float, float]:
        """Pixels of a point of the panel."""
        x, y = self.corner + np.array([1.0, -1.0]) * point * self.scale
        return round(float(x), 1), round(float(y), 1)

    def dot(self, point: Point, css: str = "dot", radius: float = 3.0) -> None:
        """Draw a point."""
        x, y = self.at(point)
        self.parts.append(f'<circle class="{css}" cx="{x}" cy="{y}" r="{radius}"/>')

    def cross(self, point: Point) -> None:
        """Mark an average."""
        x, y = self.at(point)
        self.parts.append(f'<path class="line" stroke-width="2" d="M{x - 5},{y - 5}l10,10m0,-10l-10,10"/>')

    def line(self, a: Point, b: Point, css: str = "line", dash: str = "4 3") -> None:
        """Draw a dashed line."""
        (x1, y1), (x2, y2) = self.at(a), self.at(b)
        self.parts.append(f'<path class="{css}" stroke-dasharray="{dash}" d="M{x1},{y1}L{x2},{y2}"/>')

    def circle(self, centre: Point, radius: float, css: str = "line", dash: str = "4 3") -> None:
        """Draw a dashed circle."""
        x, y = self.at(centre)
        self.parts.append(
            f'<circle class="{css}" stroke-dasharray="{dash}" cx="{x}" cy="{y}" r="{round(radius * self.scale, 1)}"/>'
        )

    def box(self, low: Point, high: Point, css: str) -> None:
        """Draw the box around some records, with a margin."""
        (x1, y1), (x2, y2) = self.at(low), self.at(high)
        self.parts.append(
            f'<rect class="{css}" x="{round(x1 - 3, 1)}" y="{round(y2 - 3, 1)}" width="{round(x2 - x1 + 6, 1)}" '
            f'height="{round(y1 - y2 + 6, 1)}" rx="3"/>'
        )

    def hull(self, points: Point, css: str) -> None:
        """Draw a soft outline around points: a wide stroke around their hull."""
        corners = [self.at(point) for point in _hull(points)]
        path = "L".join(f"{x},{y}" for x, y in corners)
        self.parts.append(f'<path class="edge {css}" stroke-width="16" stroke-linejoin="round" d="M{path}Z"/>')

    def text(self, x: float, y: float, words: str, css: str = "", anchor: str = "start") -> None:
        """Write at a pixel."""
        self.parts.append(f'<text class="{css}" x="{x}" y="{y}" text-anchor="{anchor}">{words}</text>')

    def name(self, point: Point, sign: str, dx: float = 8, dy: float = -6) -> None:
        """Write beside a point."""
        x, y = self.at(point)
        self.text(x + dx, y + dy, sign, "sign")

    def save(self, name: str) -> None:
        """Write the picture beside this file."""
        (HERE / name).write_text("\n".join([*self.parts, "</svg>"]) + "\n", encoding="utf-8")


def _hull(points: Point) -> list[Point]:
    """Walk around the points (gift wrapping)."""
    at = points[points[:, 0].argmin()]
    corners: list[Point] = []
    while not corners or not np.array_equal(at, corners[0]):
        corners.append(at)
        ahead = points[0] if not np.array_equal(points[0], at) else points[1]
        for point in points:
            (ux, uy), (vx, vy) = ahead - at, point - at
            if ux * vy - uy * vx < 0:
                ahead = point
        at = ahead
    return corners


def draw_steps() -> None:
    """Draw the first round of MDAV on 23 records with k = 5, and its end."""
    k = 5
    rng = np.random.default_rng(12)
    centres = np.array([[-1.6, 1.1], [1.7, -0.9], [1.2, 1.3], [-0.6, -0.6]])
    points = np.repeat(centres, [5, 5, 5, 8], axis=0) + rng.normal(scale=0.42, size=(23, 2))
    labels = mdav(points, k)
    drawing = Drawing(760, 220, "One round of MDAV, and the end")
    drawing.scale = 44.0
    titles = ("1. r, farthest from the average", "2. s, farthest from r", "3. fewer than 3k are left")
    for panel, title in enumerate(titles):
        drawing.corner = np.array([120.0 + 256 * panel, 142.0])
        drawing.text(10 + 256 * panel, 22, title)
        formed = (1, 2, 4)[panel]
        for group in range(formed):
            drawing.hull(points[labels == group], f"g{group}")
        for point, group in zip(points, labels, strict=True):
            drawing.dot(point, f"fill g{group}" if group < formed else "dot", 3.5)
        left = points[labels >= (0, 0, 2)[panel]]
        average = left.mean(axis=0)
        r = points[((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax()]
        if panel == 1:
            others = points[labels > 0]
            s = others[((others - r) ** 2).sum(axis=1).argmax()]
            drawing.line(r, s)
            drawing.name(r, "r")
            drawing.name(s, "s")
        else:
            drawing.cross(average)
            farthest = left[((left - average) ** 2).sum(axis=1).argmax()]
            drawing.line(average, farthest)
            drawing.name(farthest, "r")
    drawing.save("mdav-steps.svg")


def cells(points: Point, rows: NDArray[np.int64], size: int) -> list[Box]:
    """Cut rows in two where they differ most until no cell has more than ``size``; return the boxes around them."""
    if len(rows) <= size:
        return [(points[rows].min(axis=0), points[rows].max(axis=0), rows)]
    axis = int(points[rows].var(axis=0).argmax())
    rows = rows[np.argsort(points[rows, axis], kind="stable")]
    middle = size * max(1, len(rows) // size // 2)
    return cells(points, rows[:middle], size) + cells(points, rows[middle:], size)


def gap(point: Point, box: Box) -> float:
    """Distance from a point to a box."""
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(box[0] - point, point - box[1]))))


def draw_tree() -> None:
    """Draw which boxes the two questions leave."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(96, 2))
    points -= points.mean(axis=0)
    boxes = cells(points, np.arange(len(points)), 6)
    drawing = Drawing(760, 410, "The boxes that a search for near records and one for the farthest looks into")
    drawing.scale = 63.0

    k, place = 5, points[np.abs(points - [0.9, 0.5]).sum(axis=1).argmin()]
    radius = float(np.sort(np.linalg.norm(points - place, axis=1))[k - 1])
    drawing.corner = np.array([185.0, 220.0])
    drawing.text(10, 22, "nearest: boxes that the ball reaches")
    for box in boxes:
        drawing.box(box[0], box[1], "seen" if gap(place, box) <= radius else "faint")
    for point in points:
        drawing.dot(point, "dot", 2.5)
    drawing.circle(place, radius)
    drawing.dot(place, "fill g1", 4.5)
    drawing.name(place, "r", 7, -7)

    # From u: |v - u|² = (1 + t)|v|² + |u|² + t|a|² - t|v - a|² for every v, with -u = t a and |a| the greatest norm.
    norms = (points**2).sum(axis=1)
    reach = math.sqrt(norms.max())
    u = points[np.abs(points - [-1.1, -0.75]).sum(axis=1).argmin()]
    t = float(np.linalg.norm(u)) / reach
    a = -u / t
    distances = ((points - u) ** 2).sum(axis=1)
    v = points[distances.argmax()]
    drawing.corner = np.array([568.0, 220.0])
    drawing.text(390, 22, "farthest: boxes near the antipode and far out")
    for box in boxes:
        bound = (1 + t) * norms[box[2]].max() + t * t * reach**2 + t * reach**2 - t * gap(a, box) ** 2
        drawing.box(box[0], box[1], "seen" if bound >= distances.max() else "faint")
    for point in points:
        drawing.dot(point, "dot", 2.5)
    drawing.circle(np.zeros(2), reach, "faint")
    drawing.line(u, a)
    drawing.cross(np.zeros(2))
    drawing.dot(u, "fill g1", 4.5)
    drawing.dot(a, "fill g2", 4.5)
    drawing.dot(v, "fill g3", 4.5)
    drawing.name(u, "u", -14, -4)
    drawing.name(a, "a", 9, 0)
    drawing.name(v, "v", 9, 4)
    drawing.name(np.zeros(2), "0", 9, 13)
    drawing.save("mdav-tree.svg")


if __name__ == "__main__":
    draw_steps()
    draw_tree()
