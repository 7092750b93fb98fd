import ast
import importlib
import importlib.util
import inspect
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

import shoal

HEAVY = (
    "altair",
    "confluent_kafka",
    "highspy",
    "jinja2",
    "narwhals",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pydantic",
    "pyreadstat",
    "pyspark",
    "rich",
    "sklearn",
    "starlette",
    "typer",
    "uvicorn",
    "valkey",
)
ROOMS = {
    "aggregate",
    "analysis",
    "attacks",
    "comparison",
    "constrain",
    "encode",
    "errors",
    "examples",
    "files",
    "frames",
    "kinds",
    "measures",
    "options",
    "partitioners",
    "plan",
    "protect",
    "recode",
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
}
NAMES = {
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
    "anonymize",
    "attack",
    "check",
    "compare",
    "measure",
    "partition",
    "propose",
    "refine",
    "utility",
}


def python(code: str, *arguments: str) -> str:
    """Run code in an interpreter of its own, where nothing is loaded yet."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_public_names_are_these_and_all_exist():
    assert set(shoal.__all__) == ROOMS | NAMES | {"__version__"}
    assert all(getattr(shoal, name) is not None for name in shoal.__all__)
    assert {name for name in shoal.__all__ if isinstance(getattr(shoal, name), ModuleType)} == ROOMS
    assert set(dir(shoal)) == set(shoal.__all__)
    with pytest.raises(AttributeError, match="'shoal' has no attribute 'anonymise'"):
        _ = shoal.anonymise


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import version

    assert shoal.__version__ == version("shoal")


def test_import_shoal_loads_nothing_heavy():
    code = "import sys, shoal; dir(shoal); print(*(name for name in sys.argv[1:] if name in sys.modules))"
    assert python(code, *HEAVY).split() == []
    assert all(importlib.util.find_spec(name) for name in ("narwhals", "numpy", "pandas", "polars")), (
        "or the test proves nothing"
    )


def test_rooms_and_names_are_loaded_when_they_are_first_used():
    code = (
        "import sys, shoal\n"
        "loaded = lambda: sorted(n for n in sys.modules if n.startswith('shoal.') and n.count('.') == 1)\n"
        "print(loaded())\n"
        "shoal.errors; print(loaded())\n"
        "assert shoal.PlanError is shoal.errors.PlanError and 'PlanError' in vars(shoal)\n"
        "shoal.partitioners; print('shoal.partitioners' in loaded())\n"
        "print('shoal.plan' in loaded(), 'narwhals' in sys.modules)\n"
        "assert shoal.Plan is shoal.plan.Plan; print('shoal.report' in loaded())\n"
    )
    assert python(code).splitlines() == ["[]", "['shoal.errors']", "True", "False False", "False"]


def test_every_room_can_be_the_first_that_is_used():
    """In a child each, so that no room profits from what another has loaded; libraries are loaded once for all."""
    code = (
        "import os, sys, narwhals, numpy, polars, pydantic, shoal\n"
        "for name in sys.argv[1:]:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        getattr(shoal, name); os._exit('altair' in sys.modules)\n"
        "    if os.waitpid(child, 0)[1] == 0: print(name)\n"
    )
    assert python(code, *sorted(ROOMS)).split() == sorted(ROOMS)


def public_names() -> list[tuple[str, str]]:
    """Return (module, name) for every public name of the package and of its rooms."""
    found = [("shoal", name) for name in sorted(NAMES | ROOMS)]
    for room in sorted(ROOMS):
        module = importlib.import_module(f"shoal.{room}")
        found += [(f"shoal.{room}", name) for name in getattr(module, "__all__", None) or _own_names(module)]
    return found


def _own_names(module: ModuleType) -> list[str]:
    """Return what a module without a list of its names defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def test_every_public_name_has_a_docstring():
    without = [
        f"{module}.{name}"
        for module, name in public_names()
        if not _docstring(importlib.import_module(module), getattr(importlib.import_module(module), name), name)
    ]
    assert without == []


def _docstring(module: ModuleType, value: object, name: str) -> str | None:
    if isinstance(value, ModuleType | type) or inspect.isroutine(value):
        # A class must have its own; dataclasses make one that only repeats the signature.
        doc = value.__dict__.get("__doc__") if isinstance(value, type) else value.__doc__
        return None if doc is None or doc.startswith(f"{name}(") else doc
    return _constant_docstring(module, name)


def _constant_docstring(module: ModuleType, name: str) -> str | None:
    """Return the text below the assignment of a constant or a type alias, in whichever file of the room it stands."""
    here = Path(module.__file__)
    for path in here.parent.rglob("*.py") if here.name == "__init__.py" else [here]:
        body = ast.parse(path.read_text()).body
        for statement, below in pairwise(body):
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                text = below.value if isinstance(below, ast.Expr) else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    return text.value
    return None


def test_types_travel_with_the_package():
    assert Path(shoal.__file__).with_name("py.typed").exists()


def test_the_stub_of_the_kernels_names_what_the_kernels_have():
    from shoal import _core

    tree = ast.parse(Path(shoal.__file__).with_name("_core.pyi").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    compiled = {name for name in vars(_core) if not name.startswith("_")}
    assert functions <= compiled <= functions | classes
