"""Write the API reference: a Markdown page for each public room, made from the docstrings.

    python docs/api.py [FOLDER]      # docs/api if left out; `make docs` runs it before the site is built

Every public name has one entry, on the page of the room that it comes from; other rooms that offer it link there.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from signatures import written_annotation, written_signature

import shoal
from shoal.registry import Registry

LISTS = ("Parameters", "Returns", "Raises")
"""Sections of docstrings whose entries are names with an indented text."""

HIDDEN = frozenset(dir(BaseModel)) | {"model_config", "model_fields"}


@dataclass(frozen=True)
class Entry:
    """A public name: where it is offered, what it is, and the room on whose page it is explained."""

    room: str
    name: str
    value: Any
    home: str

    @property
    def anchor(self) -> str:
        """The anchor of its heading."""
        return f"{self.room}.{self.name}" if self.room else self.name


def rooms() -> dict[str, ModuleType]:
    """Return the public rooms by name."""
    found = {name: getattr(shoal, name) for name in shoal.__all__}
    return {name: value for name, value in sorted(found.items()) if isinstance(value, ModuleType)}


@cache
def entries() -> tuple[Entry, ...]:
    """Return every public name, those of the package itself first (their room is empty)."""
    known = rooms()
    own = [("", name) for name in shoal.__all__ if name not in known and not name.startswith("__")]
    own += [(room, name) for room, module in known.items() for name in _names(module)]
    found = []
    for room, name in own:
        value = getattr(known[room] if room else shoal, name)
        home = getattr(value, "__module__", None) or ""
        first = home.removeprefix("shoal.").split(".")[0]
        elsewhere = home.startswith("shoal.") and (first, name) in own
        found.append(Entry(room, name, value, first if elsewhere else room))
    return tuple(found)


def pages() -> dict[str, str]:
    """Return the pages of the reference by their file names."""
    by_room: dict[str, list[Entry]] = {}
    for entry in entries():
        by_room.setdefault(entry.room, []).append(entry)
    overview = [
        "# API reference",
        "What stands here is public, and kept as [Versions](../versioning.md) says. All else may change any time.",
        "Each room is an attribute of `shoal` after `import shoal`, and is loaded when it is first used.",
        _table(["room", "what it holds"], [[f"[`shoal.{r}`]({r}.md)", _summary(m, r)] for r, m in rooms().items()]),
        "## Names of the package",
        *(_entry(entry) for entry in by_room.pop("")),
    ]
    written = {"index.md": _page(overview)}
    for room, module in rooms().items():
        listed = by_room[room]
        contents = [[f"[`{e.name}`](#{e.anchor})", _summary(e.value, room, e.name)] for e in listed]
        written[f"{room}.md"] = _page(
            [
                f"# shoal.{room}",
                _text(module.__doc__ or "", room),
                _table(["name", ""], contents),
                *(_entry(entry) for entry in listed),
            ]
        )
    return written


def write(folder: Path) -> None:
    """Write the pages, and remove those of rooms that are no more."""
    folder.mkdir(exist_ok=True)
    written = pages()
    for path in folder.glob("*.md"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")


def _page(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _names(module: ModuleType) -> list[str]:
    """Return the names that a room lists, or what it defines where it is one file without a list."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=str.lower)
    return [n for n, v in vars(module).items() if n[0] != "_" and getattr(v, "__module__", None) == module.__name__]


def _entry(entry: Entry) -> str:
    heading = f"## `{entry.name}` {{ #{entry.anchor} }}"
    if entry.home != entry.room:
        link = f"[`shoal.{entry.home}.{entry.name}`]({entry.home}.md#{entry.home}.{entry.name})"
        return _page([heading, f"{_summary(entry.value, entry.room, entry.name)} See {link}."]).rstrip()
    value, room = entry.value, entry.room
    called = f"shoal.{room}.{entry.name}" if room else f"shoal.{entry.name}"
    if not isinstance(value, type):
        if not isinstance(value, FunctionType):
            text = _text(_constant_text(value, room, entry.name), room)
            return _page([heading, text, _registry(entry.name, value)]).rstrip()
        return _page([heading, written_signature(called, value), _text(inspect.getdoc(value) or "", room)]).rstrip()
    parts = [heading, _constructor(called, value), _text(_with_fields(value), room), *_members(value, room)]
    return _page(parts).rstrip()


def _registry(name: str, value: Any) -> str:
    """Say what is in a registry, and how that is changed; nothing of other constants."""
    if not isinstance(value, Registry):
        return ""
    listed = f"Entries: {', '.join(f'`{entry}`' for entry in value)}." if value else ""
    adding = f"`{name}.register(entry)` adds an entry, `{name}.unregister(name)` takes it out"
    return f"{adding}, `{name}.temporarily(entry)` has it for a `with` block. {listed}".rstrip()


def _constructor(called: str, value: type) -> str:
    if issubclass(value, enum.Enum):
        return ", ".join(f"`{member.value}`" for member in value)
    if issubclass(value, BaseModel) or inspect.isabstract(value) or getattr(value, "_is_protocol", False):
        return f"```python\nclass {called}\n```"
    return written_signature(called, value)


def _members(value: type, room: str) -> Iterator[str]:
    """Yield what a class has besides its constructor: fields, attributes with a text, properties and methods."""
    if issubclass(value, BaseModel):
        # A plan has keys that registries bring, besides its own.
        keys = value.known_keys() if issubclass(value, shoal.Plan) else value.model_fields
        rows = [[f"`{name}`", _default(field), field.description or ""] for name, field in keys.items()]
        yield _table(["field", "default", "meaning"], rows)
    elif texts := _attribute_texts(value):
        yield "**Attributes**"
        yield "\n".join(f"- `{name}`: {_linked(_joined(text), room)}" for name, text in texts.items())
    own_fields = {field.name for field in fields(value)} if is_dataclass(value) else set()  # some hold a function
    for name, member in vars(value).items():
        if name.startswith("_") or name in HIDDEN | own_fields or isinstance(value, enum.EnumType):
            continue
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", member)
        if not isinstance(function, FunctionType):
            continue
        yield f"### `{name}` {{ #{value.__name__}.{name} }}"
        if function is member or isinstance(member, classmethod | staticmethod):
            bound = getattr(value, name) if isinstance(member, classmethod | staticmethod) else function
            yield written_signature(f"{value.__name__}.{name}" if bound is not function else name, bound)
        else:
            yield f"*Property*, {written_annotation(function.__annotations__.get('return', ''))}"
        yield _text(inspect.getdoc(function) or "", room)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    plain = default.value if isinstance(default, enum.Enum) else default
    return "" if plain is None else f"`{plain!r}`"


def _text(docstring: str, room: str) -> str:
    """Turn a docstring into Markdown: sections by name, parameters as a list, examples as code."""
    parts = []
    for title, body in _sections(inspect.cleandoc(docstring)):
        if title:
            parts.append(f"**{title}**")
        entries, prose = _apart(body) if title in LISTS else ("", body)
        parts += [_list(entries, room), *_paragraphs(prose, room)] if entries else _paragraphs(prose, room)
    return "\n\n".join(parts)


def _sections(docstring: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^([A-Z][a-z]+)\n-{3,}$", docstring, flags=re.MULTILINE)
    yield "", parts[0].strip()
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield title, body.strip("\n")


def _apart(body: str) -> tuple[str, str]:
    """Part the entries of a list, names with an indented text each, from what is said after them."""
    lines = [*body.split("\n"), ""]
    for place, (line, after) in enumerate(pairwise(lines)):
        if line[:1].strip() and not after.startswith("    "):
            return "\n".join(lines[:place]).strip("\n"), "\n".join(lines[place:]).strip("\n")
    return body, ""


def _list(body: str, room: str) -> str:
    """Turn names with an indented text each into a list."""
    items = []
    for block in re.split(r"\n(?=\S)", body):
        name, _, text = block.partition("\n")
        names = ", ".join(f"`{word.strip()}`" for word in name.split(","))
        lines = _linked(inspect.cleandoc(text), room).replace("\n", "\n    ")
        items.append(f"- {names}: {lines}")
    return re.sub(r" +$", "", "\n".join(items), flags=re.MULTILINE)


def _paragraphs(body: str, room: str) -> Iterator[str]:
    for block in re.split(r"\n{2,}", body):
        if block.lstrip().startswith(">>>"):
            yield f"```pycon\n{block}\n```"
        elif block:
            # A list right after a line of text is no list to Markdown.
            yield _linked(re.sub(r"(?<=\S)\n(?=[*-] )", "\n\n", block, count=1), room)


def _linked(text: str, room: str) -> str:
    """Link the public names that a text has in single backticks."""

    def link(match: re.Match[str]) -> str:
        found = _find(match[1], room)
        if found is None:
            return match[0]
        page = "index" if found.home == "" else found.home
        anchor = f"{found.home}.{found.name}" if found.home else found.name
        return f"[{match[0]}]({'' if found.home == room else f'{page}.md'}#{anchor})"

    return re.sub(r"(?<![`\[\w])`([A-Za-z_]\w*)`(?!`)", link, text)


def _find(name: str, room: str) -> Entry | None:
    """Return the entry that a name means: that of the room itself, else the one there is."""
    found = {entry.home: entry for entry in entries() if entry.name == name and entry.home == entry.room}
    if room in found:
        return found[room]
    return next(iter(found.values())) if len(found) == 1 else None


def _summary(value: Any, room: str, name: str = "") -> str:
    """Return the first paragraph of a docstring, in one line for a table."""
    documented = isinstance(value, ModuleType | type | FunctionType)
    text = (inspect.getdoc(value) or "") if documented else _constant_text(value, room, name)
    return _joined(text.split("\n\n")[0]).replace("|", "\\|")


def _joined(text: str) -> str:
    return " ".join(text.split())


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([cell.replace("\n", " ") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _constant_text(value: object, room: str, name: str) -> str:
    """Return the text below the assignment of a constant or a type, in whichever file of the room it stands."""
    here = Path(inspect.getfile(rooms()[room]))
    for path in sorted(here.parent.rglob("*.py")) if here.name == "__init__.py" else [here]:
        text = _below(ast.parse(path.read_text(encoding="utf-8")).body).get(name)
        if text is not None:
            return text
    return _joined(repr(value))


def _with_fields(value: type) -> str:
    """Return the docstring of a class, with what comments say of the fields of a dataclass as its parameters."""
    docstring = inspect.getdoc(value) or ""
    comments = _field_comments(value) if is_dataclass(value) else {}
    if not comments or "\nParameters\n" in docstring:
        return docstring
    listed = "\n".join(f"{names}\n    {text}" for names, text in comments.items())
    head, *sections = re.split(r"\n\n(?=[A-Z][a-z]+\n-{3,}$)", docstring, maxsplit=1, flags=re.MULTILINE)
    return "\n\n".join([head, f"Parameters\n----------\n{listed}", *sections])


def _field_comments(value: type) -> dict[str, str]:
    """Return the comments above and beside the fields of a class, which may name several fields at their beginning."""
    texts: dict[str, str] = {}
    above: list[str] = []
    for line in inspect.getsource(value).splitlines():
        if comment := re.fullmatch(r"    # (.*)", line):
            above.append(comment[1])
            continue
        field = re.match(r"    (\w+): ", line)
        if field is not None and field[1] in vars(value)["__annotations__"]:
            text = " ".join([*above, re.sub(r"^(type: ignore|noqa).*", "", line.partition("  # ")[2])]).strip()
            several = re.fullmatch(r"((?:\w+, )+\w+): (.*)", text)
            names, text = several.groups() if several else (field[1], text)
            if text:
                first = text.split()[0].rstrip(",;:")
                text = text[0].upper() + text[1:] if first.isalpha() and first.islower() else text
                texts[names] = f"{text.removesuffix('.')}."
        above = []
    return texts


def _attribute_texts(value: type) -> dict[str, str]:
    """Return the texts below the attributes of a class."""
    body = ast.parse(inspect.cleandoc(f"\n{inspect.getsource(value)}")).body[0]
    return _below(body.body) if isinstance(body, ast.ClassDef) else {}


def _below(body: list[ast.stmt]) -> dict[str, str]:
    """Return the text below each assignment, by the name assigned to."""
    texts: dict[str, str] = {}
    for statement, after in pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        if isinstance(text, str):
            texts |= {target.id: text for target in targets if isinstance(target, ast.Name)}
    return texts


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(""))
