"""declare_measure: one decorator turns a function that computes a value into a measure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol

from numpy.typing import NDArray

from shoal.measures.column_pair import ColumnPair
from shoal.measures.confidential_column import ConfidentialColumn
from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.progress import Progress
from shoal.subsets import Known, Subsets

Options = ParamSpec("Options")

QuasiIdentifiers = tuple[ColumnPair, ...]
ConfidentialColumns = tuple[ConfidentialColumn, ...]

_PAIR = {
    "quasi_identifier": "The table and its release.",
    "confidential": "The table and its release, with confidential attributes.",
    "subject": "The table and its release, with subjects.",
    "weights": "The table and its release, with sampling weights.",
}
_SHARED = {
    "subsets": (
        "subsets, sample, seed",
        "The quasi-identifiers that an intruder knows: all (None), or parts of them as `Subsets.of` takes them.",
    ),
    "progress": ("progress", "Called now and then with the work done and the work to do."),
}
"""What is said of parameters that several measures have, by the first name of each."""

LOSS: dict[str, Any] = {"aspect": "utility", "better": "lower"}
CHANCE: dict[str, Any] = {"aspect": "risk", "better": "lower", "high": 100.0, "unit": "%"}
STEPS = (
    "ordinal steps divided by the number of categories, nominal values 0 or 1 apart (in a hierarchy by the height at "
    "which they meet), places and cycles by chords"
)
"""What the definitions of several measures have in common."""


@dataclass(frozen=True, eq=False)
class Value:
    """What the function of a measure returns; `Score` says what the parts mean."""

    # number, attributes, groups, parts, interval: the value and its detail
    number: float
    attributes: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    # the columns that it speaks of, where they are not those that the measure covers
    columns: QuasiIdentifiers | None = None


def over_subsets(
    pair: Pair,
    measure: Callable[[tuple[str, ...]], float],
    known: Known | None,
    *,
    sample: int | None,
    seed: int,
    progress: Progress | None = None,
) -> Value:
    """Return the mean over subsets of the quasi-identifiers, whose parts are each subset's, as ``age + town``."""
    subsets = Subsets.of(pair.names, known, sample=sample, seed=seed)
    values = subsets.values(measure, progress)
    mean, interval = subsets.estimate(values)
    labels = map(" + ".join, subsets.drawn)
    return Value(mean, parts={} if known is None else dict(zip(labels, values, strict=True)), interval=interval)


@dataclass(frozen=True)
class Measure:
    """A measure: what it is, the function that computes it, and what to beware of."""

    definition: Definition  # what stands beside every value of it, and what an external reader may see
    function: Callable[..., Score]  # from a `Pair` and keyword options to a `Score`
    # from a score to what a person should know before signing, in whole sentences; None where the value says it
    # all. Cautions stand in internal reports alone
    caution: Callable[[Score], Iterable[str]] | None = None

    @property
    def key(self) -> str:
        """Its name."""
        return self.definition.key

    @cached_property
    def options(self) -> frozenset[str]:
        """The keyword options that the function takes."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)


class MeasureFunction(Protocol, Generic[Options]):
    """A function from a pair to a score, and the measure that it belongs to."""

    measure: Measure

    def __call__(self, pair: Pair, /, *args: Options.args, **options: Options.kwargs) -> Score:
        """Return the score of a pair."""


def declare_measure(
    key: str, text: str, *, caution: Callable[[Score], Iterable[str]] | None = None, **details: Any
) -> Callable[[Callable[Concatenate[Pair, Any, Options], Value]], MeasureFunction[Options]]:
    """Declare a measure: decorate a function of a pair and of the columns that the measure covers.

    Parameters
    ----------
    key, text, details
        As `Definition` takes them.
    caution
        As `Measure` takes it.

    Returns
    -------
    A decorator. The function becomes one from a `Pair` to a `Score`, refuses a pair that lacks what the measure covers,
    and says in its docstring what its shared parameters are; its ``measure`` is what `MEASURES` registers.

    Examples
    --------
    >>> @declare_measure("largest", "Number of records of the largest class.", aspect="utility", better="lower")
    ... def largest(pair, columns):
    ...     "Return the size of the largest class."
    ...     return Value(pair.sizes.max(), parts={"classes": len(pair.sizes)})
    >>> score = largest(Pair.of([1.0, 2.0, 3.0], [1.5, 1.5, 3.0]))
    >>> score.value, score.columns, largest.measure.key
    (2.0, ('0',), 'largest')
    """
    definition = Definition(key, text, **details)

    def declared(compute: Callable[Concatenate[Pair, Any, Options], Value]) -> MeasureFunction[Options]:
        @wraps(compute)
        def function(pair: Pair, /, *args: Options.args, **options: Options.kwargs) -> Score:
            covered = definition.covered(pair)
            value = compute(pair, covered, *args, **options)
            detail = {name: getattr(value, name) for name in ("attributes", "groups", "parts", "interval")}
            return definition.score(value.number, value.columns or covered, **detail)

        signature = inspect.signature(compute)
        parameters = [parameter for name, parameter in signature.parameters.items() if name != "columns"]
        function.__signature__ = signature.replace(parameters=parameters, return_annotation="Score")  # type: ignore[attr-defined]
        function.__doc__ = _documented(inspect.getdoc(compute) or "", definition, signature.parameters)
        function.measure = Measure(definition, function, caution)  # type: ignore[attr-defined]
        return function  # type: ignore[return-value]

    return declared


def _documented(text: str, definition: Definition, parameters: Iterable[str]) -> str:
    """Put what several measures have in common before the parameters of a docstring that are its own."""
    shared = [("pair", _PAIR[definition.role]), *[_SHARED[name] for name in parameters if name in _SHARED]]
    lines = "\n".join([f"{names}\n    {meaning}" for names, meaning in shared])
    head = "Parameters\n----------\n"
    if head in text:
        return text.replace(head, f"{head}{lines}\n", 1)
    summary, _, rest = text.partition("\n\n")
    return f"{summary}\n\n{head}{lines}\n\n{rest}".rstrip() + "\n"
