"""Anonymize microdata and data streams by microaggregation."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers read it as typing's, and typing is not loaded for it
if TYPE_CHECKING:
    from typing import Any

    from shoal import (
        aggregate,
        analysis,
        attacks,
        comparison,
        constrain,
        encode,
        errors,
        examples,
        files,
        frames,
        kinds,
        measures,
        options,
        partitioners,
        plan,
        protect,
        recode,
        refinement,
        registry,
        report,
        reproduce,
        run,
        scaling,
        sklearn,
        spark,
        steer,
        stream,
    )
    from shoal.analysis import utility
    from shoal.attacks import attack
    from shoal.comparison import compare
    from shoal.errors import DataError, GuaranteeError, OutputError, PlanError, ShoalError
    from shoal.measures import measure
    from shoal.partitioners import partition
    from shoal.plan import Plan
    from shoal.plan.propose import propose
    from shoal.points import Points
    from shoal.refinement import refine
    from shoal.run import check
    from shoal.run.model import Model
    from shoal.run.pipeline import anonymize
    from shoal.run.release import Release
    from shoal.stream import StreamAnonymizer

    __version__: str

__all__ = [
    "DataError",
    "GuaranteeError",
    "Model",
    "OutputError",
    "Plan",
    "PlanError",
    "Points",
    "Release",
    "ShoalError",
    "StreamAnonymizer",
    "__version__",
    "aggregate",
    "analysis",
    "anonymize",
    "attack",
    "attacks",
    "check",
    "compare",
    "comparison",
    "constrain",
    "encode",
    "errors",
    "examples",
    "files",
    "frames",
    "kinds",
    "measure",
    "measures",
    "options",
    "partition",
    "partitioners",
    "plan",
    "propose",
    "protect",
    "recode",
    "refine",
    "refinement",
    "registry",
    "report",
    "reproduce",
    "run",
    "scaling",
    "sklearn",
    "spark",
    "steer",
    "stream",
    "utility",
]

# Everything is loaded when it is first used: `import shoal` and `shoal --help` cost next to nothing. A name that stands
# in ``__all__`` and not here is a room, the subpackage or module of that name.
_ERRORS = ("DataError", "GuaranteeError", "OutputError", "PlanError", "ShoalError")
_HOMES = dict.fromkeys(_ERRORS, "shoal.errors") | {
    "Model": "shoal.run.model",
    "Plan": "shoal.plan",
    "Points": "shoal.points",
    "Release": "shoal.run.release",
    "StreamAnonymizer": "shoal.stream",
    "anonymize": "shoal.run.pipeline",
    "attack": "shoal.attacks",
    "check": "shoal.run._check",
    "compare": "shoal.comparison",
    "measure": "shoal.measures",
    "partition": "shoal.partitioners",
    "propose": "shoal.plan.propose",
    "refine": "shoal.refinement",
    "utility": "shoal.analysis",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("shoal")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in __all__:
        return importlib.import_module(f"shoal.{name}")  # which makes it an attribute
    else:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    globals()[name] = value  # found without this function the next time
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
