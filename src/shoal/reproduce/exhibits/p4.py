"""P4: how heavy the bucket number must be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shoal.reproduce.exhibit import Exhibit, table
from shoal.reproduce.p4_figure import WeightRow, perfectly_correlated, weight_curve
from shoal.reproduce.reference import Reference


def _from_where(rows: Sequence[WeightRow], t: float) -> float:
    """Return the smallest weight from which on every larger one reaches t."""
    above = [i for i, row in enumerate(rows) if row.emd_max > t]
    return rows[above[-1] + 1 if above else 0].weight


def _lines(rows: Iterable[WeightRow]) -> Iterator[str]:
    return table(
        ["ω", "largest EMD", "average EMD", "MSE", "MAE"],
        (
            [f"{row.weight:g}", *(f"{value:.4f}" for value in (row.emd_max, row.emd_avg, row.mse, row.mae))]
            for row in rows
        ),
    )


def _figure_1(reference: Reference) -> Iterator[str]:
    for t, published in ((0.1, 199), (0.05, 99)):
        rows = weight_curve(*perfectly_correlated(), range(published + 2), t=t)
        first = _from_where(rows, t)
        yield f"t = {t}: the published weight from which t is reached is {published}, ours is {first:g}."
        yield ""
        yield from _lines(row for row in rows if row.weight % (published // 4) == 0 or abs(row.weight - first) < 2)
    yield "Records (i, i) with i from 0 to 999; with weight 0 the paper has a largest EMD around 0.5."


def _figure_2(reference: Reference) -> Iterator[str]:
    census = reference.columns("census")
    x = reference.table("census")[:, [list(census).index(name) for name in ("TAXINC", "POTHVAL")]]
    rows = weight_curve(x, census["FEDTAX"], range(218), t=0.1)
    first = _from_where(rows, 0.1)
    yield f"t = 0.1. The published weight from which t is reached is 215, and the bound 216. Ours is {first:g}."
    yield ""
    yield from _lines(row for row in rows if row.weight % 54 == 0 or abs(row.weight - first) < 2)
    yield (
        "The public Census file has another correlation of TAXINC and FEDTAX than the paper's (.98 against .52), so "
        "only the shape can agree."
    )


EXHIBITS = (
    Exhibit("p4-figure-1", "P4 Figure 1: the weight of the bucket number on perfectly correlated data", _figure_1),
    Exhibit("p4-figure-2", "P4 Figure 2: the weight of the bucket number on Census", _figure_2, ("census",)),
)
