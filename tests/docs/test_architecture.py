"""The picture in docs/architecture.md, the import linter and the tree of src/shoal say the same."""

from __future__ import annotations

import pkgutil
import re
import tomllib

from docs.pages import ROOT, blocks, rows, section, text_of
from shoal.attacks import ATTACKS, Attack
from shoal.constrain import WAYS, Way
from shoal.files import FORMATS, Format
from shoal.kinds.attribute_kind import AttributeKind
from shoal.kinds.registry import KINDS
from shoal.measures import MEASURES, Measure
from shoal.partitioners import METHODS, Method
from shoal.protect import GUARANTEES, Guarantee
from shoal.recode import RECODINGS, Recoding
from shoal.run import BACKENDS, Backend

PAGE = text_of("docs/architecture.md")
CONTRACTS = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
LAYERS = next(contract for contract in CONTRACTS if contract["type"] == "layers")
PACKAGE = ROOT / "src" / "shoal"


def rooms() -> set[str]:
    """Every module and package directly under src/shoal that Python imports; the kernels are compiled."""
    found = {path.stem for path in PACKAGE.glob("*.py")} | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return found - {"__init__"}


def drawn() -> list[list[str]]:
    """The rooms of each line of the table of layers."""
    return [re.findall(r"`(\w+)`", line[0]) for line in rows(section(PAGE, "The layers"))]


def test_the_table_of_layers_is_the_contract_line_by_line() -> None:
    assert drawn() == [re.split(r" [|:] ", layer) for layer in LAYERS["layers"]]


def test_the_contract_is_exhaustive_and_so_is_the_table() -> None:
    assert LAYERS["containers"] == ["shoal"]
    assert LAYERS["exhaustive"] is True
    listed = [room for line in drawn() for room in line]
    assert len(listed) == len(set(listed))
    assert set(listed) == rooms()


def test_the_tree_names_every_room_once_with_what_it_is() -> None:
    (tree,) = blocks(section(PAGE, "The tree"), "text")
    lines = re.findall(r"^  (_?\w+?)(?:\.py|/(?:\{[\w,]+\}/)?)  +(\S.*)$", tree, re.MULTILINE)
    assert sorted(name for name, _ in lines) == sorted(rooms() | {"_core"})


def test_the_tree_names_the_folders_of_the_kernels() -> None:
    folders = sorted(path.name for path in (PACKAGE / "_core").iterdir() if path.is_dir())
    (named,) = re.findall(r"^  _core/\{([\w,]+)\}/", PAGE, re.MULTILINE)
    assert sorted(named.split(",")) == folders
    table = section(PAGE, "Conventions").partition("**Kernels**")[2]
    assert sorted(row[0].strip("`") for row in rows(table)) == folders


def test_the_registries_are_where_the_page_says() -> None:
    known = {
        "KINDS": (KINDS, AttributeKind),
        "RECODINGS": (RECODINGS, Recoding),
        "METHODS": (METHODS, Method),
        "GUARANTEES": (GUARANTEES, Guarantee),
        "WAYS": (WAYS, Way),
        "MEASURES": (MEASURES, Measure),
        "ATTACKS": (ATTACKS, Attack),
        "FORMATS": (FORMATS, Format),
        "BACKENDS": (BACKENDS, Backend),
    }
    table = rows(section(PAGE, "The seams"))
    assert [row[0].strip("`") for row in table] == list(known)
    for name, _, where, entry, _ in table:
        registry, kind = known[name.strip("`")]
        assert kind.__name__ == entry.strip("`")
        assert all(isinstance(value, kind) for value in registry.values())
        assert re.search(rf"^{name.strip('`')}\b", (PACKAGE / where.strip("`")).read_text("utf-8"), re.MULTILINE)


def test_array_rooms_do_not_know_the_plan() -> None:
    order = [room for line in drawn() for room in line]
    for room in ("constrain", "aggregate", "protect", "partitioners", "steer", "encode"):
        assert order.index("plan") < order.index(room)


def test_the_files_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`((?:[\w]+/)*\w+\.(?:py|hpp|cpp|pyi))`", PAGE))
    assert len(named) > 10
    for name in named:
        places = (ROOT / name, PACKAGE / name, PACKAGE / "_core" / name)
        assert any(place.exists() for place in places), name


def test_the_names_that_the_page_gives_with_their_rooms_are_there() -> None:
    named = [name.removeprefix("shoal.") for name in re.findall(r"`(\w+(?:\.\w+)+)`", PAGE)]
    files = (".py", ".hpp", ".cpp")
    inside = [name for name in named if name.partition(".")[0] in rooms() and not name.endswith(files)]
    assert {"measures.assess", "kinds.column.Spec", "protect.Demand", "stream.engine"} <= set(inside)
    for name in inside:
        assert pkgutil.resolve_name(f"shoal.{name}") is not None
    gone = {"measure", "attack", "compare", "partition", "refine"}  # functions, which hold nothing
    assert not [name for name in named if name.partition(".")[0] in gone]


def test_what_the_choices_speak_of_are_rooms() -> None:
    above = re.findall(r"`(\w+)` stands", section(PAGE, "Choices"))
    assert len(above) > 3
    assert set(above) <= rooms()
