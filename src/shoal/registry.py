"""Registry: what a plan or a person can name, each entry described in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Generic, TypeVar

from shoal.errors import PlanError, nearest

__all__ = ["Registry", "each_once"]

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries of one kind by name, in the order in which they are listed for people.

    Parameters
    ----------
    what
        What an entry is, for messages.
    entries
        Those that are there from the start.
    name
        How the name of an entry is found.
    check
        Called with an entry before it is added; raises what is wrong with it.

    Examples
    --------
    >>> from types import SimpleNamespace as Colour
    >>> colours = Registry("colour", [Colour(name="red")])
    >>> _ = colours.register(Colour(name="blue"))
    >>> list(colours), colours["blue"].name
    (['red', 'blue'], 'blue')
    >>> colours.named("bleu")
    Traceback (most recent call last):
    ...
    shoal.errors.PlanError: colour must be one of red, blue, not 'bleu'; did you mean 'blue'?
    """

    def __init__(
        self,
        what: str,
        entries: Iterable[Entry] = (),
        *,
        name: Callable[[Any], str] = attrgetter("name"),
        check: Callable[[Entry], object] | None = None,
    ) -> None:
        self._what = what
        self._name = name
        self._check = check
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            self.register(entry)

    def __repr__(self) -> str:
        return f"Registry({self._what}: {', '.join(self._entries)})"

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    # Those of Mapping would look every entry up by its name, at each question to a plan.
    def values(self) -> ValuesView[Entry]:
        """Return the entries."""
        return self._entries.values()

    def items(self) -> ItemsView[str, Entry]:
        """Return the entries with their names."""
        return self._entries.items()

    def named(self, name: str) -> Entry:
        """Return the entry with a name, or refuse a name that there is not."""
        if name not in self._entries:
            names, hint = ", ".join(self._entries), nearest(name, self._entries)
            raise PlanError(f"{self._what} must be one of {names}, not {name!r}{hint}", field=self._what)
        return self._entries[name]

    def register(self, entry: Entry) -> Entry:
        """Add an entry under its name, which must be free, and return it."""
        name = self._name(entry)
        if name in self._entries:
            raise PlanError(
                f"there is a {self._what} {name!r} already: choose another name, or unregister that one first"
            )
        if self._check is not None:
            self._check(entry)
        self._entries[name] = entry
        return entry

    def unregister(self, name: str) -> Entry:
        """Take an entry out again, and return it."""
        self.named(name)
        return self._entries.pop(name)

    @contextmanager
    def temporarily(self, entry: Entry) -> Iterator[Entry]:
        """Have an entry for a ``with`` block, in place of the one with its name if there is one."""
        before = dict(self._entries)
        self._entries.pop(self._name(entry), None)
        try:
            yield self.register(entry)
        finally:
            self._entries = before


def each_once(names: Iterable[str], option: str) -> tuple[str, ...]:
    """Return the names that an option lists, each once, in their order; refuse a text, whose letters are no names.

    Examples
    --------
    >>> each_once(["dld", "il_percent", "dld"], "keys")
    ('dld', 'il_percent')
    >>> each_once("dld", "keys")
    Traceback (most recent call last):
    ...
    shoal.errors.PlanError: keys must list names, such as ["dld"], not 'dld'
    """
    if isinstance(names, str):
        raise PlanError(f'{option} must list names, such as ["{names}"], not {names!r}', field=option)
    return tuple(dict.fromkeys(names))
