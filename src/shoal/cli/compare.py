"""shoal compare: methods, k, t and weights on one map of risk and loss."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from shoal.cli.console import Grid, progress_bar, stderr, stdout
from shoal.cli.options import flag, names_in, option, repeatable
from shoal.cli.overrides import plan_options
from shoal.cli.sources import Data, Reading
from shoal.comparison import GOAL, Comparison, Run, compare, parse_bounds, pick
from shoal.comparison.criteria import definition_of, split, unseen_sentences
from shoal.comparison.exports import csv_text, distinct_names, json_text, problems_of, rows_of
from shoal.comparison.grid import NONE, parse_values
from shoal.comparison.tradeoff import KEYS, WEIGHT, largest_weight, require_percent, weight_trade_offs
from shoal.errors import OutputError, PlanError, ShoalError
from shoal.files import Outputs, SourceFile
from shoal.files.private import FOR_OWNER_FOLDER
from shoal.plan import Plan
from shoal.run.source_parsing import parsed

_tried = partial(repeatable, rich_help_panel="What to try")
MOST_LINES = 40
CSV, JSON, MAP, PICKED = "comparison.csv", "comparison.json", "map.html", "picked.toml"
"""What stands in the folder, besides what was computed; the last where a plan is to be picked."""


@dataclass(frozen=True)
class CompareOptions:
    """What is tried, what is looked at, and where it goes."""

    output: str = option(
        "A folder for the table, the map and what was computed.", "--output", "-o", default="comparison"
    )
    try_method: list[str] = _tried("Methods to try.", metavar="METHOD[,METHOD...]")
    try_k: list[str] = _tried("The k to try, such as 3,5,10.", metavar="K[,K...]")
    try_t: list[str] = _tried("The t of closeness to try; none is without.", metavar="T[,T...]")
    try_weight: list[str] = _tried("Weights of dependence to try; none is without.", metavar="λ[,λ...]")
    try_refine: list[str] = _tried("Efforts of refinement to try; none is without.", metavar="EFFORT[,EFFORT...]")
    try_: list[str] = _tried(
        "Values of any field to try, such as `--try closeness.method=merge,t_first`; a value that is a list "
        "stands in brackets. Repeatable.",
        "--try",
        metavar="PATH=VALUE[,VALUE...]",
    )
    measure: list[str] = repeatable(
        "Measures to compute; all of them if left out.", "--measure", "-m", metavar="KEY[,KEY...]"
    )
    risk: str = option("The measure of risk on the map, or an attack: attack_linkage.", default="dld", metavar="KEY")
    utility: str = option("The measure of loss on the map.", default="il_percent", metavar="KEY")
    pick_: str | None = option(
        'Write the best plan under bounds: "dld <= 1, emd_max <= .1".', "--pick", metavar="BOUNDS"
    )
    minimise: str | None = option(f"What the picked plan has least of; {GOAL} if left out.", metavar="KEY")
    cost: float | None = option(
        "Name the largest weight of dependence that costs at most this many percent of D_X.", metavar="PERCENT"
    )
    jobs: int | None = option("Plans worked on at once; one for each processor if left out.", "--jobs", "-j")
    quiet: bool = flag("Print no table and no progress.", "--quiet", "-q")


@plan_options
def compare_command(data: Data, plan: Plan, options: CompareOptions, reading: Reading) -> None:
    """Compare plans: carry out every combination of the values to try, measure it, and draw risk against loss.

    What to try stands in the options or in the plan's [compare]. What was computed is kept in the folder: a comparison
    that was stopped goes on, and one that grew computes only what is new. Nothing is released.
    """
    (source,) = reading.read(data)
    named = {
        "method": options.try_method,
        "k": options.try_k,
        "closeness.t": options.try_t,
        "dependence.weight": options.try_weight,
        "refine": options.try_refine,
    }
    grid = dict(plan.compare) | _grid(named, options.try_)
    axes = (definition_of(options.risk).key, definition_of(options.utility).key)
    bounds = None if options.pick_ is None else parse_bounds(options.pick_)
    if options.minimise is not None and bounds is None:
        raise PlanError("--minimise says which plan to pick, and no --pick was asked for")
    goal = definition_of(GOAL if options.minimise is None else options.minimise).key
    if options.cost is not None:
        _require_cost(options.cost, grid)
    looked_at = (*axes, *([] if bounds is None else [goal, *(bound.key for bound in bounds)]))
    asked = names_in(options.measure, "--measure")
    # Beside those asked for, what the charts and the bounds look at.
    keys = None if asked is None else dict.fromkeys([*asked, *looked_at, *(KEYS if WEIGHT in grid else ())])
    table = parsed(source, plan)
    with _folder(options.output) as folder:
        for name in (CSV, JSON, MAP, *([] if bounds is None else [PICKED])):
            Outputs().check(folder / name)
        with progress_bar("comparing plans", quiet=options.quiet) as progress:
            runs = compare(
                table.frame,
                plan,
                grid,
                keys=keys,
                attacks=split(looked_at).attacks,
                folder=folder / "runs",
                jobs=options.jobs,
                progress=progress,
            )
        if all(run.problem for run in runs):
            raise PlanError(f"none of the {len(runs)} plans can be carried out: {runs[0].problem}")
    picked: Run | None = None
    trouble: ShoalError | None = None
    try:
        picked = None if bounds is None else pick(runs, bounds, minimise=goal, guaranteed=plan.guarantee)
    except ShoalError as error:  # what was computed is worth writing all the same
        trouble = error
    comparison = runs.by(*axes)
    with Outputs() as outputs:
        _write(outputs, folder, comparison, picked, table)
    if not options.quiet:
        # The measures that the terminal shows: the axes, what was picked by, closeness.
        measured = distinct_names(run.scores for run in runs)
        wanted = (*axes, *([] if picked is None else [goal]), "emd_max")
        shown = [key for key in dict.fromkeys(wanted) if key in measured]
        _show(comparison, picked, shown)
        for sentence in unseen_sentences(plan, shown):
            stderr.print(sentence, style="dim")
        computed = sum(run.computed for run in runs)
        stderr.print(f"{computed} of {len(runs)} computed now; wrote {folder}")
    if options.cost is not None:
        _show_weights(runs, plan.k, options.cost)
    if picked is not None:
        stdout.print(f"{folder / PICKED}: {picked.name}, {goal} = {picked.scores[goal]:.4g}")
    if trouble is not None:
        (folder / PICKED).unlink(missing_ok=True)  # an earlier pick is not the answer to these bounds
        raise trouble


def _grid(named: dict[str, list[str]], others: Sequence[str]) -> dict[str, list[Any]]:
    grid = {path: [value for text in texts for value in parse_values(text)] for path, texts in named.items() if texts}
    for text in others:
        path, equals, values = text.partition("=")
        if not equals:
            raise PlanError(f"--try takes PATH=VALUE,VALUE, such as closeness.method=merge,t_first, not {text!r}")
        grid[path.strip()] = parse_values(values)
    return grid


def _require_cost(cost: float, grid: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a cost by which no weight can be picked, before the work."""
    require_percent(cost, "--cost")
    if WEIGHT not in grid:
        raise PlanError("--cost picks a weight of dependence, and none is tried: name some, such as --try-weight 0,0.1")
    if not any(value in (0, NONE) for value in grid[WEIGHT]):
        raise PlanError("--cost is what a weight costs beside none, and none is not tried: add 0 to --try-weight")


def _show_weights(runs: Sequence[Run], k: int, percent: float) -> None:
    for words, rows in weight_trade_offs(runs, k).items():
        for size in sorted({row.k for row in rows}):
            where = ", ".join([f"k = {size}", *([words] if words else [])])
            weight = largest_weight(rows, percent, k=size)
            stdout.print(f"{where}: the largest weight that costs at most {percent:g} % of D_X is {weight:g}")


@contextlib.contextmanager
def _folder(output: str) -> Iterator[Path]:
    """Make the folder of a comparison; one that was made for nothing goes again."""
    if not output:
        raise OutputError("the name of the folder is empty: give --output one, or leave it out")
    folder = Path(output)
    try:
        is_new = not folder.exists()
        folder.mkdir(mode=FOR_OWNER_FOLDER, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"{output} is a file, and a comparison needs a folder: choose another --output") from None
    except OSError as error:
        raise OutputError(f"the folder {output} cannot be made: {(error.strerror or '').lower()}") from None
    try:
        yield folder
    except ShoalError:
        for empty in (folder / "runs", folder) if is_new else ():
            with contextlib.suppress(OSError):
                empty.rmdir()
        raise


def _write(outputs: Outputs, folder: Path, comparison: Comparison, picked: Run | None, data: SourceFile) -> None:
    source = {"file": data.name, "file_sha256": data.sha256, "rows": len(data.frame)}
    outputs.text(folder / CSV, csv_text(comparison), private="where possible")
    outputs.text(folder / JSON, json_text(comparison, data=source, picked=picked), private="where possible")
    if picked is not None:
        outputs.text(folder / PICKED, comparison.plan_of(picked).to_toml())
    try:
        from shoal.report.html import comparison_page
    except ModuleNotFoundError as error:
        stderr.print(f"no map is drawn without {error.name}: pip install 'shoal[charts]'")
        return
    outputs.text(folder / MAP, comparison_page(comparison, picked=picked, name=data.name), private="where possible")


def _show(comparison: Comparison, picked: Run | None, keys: Sequence[str]) -> None:
    """Print the runs as a table; of many, those on the front."""
    runs = comparison.runs
    few = len(runs) <= MOST_LINES
    paths = distinct_names(run.choices for run in runs)
    lines = Grid("", *paths, *keys, "")
    for row in rows_of(comparison):
        if few or row.best or row.run is picked:
            scores = [f"{row.run.scores[key]:.4g}" if key in row.run.scores else "" for key in keys]
            choices = (str(row.run.choices.get(path, "")) for path in paths)
            lines.add_row(str(row.number), *choices, *scores, row.remarks(picked))
    stdout.print(lines)
    for problem, numbers in problems_of(runs).items():
        stderr.print(f"not possible ({', '.join(map(str, numbers))}): {problem}")
    if not few:
        stdout.print(f"{len(runs)} plans, of which the front is shown; all of them are in {CSV}")
