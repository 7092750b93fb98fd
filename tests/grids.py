"""Grids of cases that test one thing: one test that tries them all, and tells each that fails."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def every(**grid: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with every combination of some of its arguments; its other arguments are fixtures.

    For quick cases that need nothing of their own: ``pytest.mark.parametrize`` makes a test of each, which takes
    longer than the case itself.
    """
    cases = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_cases(**fixtures: Any) -> None:
            failures: list[BaseException] = []
            for case in cases:
                try:
                    test(**fixtures, **case)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"in the case {case}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases fail", failures)

        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in grid]
        vars(all_cases)["__signature__"] = signature.replace(parameters=fixtures)
        return all_cases

    return decorate
