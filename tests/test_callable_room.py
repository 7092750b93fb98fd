"""Rooms that can be called stay rooms, however they are imported, and type checkers know all that they have."""

import ast
import importlib
import inspect
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import shoal
from test_public_api import python

ROOMS = ("attack", "compare", "measure", "partition", "refine")
STUB = Path(shoal.__file__).with_name("_rooms.pyi")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_module_and_is_called_by_the_function_of_its_name(room):
    module = importlib.import_module(f"shoal.{room}")
    assert module is getattr(shoal, room)
    assert isinstance(module, ModuleType)
    assert callable(module)
    function = getattr(module, room)
    assert inspect.signature(module) == inspect.signature(function)
    assert room in module.__all__


@pytest.mark.parametrize(
    "first",
    [
        "import shoal",
        "from shoal import partition",
        "import shoal.partition",
        "from shoal.partition import partition",
        "from shoal.partition._mdav import mdav",
        "import shoal.refine, shoal.partition",
    ],
)
def test_whatever_is_imported_first(first):
    use = "print(shoal.partition([1.0, 2.0, 8.0, 9.0], k=2), shoal.partition.METHODS['mdav'].name)"
    code = f"{first}\nimport shoal\n{use}"
    assert python(code) == "[0 0 1 1] mdav"


def test_arrays_in_arrays_out():
    points = np.random.default_rng(1).normal(size=(200, 3))
    labels = shoal.partition(points, k=4, method="mdav")
    assert isinstance(labels, np.ndarray)
    assert np.bincount(labels).min() >= 4
    better = shoal.refine(points, labels, 4, effort="quick")
    assert np.bincount(better).min() >= 4
    assert shoal.measure.sse(shoal.measure.Pair.of(points, means(points, better))).value < (
        shoal.measure.sse(shoal.measure.Pair.of(points, means(points, labels))).value
    )


def means(points, labels):
    sums = np.zeros((labels.max() + 1, points.shape[1]))
    np.add.at(sums, labels, points)
    return (sums / np.bincount(labels)[:, None])[labels]


def test_what_a_room_has_besides_travels_as_before():
    assert pickle.loads(pickle.dumps(shoal.attack.Attempts)) is shoal.attack.Attempts
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shoal.measure.nothing


@pytest.mark.parametrize("room", ROOMS)
def test_type_checkers_are_told_every_name(room):
    tree = ast.parse(STUB.read_text())
    told = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == room.capitalize())
    names = {node.targets[0].id: ast.unparse(node.value) for node in told.body if isinstance(node, ast.Assign)}
    module = getattr(shoal, room)
    assert names.pop("__call__") == f"staticmethod(_{room}.{room})"
    assert set(names) == set(module.__all__)
    for name, value in names.items():
        plain = f"_{room}.{name}"
        assert value == (f"staticmethod({plain})" if inspect.isfunction(getattr(module, name)) else plain)
