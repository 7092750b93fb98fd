"""How many of the population share their released quasi-identifiers, estimated by sampling weights."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.measures.definition import Definition, Score
from shoal.measures.pair import Pair
from shoal.protect.identification_risk import people_of_classes

POPULATION_K = Definition(
    "population_k",
    "Smallest equivalence class in people of the population: the sampling weights of its subjects added up (each by "
    "the least of its records' weights), and no fewer than they are themselves.",
    title="smallest class in the population",
    aspect="risk",
    better="higher",
    low=1.0,
    high=math.inf,
    role="weights",
    unit="people",
    external="subjects",
)

POPULATION_RISK = Definition(
    "population_risk",
    "Chance to find the person of a record in the population by guessing among all who share its released "
    "quasi-identifiers: 1 / people of its class, by sampling weights, averaged over records.",
    title="chance to be found in the population",
    aspect="risk",
    better="lower",
    low=0.0,
    high=100.0,
    role="weights",
    unit="%",
    external="subjects",
)


def population_k(pair: Pair) -> Score:
    """Return the people of the population in the smallest equivalence class.

    Parameters
    ----------
    pair
        The table and its release, with sampling weights.

    Notes
    -----
    The sum of the weights of a class estimates how often its quasi-identifiers occur in the population (Hundepool et
    al. 2012). It is the k of an intruder who does not know who is in the sample; who knows that faces `k_min`.

    Examples
    --------
    >>> population_k(Pair.of([1, 2, 3, 4], [1, 1, 2, 2], weights=[10, 20, 4, 3])).value
    7.0
    """
    people = _people(pair, POPULATION_K)
    return POPULATION_K.score(people.min(), pair.columns, groups={"people": people}, parts={"mean": people.mean()})


def population_risk(pair: Pair) -> Score:
    """Return the mean chance to find a person in the population by the released quasi-identifiers, in percent.

    Parameters
    ----------
    pair
        The table and its release, with sampling weights.

    Notes
    -----
    ``parts`` holds the greatest chance and the number of records expected to be found, if each is guessed once.

    Examples
    --------
    >>> population_risk(Pair.of([1, 2, 3, 4], [1, 1, 2, 2], weights=[10, 10, 2, 3])).value
    12.5
    """
    people = _people(pair, POPULATION_RISK)
    expected = float((pair.sizes / people).sum())
    return POPULATION_RISK.score(
        100.0 * expected / len(pair),
        pair.columns,
        parts={"greatest": 100.0 / people.min(), "expected records": expected},
    )


def _people(pair: Pair, what: Definition) -> NDArray[np.float64]:
    """Return the people that each equivalence class stands for, at least those that it has."""
    return people_of_classes(pair.classes, what.weights(pair), pair.subjects)
