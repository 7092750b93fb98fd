"""k-Anonymity: every record shares its released quasi-identifiers with those of at least k − 1 other subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects
from shoal.errors import GuaranteeError
from shoal.frames import Table
from shoal.options import Options
from shoal.protect.guarantee import Demand, Evidence, Guarantee, Judgement
from shoal.protect.rules import Rule
from shoal.subsets import Subsets

KNOWN = (1, 2, 3)
"""How many quasi-identifiers an intruder is assumed to know, where the plan does not say which."""

SAMPLE = 12
"""Sets of each size that are looked at: enough for a mean, few enough for a table of millions."""

FEWEST = 2
"""The least k that protects anybody."""

K = Annotated[int, Field(ge=FEWEST, strict=True)]


class KOptions(Options):
    """The key of the plan that asks for it."""

    k: K = Field(description="smallest group of records that look alike")


class KAnonymity(Guarantee):
    """At least k subjects in every equivalence class; each record is one where the plan names none."""

    name = "k_anonymity"
    section = ""
    options = KOptions
    key = "k"
    example = ""
    summary = (
        "every combination of released quasi-identifiers is shared by the records of at least k subjects: persons, "
        "where the plan says whom a record is about, else records"
    )
    not_promised = (
        "confidential values are not changed: where the records of a class share one, it is known of all of them"
    )
    in_streams = True

    def is_asked(self, demand: Demand) -> bool:
        """Always, except of a permutation."""
        return not demand.permuted

    def require_feasible(
        self, demand: Demand, rules: Sequence[Rule], domains: NDArray[np.int64] | None, subjects: Subjects | None = None
    ) -> None:
        """Every value of ``by`` needs k subjects."""
        if domains is None or (demand.masks_values and subjects is None):
            return
        sizes = subjects_of_each(domains, None if subjects is None else subjects.numbers)
        require_domain_sizes(demand, sizes, None if subjects is None else subjects.name)

    def judge(self, demand: Demand, evidence: Evidence) -> Judgement:
        """Count the subjects of every class, or say what is left of k where it is given up.

        A quasi-identifier that is the same in all records of a subject must be so in the release: with several masked
        birth dates a person would be one of fewer than k who have them all.
        """
        parted = parted_attributes(demand, evidence)
        if demand.given_up == self.name:
            sizes = evidence.class_sizes
            return remaining_k(demand, float(sizes.mean()), int(sizes.min()), _known_sets(demand, evidence), parted)
        smallest = int(evidence.class_sizes.min())
        notes = [parted_note(parted)] if parted else []
        if demand.confidential and not demand.protects_confidential:
            notes.append(self.caveat())
        definition = (
            f"every combination of quasi-identifier values in the released table is shared by {counted(demand)}"
        )
        holds = smallest >= demand.k and not parted
        return Judgement(self.name, demand.k, smallest, holds, definition, " ".join(notes))


def require_domain_sizes(demand: Demand, sizes: NDArray[np.int64], subject: str | None) -> None:
    """Refuse values of ``by`` with fewer than k records, or subjects where a column says whom a record is about."""
    small = int((sizes < demand.k).sum())
    if small:
        things = "records" if subject is None else f"different subjects ({subject})"
        raise GuaranteeError(
            f"by = {demand.by!r} has {small} of {len(sizes)} values with fewer than k = {demand.k} {things}, the "
            f"fewest {sizes.min()}: lower k, merge its values, or leave by out",
            reached=int(sizes.min()),
        )


def counted(demand: Demand) -> str:
    """Say what k counts, for "is shared by …"."""
    if demand.subject is None:
        return f"at least {demand.k} records"
    return f"the records of at least {demand.k} different subjects ({demand.subject})"


def parted_attributes(demand: Demand, evidence: Evidence) -> tuple[str, ...]:
    """Return the quasi-identifiers that are one for each subject in the original, and several in the release."""
    if evidence.subjects is None or demand.permuted:
        return ()
    subjects = evidence.subjects
    place_of = {name: place for place in demand.places for name in place}

    def constant(table: Table, name: str) -> bool:
        return subjects.is_constant(
            equivalence_classes([table.class_codes(one) for one in place_of.get(name, (name,))])
        )

    return tuple(
        name
        for name in demand.quasi_identifiers
        if constant(evidence.original, name) and not constant(evidence.released, name)
    )


def parted_note(names: Sequence[str]) -> str:
    """Say which attributes a subject has several masked values of, where it had one."""
    return (
        f"{', '.join(map(repr, names))} {'is' if len(names) == 1 else 'are'} the same in all records of a subject, but "
        "not in the release: whoever links the records of a subject finds it among fewer."
    )


def released_classes(released: Table, demand: Demand, columns: Sequence[str] | None = None) -> NDArray[np.int64]:
    """Return the equivalence class of each released record on the quasi-identifiers, or some columns, and ``by``."""
    compared = demand.quasi_identifiers if columns is None else columns
    names = dict.fromkeys((*compared, *([demand.by] if demand.by else [])))
    return equivalence_classes([released.class_codes(name) for name in names])


def remaining_k(
    demand: Demand, overall: float, smallest: int, k_primes: Mapping[str, float], parted: Sequence[str]
) -> Judgement:
    """State that k is not guaranteed, and how many subjects still share what an intruder may know.

    k' is the number of records divided by the number of distinct released records, over all quasi-identifiers or a set
    of them (Nin 2014, section 2.3); where records have subjects, the mean number of those that share one.
    """
    things = "records" if demand.subject is None else f"subjects ({demand.subject})"
    of_known = "; ".join(f"{name}, {value:.2f}" for name, value in k_primes.items())
    return Judgement(
        name=KAnonymity.name,
        asked=None if demand.masks_values else demand.k,  # the k of a value method counts values
        achieved=smallest,
        holds=not demand.masks_values and smallest >= demand.k,
        definition=(
            f"k not guaranteed: {demand.why_not_k}. k' = {overall:.2f} {things} share all quasi-identifiers on "
            f"average, {smallest} at worst" + (f"; to an intruder who knows {of_known}" if of_known else "")
        ),
        note="k' is an average, and no guarantee: records in small classes can be told apart."
        + (f" {parted_note(parted)}" if parted else ""),
        detail={"k_prime": overall, **{f"k_prime of {name}": value for name, value in k_primes.items()}},
    )


def _known_sets(demand: Demand, evidence: Evidence) -> dict[str, float]:
    """Return k' of the sets of quasi-identifiers that an intruder may know."""
    codes = cache(evidence.released.class_codes)

    def k_prime(names: Sequence[str]) -> float:
        classes = equivalence_classes([codes(name) for name in names])
        return float(subjects_of_each(classes, evidence.subject_numbers).mean())

    return known_sets(demand, k_prime)


def known_sets(demand: Demand, k_prime: Callable[[Sequence[str]], float]) -> dict[str, float]:
    """Return k' of the sets that the plan names, or the mean over sets of a few sizes."""
    if demand.intruder is not None:
        return {" + ".join(known): k_prime(known) for known in demand.intruder}
    names = demand.quasi_identifiers
    means = {}
    for size in KNOWN:
        if size < len(names):
            drawn = Subsets.of(names, size, sample=SAMPLE, seed=demand.seed)
            means[f"{size} of them"] = drawn.estimate(drawn.values(k_prime))[0]
    return means
