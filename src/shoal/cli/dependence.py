"""shoal dependence: what each weight of dependence costs and brings, as a table and a chart."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table as Grid

from shoal.cli.console import progress_bar, stderr
from shoal.cli.overrides import plan_options
from shoal.cli.sources import parsed, reads
from shoal.errors import PlanError
from shoal.files import Outputs, SourceFile
from shoal.plan import Plan
from shoal.tradeoff import WEIGHTS, TradeOff, largest_weight, sweep_dependence

Number = TypeVar("Number", int, float)


@plan_options
@reads(data="The table: CSV, Parquet, Arrow, Stata or SPSS; - is CSV from standard input.")
def dependence_command(
    data: SourceFile,
    plan: Plan,
    chart: Annotated[
        str | None,
        typer.Option("--chart", "-o", help="Where to draw the trade-off, an HTML page that needs no network."),
    ] = None,
    try_k: Annotated[
        str | None, typer.Option(metavar="K[,K...]", help="The k to try, such as 5,10,20; the plan's if left out.")
    ] = None,
    try_weight: Annotated[
        str | None, typer.Option(metavar="λ[,λ...]", help="The weights to try, from 0 to 1; tenths if left out.")
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(metavar="PERCENT", help="Name the largest weight that costs at most this many percent of D_X."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Try weights of dependence and show what each one costs and brings.

    D_X is the distortion of the quasi-identifiers, D_Y what they no longer tell of the confidential attributes, ℓ_avg
    how many different confidential values a group holds. Nothing is released.
    """
    data = parsed(data, plan)
    shares = WEIGHTS if try_weight is None else _numbers(try_weight, float, "--try-weight")
    sizes = [plan.k] if try_k is None else _numbers(try_k, int, "--try-k")
    draw = None if chart is None else _page_maker(chart)
    with progress_bar("trying weights", quiet=quiet) as progress:
        rows = sweep_dependence(data.frame, plan, ks=sizes, weights=shares, progress=progress)
    chosen = {} if cost is None else {k: largest_weight(rows, cost, k=k) for k in sorted(set(sizes))}
    if chart is not None and draw is not None:
        with Outputs(inputs=[data.path] if data.path else []) as outputs:
            outputs.text(chart, draw(rows, f"Weights of dependence for {data.name}"))
    if json_output:
        content = {"rows": [row.to_dict() for row in rows], "largest_weight": chosen}
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        show(rows)
        for k, weight in chosen.items():
            typer.echo(f"k = {k}: the largest weight that costs at most {cost:g} % of D_X is {weight:g}")
    if chart is not None and not quiet:
        stderr.print(f"wrote {chart}", markup=False)


def show(rows: Sequence[TradeOff]) -> None:
    """Print the rows as a table."""
    grid = Grid("k", "λ", "D_X", "against λ = 0", "D_Y", "against λ = 0", "ℓ_avg", box=None, header_style="bold")
    for column in grid.columns:
        column.justify = "right"
    for row in rows:
        grid.add_row(
            str(row.k),
            f"{row.weight:g}",
            f"{row.d_x:.4f}",
            f"{row.d_x_change:+.1%}",
            f"{row.d_y:.4f}",
            f"{row.d_y_change:+.1%}",
            f"{row.l_avg:.2f}",
        )
    Console(highlight=False, soft_wrap=True).print(grid)


def _page_maker(target: str) -> Callable[[Sequence[TradeOff], str], str]:
    """Return what draws the page, or say what is wrong before the work begins."""
    if Path(target).suffix != ".html":
        raise PlanError(f"--chart writes an HTML page, so its name must end in .html, not {Path(target).suffix!r}")
    try:
        from shoal.report.charts import page, trade_off_chart
    except ModuleNotFoundError as error:
        raise PlanError(f"--chart needs {error.name}: pip install 'shoal[charts]'") from None
    return lambda rows, title: page(trade_off_chart(rows), title)


def _numbers(text: str, kind: type[Number], option: str) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise PlanError(f"{option} takes {what} with commas between them, not {text!r}") from None
