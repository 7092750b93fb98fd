"""shoal utility: the analyst's work on the release and on the original."""

from dataclasses import dataclass, field

import numpy as np

from shoal.analysis import Estimate, Utility, utility
from shoal.cli.console import Grid, print_json, progress_bar, stderr, stdout
from shoal.cli.options import REQUIRED, NoProgress, flag, option, repeatable
from shoal.cli.sources import Matching, Original, Reading, Released, TablePair
from shoal.errors import PlanError

MOST_PAIRS = 10
"""Pairs of columns that the terminal lists; the JSON has all."""


@dataclass(frozen=True)
class UtilityOptions:
    """What an analyst does, and how it is told."""

    plan: str = option("The plan, a TOML file: it says what each column is.", default=REQUIRED)
    model: list[str] = repeatable(
        'A regression to fit to both tables, such as "charge ~ age + severity"; repeatable.', metavar="FORMULA"
    )
    target: list[str] = repeatable(
        "A column to predict from the others; repeatable. Every confidential attribute if left out.", metavar="COLUMN"
    )
    predict: bool = option(
        "Whether models learn from the release and are tested.", "--predict/--no-predict", default=True
    )
    matching: Matching = field(default_factory=Matching)
    seed: int = option("Seed of folds and samples.", default=0, min=0, max=2**32 - 1)
    json_output: bool = flag("Print everything as JSON.", "--json")
    external: bool = flag("Words alone, for readers who have the release and not the original.")
    quiet: NoProgress = False


def utility_command(
    *,
    original: Original,
    released: Released,
    holdout: str | None = option(
        "Original records that are not in the release, to test predictions on.", metavar="FILE"
    ),
    options: UtilityOptions,
    reading: Reading,
) -> None:
    """Compare the analyst's work on the release with that on the original: statistics, models, predictions.

    Records are matched by row order, by a column that names them, or by a row map where the rows were shuffled.
    """
    before, after, *others = reading.read(original, released, holdout)
    if options.target and not options.predict:
        raise PlanError("--target names a column to predict, and --no-predict predicts none: leave one of them out")
    pair = TablePair.of(before, after, options.plan, quiet=options.quiet)
    rows = options.matching.rows(pair.after)
    with progress_bar("comparing", quiet=options.quiet) as progress:
        result = utility(
            pair.before.frame,
            pair.after.frame,
            pair.plan,
            models=options.model,
            holdout=pair.parsed_frame(*others),
            targets=(options.target or None) if options.predict else (),
            key_column=options.matching.by_key,
            rows=rows,
            seed=options.seed,
            progress=progress,
        )
    if options.json_output:
        print_json(result.to_dict(external=options.external))
    elif options.external:
        for finding in result.findings:
            stdout.print(f"{finding.title}: {finding.verdict}")
    else:
        show(result)


def show(result: Utility) -> None:
    """Print what was found: the findings in words, then tables."""
    for finding in result.findings:
        stdout.print(f"{finding.title}: {finding.verdict}. ", style="bold", end="")
        stdout.print(finding.sentence)
    _show_columns(result)
    _show_pairs(result)
    _show_models(result)
    if result.predictions:
        grid = _grid("predicted", "score", "baseline", "from original", "from release", "retained", left=2)
        for each in result.predictions:
            retained = "" if each.retained is None else f"{100 * each.retained:.0f} %"
            scores = (_number(value) for value in (each.baseline, each.original, each.released))
            grid.add_row(each.target, each.score.replace("_", " "), *scores, retained)
        stdout.print()
        stdout.print(grid)
    for note in result.notes:
        stderr.print(note, style="dim")


def _show_columns(result: Utility) -> None:
    grid = _grid(
        "column", "kind", "distance", "mean before", "mean after", "moved by (sd)", "sd after / before", left=2
    )
    for column in result.columns:
        statistics = {each.name: each for each in column.statistics}
        cells = ["", "", "", ""]
        if "mean" in statistics:
            mean, spread = statistics["mean"], statistics["standard deviation"]
            shown = _day if column.kind == "date" else _number
            moved = "" if mean.change is None else f"{mean.change:+.3f}"
            ratio = f"{spread.after / spread.before:.3f}" if spread.before else ""
            cells = [shown(mean.before), shown(mean.after), moved, ratio]
        grid.add_row(column.column, column.kind, f"{column.distance:.3f}", *cells)
    stdout.print()
    stdout.print(grid)


def _show_pairs(result: Utility) -> None:
    moved = sorted((pair for pair in result.pairs if pair.changed), key=lambda pair: -abs(pair.change))
    if not moved:
        return
    grid = _grid("pair that moved most", "measured by", "before", "after", "tables apart", left=2)
    for pair in moved[:MOST_PAIRS]:
        grid.add_row(
            " × ".join(pair.columns),
            pair.association.replace("_", " "),
            f"{pair.before:.3f}",
            f"{pair.after:.3f}",
            f"{pair.table_distance:.3f}",
        )
    stdout.print()
    stdout.print(grid)


def _show_models(result: Utility) -> None:
    for model in result.models:
        grid = _grid(model.formula, "before", "after", "overlap", left=1)
        for each in model.coefficients:
            overlap = "" if each.overlap is None else f"{100 * each.overlap:.0f} %"
            grid.add_row(f"  {each.term}", _interval(each.before), _interval(each.after), overlap)
        stdout.print()
        stdout.print(grid)
        if model.note:
            stdout.print(f"  {model.note}", style="dim")


def _grid(*headers: str, left: int) -> Grid:
    grid = Grid(*headers)
    for column in grid.columns[left:]:
        column.justify = "right"
    return grid


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not determined"
    return f"{_number(estimate.value)} ({_number(estimate.low)} to {_number(estimate.high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _day(days: float) -> str:
    return str(np.datetime64("1970-01-01") + np.timedelta64(round(days), "D"))
