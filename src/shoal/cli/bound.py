"""shoal bound: how little any release could lose, and how far a given one is from that."""

import math
from dataclasses import dataclass, field

from shoal.cli.console import print_json, progress_bar, stdout
from shoal.cli.options import REQUIRED, NoProgress, flag, option
from shoal.cli.sources import Data, Matching, Reading, TablePair
from shoal.errors import PlanError
from shoal.measures.loss_bound import LossBound, bound_loss
from shoal.plan import Plan
from shoal.run.source_parsing import parsed


@dataclass(frozen=True)
class BoundOptions:
    """What is bounded, how, and how it is told."""

    plan: str = option("The plan, a TOML file: it says what each column is, and k.", default=REQUIRED)
    matching: Matching = field(default_factory=Matching)
    k: int | None = option("Minimum group size; the plan's if left out.")
    method: str = option(
        "`columns` is the best for small tables and needs a solver (the extra `optimal`), `ascent` is close "
        "to it at any size, `stars` is for large k.",
        default="auto",
        metavar="auto|columns|ascent|stars|univariate",
    )
    seconds: float | None = option("Stop after so many seconds with the best bound proven until then.")
    json_output: bool = flag("Print the bound as JSON.", "--json")
    quiet: NoProgress = False


def bound_command(
    *,
    data: Data,
    release: str | None = option("A release of the table, by shoal or any other tool, to compare.", metavar="FILE"),
    options: BoundOptions,
    reading: Reading,
) -> None:
    """Bound the loss: prove how little any release by groups of k could lose, and how near to that one is.

    The loss is `sse` and `il_percent` of `shoal measure`. The bound holds for every partition into groups of at least k
    records, so for every method and every tool. Records of a release are matched by row order, by a column that names
    them, or by a row map where the rows were shuffled.
    """
    table, *releases = reading.read(data, release)
    matching = options.matching
    after, rows = None, None
    if not releases:
        if matching.by_key is not None or matching.row_map is not None:
            option = "--row-map" if matching.by_key is None else "--by-key"
            raise PlanError(f"{option} says which records of a release are which: name the release by --release")
        plan = Plan.load(options.plan)
        before = parsed(table, plan)
    else:
        pair = TablePair.of(table, releases[0], options.plan, quiet=options.quiet)
        plan, before, after = pair.plan, pair.before, pair.after
        rows = matching.rows(after)
    with progress_bar("bounding", quiet=options.quiet) as progress:
        loss_bound = bound_loss(
            before.frame,
            plan if options.k is None else plan.replace(k=options.k),
            released=None if after is None else after.frame,
            key_column=matching.by_key,
            rows=rows,
            method=options.method,
            seconds=options.seconds,
            progress=progress,
        )
    if options.json_output:
        print_json(_content(loss_bound))
        return
    bound = loss_bound.bound
    percent = f"{int(bound.percent * 10_000) / 10_000:.4f}"  # no decimal is rounded up: it is a lower bound
    stdout.print(
        f"No release of these {bound.records:,} records in groups of at least {bound.k} loses less than "
        f"{percent} % (sse {bound.sse:.6g})."
    )
    stdout.print(f"Proven by {bound.method}: {bound.proven}.", style="dim")
    if after is not None:
        stdout.print(f"{after.name} loses {loss_bound.released_percent:.4f} %: {loss_bound.sentence}.")


def _content(loss_bound: LossBound) -> dict[str, object]:
    bound = loss_bound.bound
    content: dict[str, object] = {
        "k": bound.k,
        "records": bound.records,
        "sse": bound.sse,
        "il_percent": bound.percent,
        "method": bound.method,
        "proven": bound.proven,
    }
    if loss_bound.released is not None:
        content["release"] = {
            "sse": loss_bound.released,
            "il_percent": loss_bound.released_percent,
            "gap_percent": loss_bound.gap if loss_bound.gap is not None and math.isfinite(loss_bound.gap) else None,
            "sentence": loss_bound.sentence,
        }
    return content
