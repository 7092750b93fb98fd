"""What a run did, said on standard error: records and classes, loss and risk, what holds, what to beware of."""

from typing import Any

from shoal.cli.console import print_giveaways, print_guarantees, stderr
from shoal.masking.gaps import gap_sentences
from shoal.masking.mask import unchanged_sentence
from shoal.masking.recoding import recoding_sentences
from shoal.masking.refinement import refinement_sentence
from shoal.masking.row_order import order_sentence
from shoal.masking.suppression import suppression_sentence
from shoal.plan import Plan
from shoal.plan.sections import way_of
from shoal.report.loss_and_risk import loss_and_risk
from shoal.republish.growing_table import previous_sentence
from shoal.run.release import Release


def summarise(release: Release, plan: Plan, frame: Any = None) -> None:
    """Say on stderr what was done, what was lost where the original is at hand, and what holds."""
    manifest = release.manifest
    groups, subjects, order = manifest["groups"], manifest.get("subjects"), manifest["order"]
    of_whom = "" if subjects is None else f" of {subjects['count']:,} subjects ({subjects['column']})"
    losses = None if frame is None else loss_and_risk(frame, release, plan)
    size = (
        f"{groups['count']:,} classes of {groups['smallest']} to {groups['largest']}" if losses is None else losses.size
    )
    done = (
        f"{manifest['output']['rows']:,} records{of_whom} in {size} by {_method(plan)}",
        *recoding_sentences(manifest),
        f"refined, {refinement_sentence(manifest['refine'])}" if "refine" in manifest else None,
        suppression_sentence(manifest),
        previous_sentence(manifest["previous"]) if "previous" in manifest else None,
        # Rows of Spark have no order to begin with.
        order_sentence(order["followed"], done=True) if order["shuffled"] and "spark" not in manifest else None,
    )
    for sentence in filter(None, done):
        stderr.print(sentence)
    print_guarantees(release.guarantees)
    if losses is not None:
        stderr.print(losses.sentence)
    for sentence in filter(None, (*gap_sentences(manifest.get("gaps", {})), unchanged_sentence(groups))):
        stderr.print(f"  {sentence}", style="dim")
    print_giveaways(release.giveaways)


def _method(plan: Plan) -> str:
    way = way_of(plan)
    if way is None:
        return plan.method
    return f"{plan.method}, merged" if way.form is None else way.name
