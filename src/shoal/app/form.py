"""A form that was sent: values by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import DataError


class Form:
    """Values by name; what was not sent is empty."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self._values = values

    def one(self, name: str) -> str:
        """Return the value of a field."""
        return self._values.get(name, [""])[-1]

    def all(self, name: str) -> list[str]:
        """Return every value of a field that may have several."""
        return list(self._values.get(name, []))

    def number(self, name: str) -> int:
        """Return a whole number from 0 on; refuse anything else."""
        text = self.one(name)
        if not text.isdecimal() or len(text) > 9:
            raise DataError("that is no form of this app")
        return int(text)

    def names(self, prefix: str) -> list[str]:
        """Return the names of the fields that begin so, without that."""
        return [name.removeprefix(prefix) for name in self._values if name.startswith(prefix)]
