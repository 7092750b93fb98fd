"""shoal attack: real attempts at a release, each beside what guessing gives and what the promise allows."""

from dataclasses import dataclass, field

from shoal.attacks import ATTACKS, Attempt, Attempts, attack
from shoal.attacks.attempt import Source
from shoal.cli.console import Grid, print_json, progress_bar, stderr, stdout
from shoal.cli.options import REQUIRED, NoProgress, flag, names_in, option, repeatable
from shoal.cli.sources import Matching, Original, Reading, Released, TablePair
from shoal.errors import GuaranteeError
from shoal.jobs.earlier_files import METAVAR, EarlierFiles, read_earlier


@dataclass(frozen=True)
class AttackOptions:
    """What is tried, and how it is told."""

    plan: str = option("The plan, a TOML file: it says what each column is and what is promised.", default=REQUIRED)
    known: list[str] = repeatable(
        "What the intruder knows of a person; all quasi-identifiers if left out.", metavar="COLUMN[,COLUMN...]"
    )
    attack_: list[str] = repeatable(
        f"What to try, of {', '.join(ATTACKS)}; all that the tables allow if left out.",
        "--attack",
        "-a",
        metavar="KEY[,KEY...]",
    )
    matching: Matching = field(default_factory=Matching)
    after: list[str] = repeatable(
        "Another release of the same table that is out, with its manifest beside it: both are intersected. Repeatable.",
        metavar=METAVAR,
    )
    seed: int = option("Seed of everything that is drawn.", default=0, min=0, max=2**32 - 1)
    require: bool = flag("Exit with 3 where anybody is attacked with a better chance than the promise allows.")
    json_output: bool = flag("Print everything as JSON, with definitions.", "--json")
    quiet: NoProgress = False


def attack_command(
    *,
    original: Original,
    released: Released,
    control: str | None = option(
        "Persons who are not in the table, with the same columns: what works on them is no fault of the release.",
        metavar="FILE",
    ),
    options: AttackOptions,
    reading: Reading,
) -> None:
    """Attack a release: try to single out, link and guess, and count how often it works.

    Each attack is told beside what guessing gives, or persons who are not in the release, and what the promise allows.
    Definitions stand in the JSON and in the documentation.
    """
    before, after, *others = reading.read(original, released, control)
    pair = TablePair.of(before, after, options.plan, quiet=options.quiet)
    rows = options.matching.rows(pair.after)
    with progress_bar("attacking", quiet=options.quiet) as progress:
        attempts = attack(
            pair.before.frame,
            pair.after.frame,
            pair.plan,
            control=pair.parsed_frame(*others),
            known=names_in(options.known, "--known"),
            attacks=names_in(options.attack_, "--attack"),
            key_column=options.matching.by_key,
            rows=rows,
            after=read_earlier([EarlierFiles.parse(text) for text in options.after], before, pair.plan),
            seed=options.seed,
            progress=progress,
        )
    if options.json_output:
        print_json(attempts.to_dict())
    else:
        show(attempts)
    if options.require and not attempts.within_promise:
        broken = [f"{each.name} ({each.exposed:,})" for each in attempts.attempts if each.beyond_promise]
        raise GuaranteeError(f"persons are attacked with a better chance than the promise allows: {', '.join(broken)}")


_SOURCES: dict[Source, str] = {
    "chance": "against chance",
    "control": "against others",
    "left out": "against models without the person",
}
"""What guessing stands for, by where a baseline comes from."""


def show(attempts: Attempts) -> None:
    """Print attempts as a table, and what they say of the promise."""
    grid = Grid("attack", "tried", "success", "guessing", "difference (95 %)", "allowed")
    grid.columns[0].overflow = "fold"  # whole names, on a narrow terminal too: they are what --attack takes
    for column in grid.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for source, words in _SOURCES.items():
        chosen = [each for each in attempts.attempts if each.baseline_from == source]
        if chosen:
            grid.add_row(words, style="dim")
        above = None
        for each in chosen:
            if each.attribute is not None and each.key != above:
                grid.add_row(f"  {each.key}")  # what is guessed stands below, a line for each
            above = each.key
            low, high = (100 * end for end in each.interval)
            grid.add_row(
                f"  {each.key}" if each.attribute is None else f"    {each.attribute}",
                f"{each.tried:,}",
                _percent(each.rate),
                _percent(each.baseline),
                f"{100 * each.difference:+.1f} [{low:.1f}, {high:.1f}]",
                "" if each.allowed is None else _percent(each.allowed),
                style="bold" if each.beyond_promise else None,
            )
    stdout.print(grid)
    for each in attempts.attempts:
        if each.beyond_promise:
            stdout.print(_broken(each), style="bold red")
    if attempts.within_promise and any(each.allowed is not None for each in attempts.attempts):
        stdout.print("Nobody who was tried is found with a better chance than the promise allows.")
    for key, reason in attempts.skipped.items():
        stderr.print(f"not tried: {key}: {reason}", style="dim")


def _broken(each: Attempt) -> str:
    assert each.allowed is not None, "nothing is broken without a promise"
    assert each.worst is not None, "and a promise is about persons"
    return (
        f"{each.title}: {each.exposed:,} of {each.tried:,} {each.counted} are attacked with a better chance than the "
        f"{_percent(each.allowed)} that the promise allows, {_percent(each.worst)} at worst"
    )


def _percent(share: float) -> str:
    if 0 < share < 1e-6:
        return "< 0.0001 %"
    return f"{100 * share:.1f} %" if share == 0 or share >= 0.001 else f"{100 * share:.2g} %"
