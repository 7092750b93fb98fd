"""shoal measure: what a release gives away and what it keeps."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shoal.cli.console import Grid, print_json, progress_bar, stderr, stdout
from shoal.cli.options import REQUIRED, NoProgress, flag, names_in, option, repeatable
from shoal.cli.sources import Matching, Original, Reading, Released, TablePair, written_apart
from shoal.errors import PlanError
from shoal.measures import Score
from shoal.measures.tables import measure
from shoal.stream.connect.trace import Trace, measure_trace
from shoal.subsets import Known

MOST_DIGITS = 9
"""Of a number of columns; Python itself reads no more than some thousand."""


@dataclass(frozen=True)
class MeasureOptions:
    """What is measured, and how it is told."""

    plan: str = option("The plan, a TOML file: it says what each column is.", default=REQUIRED)
    measure_: list[str] = repeatable(
        "Measures to compute; all of them if left out.", "--measure", "-m", metavar="KEY[,KEY...]"
    )
    matching: Matching = field(default_factory=Matching)
    subsets: list[str] = repeatable(
        "What the intruder knows: `all` subsets of the quasi-identifiers, those of N columns, or one subset "
        "by its columns (repeatable). All columns at once if left out.",
        metavar="all|N|COLUMN+COLUMN",
    )
    trace: str | None = option(
        "The tables are a stream before and after, and this is what `shoal stream --trace` wrote: measure "
        "errors, reordering, delays and drops.",
        metavar="FILE",
    )
    sample: int | None = option("Draw this many of the subsets, and give confidence intervals.")
    seed: int = option("Seed of the sample.", default=0, min=0)
    json_output: bool = flag("Print the scores as JSON.", "--json")
    groups: bool = option(
        "Write the values of every equivalence class in the JSON.", "--groups/--no-groups", default=True
    )
    quiet: NoProgress = False


def measure_command(original: Original, released: Released, options: MeasureOptions, reading: Reading) -> None:
    """Measure a release against the table it was made from: risk, utility and their balance.

    Records are matched by row order, by a column that names them, or by a row map where the rows were shuffled.
    Definitions stand in the JSON and in the documentation.
    """
    before, made = reading.read(original, released)
    keys = names_in(options.measure_, "--measure")
    subsets = parse_subsets(options.subsets)
    pair = TablePair.of(before, made, options.plan, quiet=options.quiet)
    after, choices, matching = pair.after, pair.plan, options.matching
    if not options.quiet:
        left = [name for name in choices.dropped_names() if name in after.frame.columns and name != matching.by_key]
        if left:
            stderr.print(
                f"warning: {after.name} still has {', '.join(map(repr, left))}, which the plan calls an identifier"
            )
        for name in written_apart(after, choices):
            stderr.print(
                f"warning: {after.name} writes equal values of {name!r} in several ways: readers tell them apart"
            )
    if options.trace is not None:
        if keys or matching.by_key or matching.row_map or subsets or options.sample is not None:
            raise PlanError(
                "--trace measures a stream as a whole: leave --measure, --by-key, --row-map, --subsets and --sample out"
            )
        scores = measure_trace(pair.before.frame, after.frame, choices, Trace.load(options.trace))
    else:
        rows = matching.rows(after)
        with progress_bar("measuring", quiet=options.quiet) as progress:
            scores = measure(
                pair.before.frame,
                after.frame,
                choices,
                keys=keys,
                key_column=matching.by_key,
                rows=rows,
                subsets=subsets,
                sample=options.sample,
                seed=options.seed,
                progress=progress,
            )
    if options.json_output:
        print_json({key: score.to_dict(groups=options.groups) for key, score in scores.items()})
    else:
        show(scores.values())


def parse_subsets(texts: list[str]) -> Known | None:
    """Read what the intruder knows from the command line.

    Examples
    --------
    >>> parse_subsets([]), parse_subsets(["all"]), parse_subsets(["2"]), parse_subsets(["age+town", "job"])
    (None, 'all', 2, [['age', 'town'], ['job']])
    """
    if not texts:
        return None
    if len(texts) == 1 and (texts[0] == "all" or _is_number(texts[0])):
        return "all" if texts[0] == "all" else int(texts[0])
    if any(text == "all" or _is_number(text) for text in texts):
        raise PlanError("--subsets takes all, or a number, or subsets by their columns; not several of them at once")
    return [[name.strip() for name in text.split("+")] for text in texts]


def _is_number(text: str) -> bool:
    """Whether a text is a number of columns; digits of other scripts, and raised ones, are names."""
    is_number = text.isascii() and text.isdecimal()
    if is_number and len(text) > MOST_DIGITS:
        raise PlanError(f"--subsets takes a number of columns, and one of {len(text)} digits is none: take all")
    return is_number


def show(scores: Iterable[Score]) -> None:
    """Print scores as a table."""
    grid = Grid("measure", "value", "better", "range", "worst column")
    grid.columns[1].justify = "right"
    aspect = None
    ordered = sorted(scores, key=lambda score: ("risk", "utility", "balance").index(score.definition.aspect))
    for score in ordered:
        what = score.definition
        if what.aspect != aspect:
            aspect = what.aspect
            grid.add_row(aspect, style="dim")
        value = _number(score.value)
        if score.interval is not None:
            value += f" ({_number(score.interval[0])} to {_number(score.interval[1])})"
        grid.add_row(
            f"  {score.key}", value, what.better, f"{_number(what.low)} to {_number(what.high)}", _worst(score)
        )
    stdout.print(grid)


def _worst(score: Score) -> str:
    """Name the column with the worst value of its own, where there are several."""
    if len(score.attributes) < 2:
        return ""
    pick: Any = min if score.better == "higher" else max
    name = pick(score.attributes, key=lambda column: score.attributes[column])
    return f"{name} ({_number(score.attributes[name])})"


def _number(value: float) -> str:
    if value == float("inf"):
        return "∞"
    if value == round(value) or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
