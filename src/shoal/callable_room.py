"""Rooms that can be called: ``shoal.attack(...)`` is ``shoal.attack.attack(...)``, and both stay what they are."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A package that can be called, by the function of its own name.

    Notes
    -----
    Python lets a module have a class of its own, so that a room is one thing however and whenever it is imported. Type
    checkers take modules for uncallable: ``_rooms.pyi`` tells them of these.
    """

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        return self._function(*arguments, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function)

    @property
    def _function(self) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])


def make_callable(name: str) -> None:
    """Let a package that is being imported be called.

    Examples
    --------
    >>> import shoal
    >>> type(shoal.attack).__name__, shoal.attack.attack.__name__
    ('CallableRoom', 'attack')
    """
    sys.modules[name].__class__ = CallableRoom
