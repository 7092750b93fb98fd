"""Material: what an intruder and the one who keeps count have, as every attack takes it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.classes import equivalence_classes, subjects_of_each
from shoal.encode import Subjects, read_subjects
from shoal.errors import DataError, PlanError, nearest
from shoal.frames import Table
from shoal.masking.inputs import read_subjects_of
from shoal.masking.recoding import recoded
from shoal.measures.column_pair import ColumnPair
from shoal.measures.control_records import require_other_people
from shoal.measures.matching import MatchedTables, require_columns
from shoal.measures.tables import compared_by, paired_column
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.progress import Progress
from shoal.protect.adversaries import ProsecutorRisk
from shoal.protect.k_anonymity import KAnonymity
from shoal.republish.earlier_release import Earlier


@dataclass(frozen=True, eq=False)
class Material:
    """An original table and its release, record by record, and what else an attack may use."""

    plan: Plan  # what was promised, and what each column is
    # original, released: the records that left, before and after, in the order of the original
    original: Table
    released: Table
    places: NDArray[np.int64]  # where each of them stands in the release as it was given
    origins: NDArray[np.int64]  # where each of them stands in the original as it was given
    known: tuple[str, ...]  # the columns that the intruder knows of a person
    subjects: Subjects | None = None  # whom each record is about; None where every record is a person of its own
    control: Table | None = None  # persons who are not in the release; None without them
    earlier: tuple[Earlier, ...] = ()  # other releases of the same table that are out
    seed: int = 0  # of everything that is drawn
    # called by attacks that take long, with the work done and the work to do; whoever listens may stop them
    progress: Progress = lambda done, total: None

    @classmethod
    def of(
        cls,
        original: Table,
        released: Table,
        plan: Plan,
        *,
        control: Table | None = None,
        known: Sequence[str] | None = None,
        key_column: str | None = None,
        rows: ArrayLike | None = None,
        earlier: Sequence[Earlier] = (),
        seed: int = 0,
    ) -> Material:
        """Put the tables side by side, and refuse those that do not belong together."""
        columns = _known(plan, released, known)
        matched = MatchedTables(original, released, plan, key_column, rows)
        persons = matched.left(matched.recoding.before)
        require_columns(persons, "original", columns)
        require_columns(released, "released", columns)
        places, origins = matched.places, matched.origins
        matched.require_known_order(perturbed=False)
        if control is not None:
            require_columns(control, "control", columns)
            require_other_people(original, control, plan, called="control")
            control = recoded(control, plan, judge_totals=False).before
        return cls(
            plan,
            persons,
            matched.after,
            np.arange(len(persons)) if places is None else places,
            origins,
            columns,
            subjects=read_subjects_of(persons, plan),
            control=control,
            earlier=tuple(earlier),
            seed=seed,
        )

    def __len__(self) -> int:
        return len(self.original)

    @property
    def is_permuted(self) -> bool:
        """Whether quasi-identifiers left as they are, and confidential values changed owners."""
        return self.plan.release is ReleaseMode.PERMUTE

    @property
    def counted(self) -> str:
        """Who is attacked."""
        return "records" if self.subjects is None else f"subjects ({self.subjects.name})"

    @property
    def persons(self) -> int:
        """How many there are."""
        return len(self) if self.subjects is None else self.subjects.count

    @property
    def allowed(self) -> float | None:
        """The chance that k-anonymity allows, or less where the plan bounds the prosecutor's risk.

        None where the plan does not promise k, or the intruder knows more than quasi-identifiers.
        """
        covered = {*self.plan.names(Role.QUASI_IDENTIFIER), self.plan.by}
        promised = not self.is_permuted and self.plan.given_up() != KAnonymity.name and covered.issuperset(self.known)
        if not promised:
            return None
        demand, prosecutor = self.plan.demand(), ProsecutorRisk()
        bounds = [prosecutor.threshold(demand)] if prosecutor.is_asked(demand) else []
        return min([1 / self.plan.k, *bounds])

    @cached_property
    def columns(self) -> tuple[ColumnPair, ...]:
        """What the intruder knows of each person, beside what was released."""
        return tuple(paired_column(self.original, self.released, compared_by(self.plan, n)) for n in self.known)

    @cached_property
    def control_columns(self) -> tuple[ColumnPair, ...]:
        """The same of persons who are not in the release, beside all of the release."""
        assert self.control is not None, "only where there is a control"
        return tuple(
            paired_column(self.control, self.released, compared_by(self.plan, n), called="control") for n in self.known
        )

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """The released records that nobody can tell apart by the columns known."""
        return equivalence_classes([column.cells for column in self.columns])

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """How many different persons each class has."""
        return subjects_of_each(self.classes, None if self.subjects is None else self.subjects.numbers)

    def per_person(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance against each person from those against records: the intruder knows any one of them.

        What was not tried is NaN, of a record, and left out, of a person.
        """
        tried = ~np.isnan(chances)
        if self.subjects is None:
            return chances[tried]
        numbers = self.subjects.numbers[tried]
        count = np.bincount(numbers)
        return np.asarray(np.bincount(numbers, chances[tried])[count > 0] / count[count > 0])

    def generator(self, purpose: str) -> np.random.Generator:
        """Return random numbers of their own for a purpose: what one attack draws does not change another."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode())])

    def drawn(self, most: int, purpose: str) -> NDArray[np.int64]:
        """Draw at most so many persons, and return one record of each, in their order."""
        return _one_of_each(len(self), self.subjects, most, self.generator(f"persons {purpose}"))

    def drawn_control(self, most: int, purpose: str) -> NDArray[np.int64]:
        """Draw at most so many persons of the control, and return one record of each, in their order."""
        assert self.control is not None, "only where there is a control"
        name = self.plan.subject_column()
        subjects = read_subjects(self.control, name) if name is not None and name in self.control.names else None
        return _one_of_each(len(self.control), subjects, most, self.generator(f"control {purpose}"))


def _one_of_each(
    records: int, subjects: Subjects | None, most: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw at most so many persons, and one record of each."""
    one = np.arange(records)
    if subjects is not None:
        order = generator.permutation(records)
        one = np.empty(subjects.count, dtype=np.int64)
        one[subjects.numbers[order]] = order
    return np.sort(one if len(one) <= most else generator.choice(one, most, replace=False))


def _known(plan: Plan, released: Table, known: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that the intruder knows: the quasi-identifiers, and ``by``, where nobody says."""
    if known is None:
        by = plan.by if plan.by is not None and plan.attributes[plan.by].compared is not None else None
        return tuple(dict.fromkeys((*plan.masked_names(), *([by] if by else []))))
    if isinstance(known, str) or not known:
        raise PlanError("known must list at least one column that the intruder knows")
    for name in known:
        if name not in plan.attributes:
            raise PlanError(f"known names {name!r}, which the plan does not declare{nearest(name, plan.attributes)}")
        if plan.attributes[name].role is Role.IDENTIFIER:
            raise PlanError(f"known names {name!r}, which is an identifier: whether any is left is tried by itself")
        if plan.attributes[name].compared is None:
            raise PlanError(f"known names {name!r}, whose kind the plan does not say: add kind to attributes.{name}")
        if name not in released.names:
            raise DataError(f"known names {name!r}, which the released table does not have")
    return tuple(dict.fromkeys(known))
