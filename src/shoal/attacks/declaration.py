"""Attack: what is tried, where it is published, what it needs; and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.attempt import Attempt, Source
from shoal.attacks.material import Material
from shoal.errors import missing_library
from shoal.measures.declaration import CHANCE
from shoal.measures.definition import Definition
from shoal.measures.proportions import LEVEL, above_known, newcombe


@dataclass(frozen=True)
class Baseline:
    """A rate of success that is no fault of the release; `Attempt` says what the parts mean."""

    rate: float
    text: str
    source: Source = "chance"
    tried: int | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attack found."""

    # of each person tried, the chance that the attack succeeds: 1/c where it must guess between c
    chances: NDArray[np.float64]
    baseline: Baseline  # what it is compared with
    total: int | None = None  # how many persons could have been tried; as many as were if None
    attribute: str | None = None  # the confidential attribute that was guessed
    promised: bool | None = None  # whether the plan promises 1/k against it; what the attack says if None
    choices: int = 1  # how many variants were tried of which this is the best: the interval is widened for them
    detail: Mapping[str, float] = field(default_factory=dict)  # other numbers
    # whether only what is beyond chance breaks the promise: of a few persons, one is found by any variant
    beyond_chance: bool = False


PREFIX = "attack_"
"""What stands before the key of an attack where it is one measure among others."""

_SLACK = 1e-9
"""A chance that is just what the promise allows passes, however a mean of several rounds."""


def without_learner(material: Material) -> str | None:
    """Say which library of models and matchings is missing, where one is."""
    library = missing_library("sklearn", "scipy")
    return None if library is None else f"it needs {library}: pip install 'shoal[learn]'"


@dataclass(frozen=True)
class Attack:
    """An attack on a release."""

    # key, title: its name, and the one for people
    key: str
    title: str
    definition: str  # what the intruder knows and does, and what counts as a success
    reference: str  # the published work it comes from, author and year
    # from the `Material` to what was found: one outcome, or one for each confidential attribute
    function: Callable[[Material], Iterable[Outcome]]
    # says what is missing where the attack cannot be tried on a release; None where it can
    why_not: Callable[[Material], str | None] = lambda material: None
    nothing: str = "there is nothing to try it on"  # what is missing where the function finds nothing to try it on
    promised: bool = False  # whether k-anonymity promises that no person is attacked with a better chance than 1/k

    def run(self, material: Material) -> tuple[Attempt, ...]:
        """Try it, and put what was found beside its baseline."""
        return tuple(self._attempt(outcome, material) for outcome in self.function(material))

    def as_measure(self) -> Definition:
        """Return the attack as a measure of risk: its rate of success in percent."""
        return Definition(PREFIX + self.key, f"Rate of success of an attack: {self.definition}", **CHANCE)

    def _attempt(self, outcome: Outcome, material: Material) -> Attempt:
        tried, successes = len(outcome.chances), float(outcome.chances.sum())
        base, level = outcome.baseline, 1 - (1 - LEVEL) / outcome.choices
        if base.tried is None:
            method, interval = "Clopper and Pearson 1934", above_known(successes, tried, base.rate, level=level)
        else:
            method = "Newcombe 1998"
            interval = newcombe(successes, tried, base.rate * base.tried, base.tried, level=level)
        promised = self.promised if outcome.promised is None else outcome.promised
        allowed = material.allowed if promised and (interval[0] > 0 or not outcome.beyond_chance) else None
        return Attempt(
            self.key,
            self.title,
            self.definition,
            self.reference,
            tried=tried,
            successes=successes,
            baseline=base.rate,
            interval=interval,
            total=tried if outcome.total is None else outcome.total,
            attribute=outcome.attribute,
            counted=material.counted,
            baseline_from=base.source,
            baseline_tried=base.tried,
            baseline_text=base.text,
            method=method if outcome.choices == 1 else f"{method}, Bonferroni over {outcome.choices}",
            allowed=allowed,
            worst=float(outcome.chances.max()) if outcome.attribute is None and base.source == "chance" else None,
            exposed=None if allowed is None else int((outcome.chances > allowed * (1 + _SLACK)).sum()),
            seed=material.seed,
            detail=outcome.detail,
        )
