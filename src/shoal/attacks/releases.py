"""Several releases of one table: who has them looks for whoever stands in a person's class in each."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.attacks.definition import Attack
from shoal.attacks.linkage import not_of_a_permutation
from shoal.attacks.material import Material
from shoal.attacks.outcome import Baseline, Outcome
from shoal.classes import equivalence_classes, subjects_of_each


def _run(material: Material) -> Iterator[Outcome]:
    others = (each.classes(material.known)[material.origins] for each in material.earlier)
    together = equivalence_classes([material.classes, *others])
    numbers = None if material.subjects is None else material.subjects.numbers
    left = subjects_of_each(together, numbers)[together]
    alone = material.per_person(1 / material.class_sizes[material.classes])
    baseline = Baseline(float(alone.mean()), "guessing inside the class of this release alone")
    chances = material.per_person(1 / left)
    yield Outcome(chances, baseline, detail={"left alone": int((chances == 1).sum())})


def _why_not(material: Material) -> str | None:
    if not material.earlier:
        return "no other release of the table was given"
    return not_of_a_permutation(material)


RELEASES = Attack(
    "releases",
    "two releases together",
    "An intruder who can match the rows of this release with those of others of the same table intersects the classes "
    "of a person in all of them and guesses among the c persons who are left, which counts 1/c.",
    "Sweeney 2002, complementary releases; Ganta et al. 2008",
    _run,
    why_not=_why_not,
    promised=True,
)
