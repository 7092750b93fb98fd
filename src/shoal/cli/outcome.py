"""What a run did, said on standard error: records and classes, loss and risk, what holds, what to beware of."""

from typing import Any, NamedTuple

import numpy as np

from shoal.cli.console import print_giveaways, print_guarantees, stderr
from shoal.masking.kept_gaps import gap_sentences
from shoal.masking.mask import unchanged_sentence
from shoal.masking.recoding import recoding_sentences
from shoal.masking.refinement import refinement_sentence
from shoal.masking.row_order import order_sentence
from shoal.masking.suppression import suppression_sentence
from shoal.measures import measure_release
from shoal.plan import Plan, ReleaseMode
from shoal.plan.registered_keys import way_of
from shoal.report.wording import number, plural
from shoal.republish.previous_release import previous_sentence
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


class LossAndRisk(NamedTuple):
    """What a release lost, and what its classes leave to a guess: those of a permutation are its groups."""

    size: str  # how many classes there are, and of how many
    sentence: str  # loss and risk in one line


def loss_and_risk(original: Any, release: Release, plan: Plan) -> LossAndRisk:
    """Measure what a release lost, and what its classes leave to a guess.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> frame = pl.DataFrame({"age": [30, 34, 61, 67, 70]})
    >>> plan = Plan(k=2, attributes={"age": {"role": "quasi_identifier", "kind": "numeric"}})
    >>> outcome = loss_and_risk(frame, shoal.anonymize(frame, plan), plan)
    >>> outcome.size
    '2 classes of 2 to 3 records'
    >>> outcome.sentence[-80:]
    'risk: a guess in the class of a person is right in 50 % at most, 40 % on average'
    """
    scores = measure_release(original, release, plan, keys=["il_percent", "k_min"])
    # Subjects of each class that an outsider sees, which are records where each is its own.
    sizes, of = scores["k_min"].groups["size"], "record" if plan.subject_column() is None else "subject"
    smallest, largest = int(sizes.min()), int(sizes.max())
    # One guess in each class for each of its subjects: on average as in a class of mean size.
    greatest, mean = 100 / smallest, 100 / float(np.mean(sizes))
    risk = f"is right in {number(greatest, 3)} % at most, {number(mean, 3)} % on average"
    if plan.release is ReleaseMode.PERMUTE:  # confidential values were shuffled
        many = plural(len(sizes), "group")
        sentence = (
            f"loss: quasi-identifiers stay as they are; risk: that a confidential value is the person's own {risk}"
        )
    else:
        many = plural(len(sizes), "class", "classes")
        lost = number(scores["il_percent"].value, 3)
        sentence = (
            f"loss: {lost} % of the information in the quasi-identifiers; risk: a guess in the class of a person {risk}"
        )
    least = "" if smallest == largest else f"{smallest:,} to "
    return LossAndRisk(f"{many} of {least}{plural(largest, of)}", sentence)
