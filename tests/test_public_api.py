import importlib.util
import subprocess
import sys
from pathlib import Path

import shoal

HEAVY = (
    "altair",
    "confluent_kafka",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "pydantic",
    "pyreadstat",
    "rich",
    "typer",
    "valkey",
)


def test_the_public_names_are_these_and_all_exist():
    assert set(shoal.__all__) == {
        "DataError",
        "GuaranteeError",
        "OutputError",
        "Plan",
        "PlanError",
        "Points",
        "Release",
        "ShoalError",
        "StreamAnonymizer",
        "anonymize",
        "constrain",
        "measure",
        "partition",
        "steer",
    }
    assert all(getattr(shoal, name) is not None for name in shoal.__all__)
    assert set(dir(shoal)) == set(shoal.__all__)


def test_import_shoal_loads_no_frame_chart_or_broker_library():
    code = "import sys, shoal; print(*(name for name in sys.argv[1:] if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
    assert all(importlib.util.find_spec(name) for name in ("narwhals", "pandas", "polars")), (
        "or the test proves nothing"
    )


def test_types_travel_with_the_package():
    assert Path(shoal.__file__).with_name("py.typed").exists()


def test_the_stub_of_the_kernels_names_what_the_kernels_have():
    import ast

    from shoal import _core

    tree = ast.parse(Path(shoal.__file__).with_name("_core.pyi").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    compiled = {name for name in vars(_core) if not name.startswith("_")}
    assert functions <= compiled <= functions | classes
