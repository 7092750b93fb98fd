"""shoal risk: what three adversaries find in a release, and how many people of its population are unique."""

from dataclasses import dataclass, field

from shoal.cli.console import Grid, print_json, stderr, stdout
from shoal.cli.options import REQUIRED, flag, option
from shoal.cli.sources import Matching, Original, Reading, Released, TablePair
from shoal.errors import GuaranteeError, PlanError
from shoal.measures.identification import Adversary, AdversaryRisk, IdentificationRisks, Source, identification_risks
from shoal.measures.uniques import PopulationUniques
from shoal.protect.identification_risk import PROFILES


@dataclass(frozen=True)
class RiskOptions:
    """How large the population is, what is allowed, and how it is told."""

    plan: str = option(
        "The plan, a TOML file: it says what each column is, and what risk is allowed.", default=REQUIRED
    )
    fraction: float | None = option(
        "The share of the population that is in the table; the plan's weights or risk.fraction if left out.",
        metavar="F",
    )
    threshold: str | None = option(
        "The largest risk allowed, for all three adversaries; what [risk] of the plan says if left out.",
        metavar=f"{'|'.join(PROFILES)}|NUMBER",
    )
    matching: Matching = field(default_factory=Matching)
    require: bool = flag("Exit with 3 where a risk is greater than what is allowed.")
    json_output: bool = flag("Print everything as JSON.", "--json")
    quiet: bool = flag("Show no warning.", "--quiet", "-q")


def risk_command(
    *,
    original: Original,
    released: Released,
    population: str | None = option(
        "Everybody whom an intruder may know, one row for each, with the quasi-identifiers as they are.", metavar="FILE"
    ),
    options: RiskOptions,
    reading: Reading,
) -> None:
    """Tell the risk in the population: three adversaries with their thresholds, and how many people are unique.

    With a table of the population people are counted; by a fraction or weights they are estimated.
    """
    before, after, *others = reading.read(original, released, population)
    pair = TablePair.of(before, after, options.plan, quiet=options.quiet)
    risks = identification_risks(
        pair.before.frame,
        pair.after.frame,
        pair.plan,
        fraction=options.fraction,
        population=pair.parsed_frame(*others),
        threshold=None if options.threshold is None else _threshold(options.threshold),
        key_column=options.matching.by_key,
        rows=options.matching.rows(pair.after),
    )
    if options.require and all(each.asked is None for each in risks.risks.values()):
        raise PlanError(
            "--require has nothing to judge by: give --threshold, or say in [risk] of the plan what is allowed"
        )
    if options.json_output:
        print_json(risks.to_dict())
    else:
        show(risks, quiet=options.quiet)
    if options.require and risks.beyond:
        broken = ", ".join(f"{each.adversary} {each.risk:.4g} > {each.asked:.4g}" for each in risks.beyond)
        raise GuaranteeError(f"the risk is greater than what is allowed: {broken}")


_KNOWS: dict[Adversary, str] = {"prosecutor": "who is in it", "journalist": "one person", "marketer": "everybody"}
_SOURCES: dict[Source, str] = {
    "population": "by the table of the population",
    "fraction": "by the sampling fraction",
    "weights": "by the sampling weights",
    "sample": "taken to be in the table: nothing says how large the population is",
}
_ESTIMATORS = {"pitman": "Pitman", "snb": "slide negative binomial", "zayatz": "Zayatz"}


def _threshold(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def show(risks: IdentificationRisks, *, quiet: bool = False) -> None:
    """Print the three risks as a table, then what is known of the population."""
    profiles = [f"{name} {threshold:.2g}" for name, threshold in PROFILES.items()]
    grid = Grid("adversary", "knows", "risk", "allowed", *profiles)
    for column in grid.columns[2:4]:
        column.justify, column.no_wrap = "right", True
    for each in risks.risks.values():
        allowed = "" if each.asked is None else f"{each.asked:.3g} {_mark(each, each.asked)}"
        cells = (_mark(each, threshold) for threshold in PROFILES.values())
        grid.add_row(each.adversary, _KNOWS[each.adversary], f"{each.risk:.4g}", allowed, *cells)
    stdout.print(grid)
    stdout.print()
    stdout.print(
        f"{risks.persons:,} persons in {risks.classes:,} classes; population of {risks.people:,}, "
        f"{_SOURCES[risks.source]}."
    )
    if risks.match is not None:
        low, high = risks.match.presence
        stdout.print(f"k-map: every class has at least {risks.match.k_map:,} people of the population.")
        stdout.print(f"δ-presence: of the people of a class, from {low:.4g} to {high:.4g} are in the release.")
    if risks.counted_uniques is not None:
        stdout.print(
            f"Before masking {risks.counted_uniques:,} people of the population are unique, counted "
            f"({risks.counted_uniques / risks.people:.2%})."
        )
    _show_estimates(risks.uniques)
    if risks.source == "sample" and not quiet:
        stderr.print(
            "--fraction, --population or weights in the plan say how large the population is: risks are smaller then",
            style="dim",
        )


def _show_estimates(uniques: PopulationUniques | None) -> None:
    if uniques is None:
        stdout.print(
            "Population uniques are not estimated: persons have several records, and estimators take one of each."
        )
        return
    stdout.print(
        f"Before masking {uniques.sample_uniques:,} of {uniques.sample:,} persons are unique in the table, and about "
        f"{uniques.estimate:,.0f} in the population ({uniques.share:.2%}). Estimates:"
    )
    for key, name in _ESTIMATORS.items():
        value = getattr(uniques, key)
        taken = ", taken by the rule" if key == uniques.chosen else ""
        stdout.print(f"  {name}: {'none' if value is None else f'{value:,.0f}'}{taken}")


def _mark(risk: AdversaryRisk, threshold: float) -> str:
    return "✓ within" if risk.within(threshold) else "✗ beyond"
