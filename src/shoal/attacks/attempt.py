"""Attempt, Attempts: what came of attacks, frozen, each beside what guessing gives and what the promise allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.card import Card, screenful
from shoal.errors import counted
from shoal.measures.proportions import LEVEL

Source = Literal["chance", "control", "left out"]
"""Where a baseline comes from; `Attempt` says what each word means."""


@dataclass(frozen=True)
class Attempt:
    """What came of one attack.

    Examples
    --------
    >>> attempt = Attempt("linkage", "linkage", "…", "…", tried=100, successes=18.0, baseline=0.01, total=100,
    ...     interval=(0.1, 0.26), allowed=0.2, worst=0.2, exposed=0)
    >>> attempt.rate, round(attempt.difference, 2), attempt.beyond_chance, attempt.beyond_promise
    (0.18, 0.17, True, False)
    """

    # key, title: the name of the attack in Python, on the command line and in JSON, and the one for people
    key: str
    title: str
    # definition, reference: what was tried and what counts as a success, and the published work it comes from
    definition: str
    reference: str
    tried: int  # how many of them
    successes: float  # how many attempts succeeded; a guess between c that are equally likely counts 1/c
    baseline: float  # the rate of success that is no fault of the release
    interval: tuple[float, float]  # of the difference between both rates
    total: int  # how many could have been tried: more than ``tried`` where a sample was drawn
    attribute: str | None = None  # the confidential attribute that was guessed, where the attack guesses one
    # who was attacked: ``records``, or ``subjects (column)`` where the plan says whom a record is about
    counted: str = "records"
    # ``chance``: the rate of guessing, computed. ``control``: the rate among persons who are not in the release.
    # ``left out``: the rate for the same persons where the intruder learnt from the release without them
    baseline_from: Source = "chance"
    baseline_tried: int | None = None  # attempts behind the baseline; None where it is computed
    baseline_text: str = ""  # how the baseline was obtained, in words
    # level, method: the confidence of the interval, and how it was computed
    level: float = LEVEL
    method: str = "Clopper and Pearson 1934"
    # the rate that the promise of the plan allows: 1/k, or a lower bound of the prosecutor's risk; None where it
    # promises nothing against this attack
    allowed: float | None = None
    # the best chance of success against any single one of those tried; None where a guess is right or wrong
    worst: float | None = None
    # how many of those tried are attacked with a better chance than ``allowed``; None without one
    exposed: int | None = None
    seed: int = 0  # of everything that was drawn
    detail: Mapping[str, float] = field(default_factory=dict)  # other numbers

    @property
    def name(self) -> str:
        """The key, and the attribute that was guessed where there is one."""
        return self.key if self.attribute is None else f"{self.key}[{self.attribute}]"

    @property
    def rate(self) -> float:
        """The rate of success among the released."""
        return self.successes / self.tried

    @property
    def difference(self) -> float:
        """The rate of success above the baseline."""
        return self.rate - self.baseline

    @property
    def sampled(self) -> bool:
        """Whether only some were tried."""
        return self.tried < self.total

    @property
    def beyond_chance(self) -> bool:
        """Whether the attack succeeds more often than the baseline, by the whole interval."""
        return self.interval[0] > 0

    @property
    def beyond_promise(self) -> bool:
        """Whether it succeeds against anybody with a better chance than the promise allows."""
        return bool(self.exposed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists, ready for JSON."""
        result: dict[str, Any] = {
            "attack": self.key,
            "title": self.title,
            "definition": self.definition,
            "reference": self.reference,
            "counted": self.counted,
            "tried": self.tried,
            "of": self.total,
            "sampled": self.sampled,
            "successes": self.successes,
            "rate": self.rate,
            "baseline": {"rate": self.baseline, "from": self.baseline_from, "how": self.baseline_text},
            "difference": self.difference,
            "interval": {"low": self.interval[0], "high": self.interval[1], "level": self.level, "method": self.method},
            "allowed": self.allowed,
            "worst": self.worst,
            "exposed": self.exposed,
            "beyond_chance": self.beyond_chance,
            "beyond_promise": self.beyond_promise,
            "seed": self.seed,
        }
        if self.attribute is not None:
            result["attribute"] = self.attribute
        if self.baseline_tried is not None:
            result["baseline"]["tried"] = self.baseline_tried
        if self.detail:
            result["detail"] = dict(self.detail)
        return result


@dataclass(frozen=True, repr=False)
class Attempts(Card, Mapping[str, Attempt]):
    """What came of every attack, by `Attempt.name`, and why others were not tried."""

    attempts: tuple[Attempt, ...]  # in the order of the registry
    skipped: Mapping[str, str] = field(default_factory=dict)  # by the key of an attack, why it could not be tried

    def __getitem__(self, name: str) -> Attempt:
        for attempt in self.attempts:
            if attempt.name == name:
                return attempt
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (attempt.name for attempt in self.attempts)

    def __len__(self) -> int:
        return len(self.attempts)

    def __repr__(self) -> str:
        lines = [f"{counted(len(self), 'attempt')}, {counted(len(self.skipped), 'attack')} not tried"]
        for attempt in self.attempts:
            allowed = "" if attempt.allowed is None else f", allowed {100 * attempt.allowed:.1f} %"
            lines.append(
                f"  {attempt.name}: {100 * attempt.rate:.1f} %, guessing {100 * attempt.baseline:.1f} %{allowed}"
            )
        return screenful(lines)

    @property
    def within_promise(self) -> bool:
        """Whether no attack succeeds against anybody with a better chance than the promise allows."""
        return not any(attempt.beyond_promise for attempt in self.attempts)

    def worst_of(self, key: str) -> Attempt:
        """Return the attempt of an attack, of several attributes the one with the largest difference."""
        return max((a for a in self.attempts if a.key == key), key=lambda attempt: attempt.difference)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "within_promise": self.within_promise,
            "attempts": {attempt.name: attempt.to_dict() for attempt in self.attempts},
            "skipped": dict(self.skipped),
        }
