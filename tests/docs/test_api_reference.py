"""The API reference has every public name, with what its docstring says."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import shoal
from docs.pages import reference, text_of
from test_public_api import ROOMS, public_names

PAGES = reference().pages()


def entry(page: str, anchor: str) -> str:
    """The entry of a name on a page, up to the next."""
    text = PAGES[page].partition(f"{{ #{anchor} }}\n")[2]
    assert text, f"{page} has no entry {anchor}"
    return re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]


def test_every_public_name_has_one_entry() -> None:
    expected = []
    for module, name in public_names():
        room = module.removeprefix("shoal").removeprefix(".")
        if (room, name) not in {("", known) for known in ROOMS}:
            expected.append((f"{room or 'index'}.md", f"{room}.{name}" if room else name))
    found = [
        (page, anchor)
        for page, text in PAGES.items()
        for anchor in re.findall(r"^## `\w+` \{ #([\w.]+) \}$", text, re.MULTILINE)
    ]
    assert sorted(found) == sorted(expected)
    assert len(found) > 150


def test_every_room_has_a_page_in_the_navigation() -> None:
    assert set(PAGES) == {"index.md", *(f"{room}.md" for room in ROOMS)}
    navigation = re.findall(r": api/(\w+\.md)$", text_of("mkdocs.yml"), re.MULTILINE)
    assert navigation == ["index.md", *(f"{room}.md" for room in sorted(ROOMS))]
    assert all(f"[`shoal.{room}`]({room}.md)" in PAGES["index.md"] for room in ROOMS)


def test_no_entry_is_without_a_text() -> None:
    for page, text in PAGES.items():
        for part in re.split(r"^##+ `", text, flags=re.MULTILINE)[1:]:
            name, _, body = part.partition("`")
            prose = re.sub(r"```.*?```|\{.*?\}", "", body, flags=re.DOTALL)
            assert re.search(r"\w{3}", prose), f"{page}: {name}"


def test_a_function_is_told_with_its_signature_parameters_and_example() -> None:
    text = entry("partitioners.md", "partitioners.mdav")
    assert text.lstrip().startswith(
        "```python\nshoal.partitioners.mdav(\n    points: ArrayLike | Points,\n    k: int,\n"
    )
    for name in inspect.signature(shoal.partitioners.mdav).parameters:
        assert f"\n- `{name}`: " in text
    for title in ("Parameters", "Returns", "Notes", "Examples"):
        assert f"\n**{title}**\n" in text
    assert "```pycon\n>>> mdav([[0.0]" in text
    assert "[`Points`](index.md#Points)" in text


def test_a_class_is_told_with_its_methods_and_attributes() -> None:
    text = entry("protect.md", "protect.Guarantee")
    assert "\n- `not_promised`: What it does not promise, in a sentence." in text
    assert "### `judge` { #Guarantee.judge }" in text
    assert "judge(demand: Demand, evidence: Evidence) -> Judgement" in text
    encoder = entry("encode.md", "encode.Encoder")
    assert "Encoder.fit(columns: Sequence[Column], *, scale: Scale | None = None) -> Encoder" in encoder


def test_a_plan_is_told_with_the_keys_of_its_registries() -> None:
    text = entry("plan.md", "plan.Plan")
    assert all(f"\n| `{key}` | " in text for key in shoal.Plan.known_keys())
    assert "| `k` | required | smallest group" in text


def test_a_name_that_comes_from_another_room_leads_there() -> None:
    text = entry("constrain.md", "constrain.emd")
    assert "See [`shoal.protect.emd`](protect.md#protect.emd)." in text
    assert "**Parameters**" not in text


def test_links_between_the_pages_of_the_reference_have_a_target() -> None:
    anchors = {page: set(re.findall(r"\{ #([\w.]+) \}$", text, re.MULTILINE)) for page, text in PAGES.items()}
    for page, text in PAGES.items():
        for target, anchor in re.findall(r"\]\(([\w.]*)#([\w.]+)\)", text):
            assert anchor in anchors[target or page], f"{page}: {target}#{anchor}"
        assert len(anchors[page]) == len(re.findall(r"\{ #([\w.]+) \}$", text, re.MULTILINE))


def test_what_is_said_after_the_parameters_is_no_parameter() -> None:
    text = reference()._text(
        "Do it.\n\nParameters\n----------\na, b\n    Two.\n\nLeft out, they are\nthe plan's.", "plan"
    )
    assert text == "Do it.\n\n**Parameters**\n\n- `a`, `b`: Two.\n\nLeft out, they are\nthe plan's."


def test_long_signatures_are_split_between_parameters_alone() -> None:
    split = importlib.import_module("signatures")._split
    assert split("a: dict[str, int], *, b: str = 'x, y', c: Callable[[int, int], object] | None = None") == [
        "a: dict[str, int]",
        "*",
        "b: str = 'x, y'",
        "c: Callable[[int, int], object] | None = None",
    ]


def test_the_pages_are_written_and_those_of_rooms_that_are_no_more_removed(tmp_path: Path) -> None:
    folder = tmp_path / "api"
    folder.mkdir()
    (folder / "gone.md").write_text("# shoal.gone\n")
    reference().write(folder)
    assert {path.name for path in folder.iterdir()} == set(PAGES)


def documented(value: object) -> set[str]:
    """The names in the section of parameters of a docstring, and of those of the classes that a class builds on."""
    found: set[str] = set()
    for part in inspect.getmro(value) if isinstance(value, type) else [value]:
        parameters = dict(reference()._sections(inspect.cleandoc(part.__doc__ or ""))).get("Parameters", "")
        for line in reference()._apart(parameters)[0].splitlines():
            found |= {name.strip(" *") for name in line.split(",")} if line[:1].strip() else set()
    return found


def test_docstrings_explain_the_parameters_that_there_are() -> None:
    """All of them or none, where a line says it all; a plan's keys stand in its table."""
    wrong, checked = [], 0
    for entry in reference().entries():
        if entry.value is shoal.Plan or not callable(entry.value) or not (told := documented(entry.value)):
            continue
        taken = {name for name in inspect.signature(entry.value).parameters if not name.startswith("_")}
        checked += 1
        if told != taken:
            wrong.append((entry.room, entry.name, told ^ taken))
    assert wrong == []
    assert checked > 80


def test_a_registry_is_told_with_its_entries() -> None:
    text = entry("partitioners.md", "partitioners.METHODS")
    assert all(f"`{name}`" in text for name in shoal.partitioners.METHODS)
    assert "`METHODS.register(entry)`" in text


def test_a_dataclass_is_told_with_what_stands_beside_its_fields() -> None:
    text = entry("files.md", "files.Format")
    assert "\n**Parameters**\n" in text
    assert "\n- `gzip`: ``.gz`` may follow the ending.\n" in text
    assert "\n- `delimiter`, `decimal`, `encoding`: None where they are to be detected.\n" in entry(
        "files.md", "files.TextOptions"
    )
