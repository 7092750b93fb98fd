"""Draw before-after.svg, the picture of the README: 240 patients of the example before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import shoal

HERE = Path(__file__).parent
WIDTH, HEIGHT, MARGIN = 400, 300, 44
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24303a } .title { font-weight: 600; font-size: 15px }
.axis { stroke: #8a97a3; stroke-width: 1 } .tick { font-size: 11px; fill: #5b6975 }
.one { fill: #b5452c; fill-opacity: .75 } .group { fill: #0b7285; fill-opacity: .8 }
.way { stroke: #0b7285; stroke-opacity: .28; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .tick { fill: #a9b4be } .one { fill: #ff9878 } .group { fill: #4fd1e0 }
  .way { stroke: #4fd1e0; stroke-opacity: .35 }
}
"""


def panel(left: float, title: str, marks: list[str]) -> list[str]:
    """Return a titled pair of axes with marks in it."""
    ticks = [
        *(
            f'<text class="tick" x="{left + x(age)}" y="{HEIGHT - 24}" text-anchor="middle">{age}</text>'
            for age in (20, 50, 80)
        ),
        *(
            f'<text class="tick" x="{left + 36}" y="{y(stay) + 4}" text-anchor="end">{stay}</text>'
            for stay in (1, 5, 20)
        ),
    ]
    return [
        f'<text class="title" x="{left + MARGIN}" y="20">{title}</text>',
        f'<path class="axis" fill="none" d="M{left + MARGIN} 34V{HEIGHT - 40}H{left + WIDTH - 10}"/>',
        *ticks,
        f'<text class="tick" x="{left + WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">age, years</text>',
        f'<text class="tick" x="{left + MARGIN + 6}" y="42">stay, days</text>',
        *marks,
    ]


def x(age: float) -> float:
    """Return where an age stands."""
    return MARGIN + 8 + (WIDTH - MARGIN - 30) * age / 100


def y(stay: float) -> float:
    """Return where a length of stay stands, on a logarithmic axis."""
    return HEIGHT - 48 - (HEIGHT - 100) * np.log(max(stay, 0.7) / 0.7) / np.log(60)


def main() -> None:
    """Anonymize a sample by age and stay, and draw both."""
    frame = pl.read_csv(HERE.parents[1] / "examples" / "discharges.csv").select("age", "stay").head(240)
    plan = shoal.Plan(k=5, attributes={name: {"role": "quasi_identifier", "kind": "numeric"} for name in frame.columns})
    masked = shoal.anonymize(frame, plan).data
    before = [f'<circle class="one" cx="{x(a):.1f}" cy="{y(s):.1f}" r="3"/>' for a, s in frame.iter_rows()]
    after = [
        f'<path class="way" d="M{WIDTH + x(a):.1f} {y(s):.1f}L{WIDTH + x(ma):.1f} {y(ms):.1f}"/>'
        for (a, s), (ma, ms) in zip(frame.iter_rows(), masked.iter_rows(), strict=True)
    ]
    for age, stay, count in masked.group_by("age", "stay", maintain_order=True).len().iter_rows():
        radius = 1.9 * count**0.5
        after.append(f'<circle class="group" cx="{WIDTH + x(age):.1f}" cy="{y(stay):.1f}" r="{radius:.1f}"/>')
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" role="img" '
        'aria-label="240 patients by age and length of stay; then 48 groups of five, each at its mean">',
        f"<style>{STYLE}</style>",
        *panel(0, "Before: 240 patients, many stand alone", before),
        *panel(WIDTH, "After: 48 groups of five, nobody alone", after),
        "</svg>",
    ]
    (HERE / "before-after.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
