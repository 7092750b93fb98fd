"""A form that was sent: values by name, and the numbers that were typed into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import DataError, PlanError
from shoal.plan.toml import parse_value


def whole_number(text: str) -> int | None:
    """Return a whole number from 0 on that was typed or sent; None where it is none, or longer than any here.

    Examples
    --------
    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def typed_number(name: str, text: str) -> int | float | None:
    """Return the number that was typed into a field; None where it was left empty."""
    if not text.strip():
        return None
    number = parse_value(text.strip())
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise PlanError(f"{name} must be a number")
    return number


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

    def parts(self, name: str) -> list[str]:
        """Return what stands between the commas of a field."""
        return [part.strip() for part in self.one(name).split(",") if part.strip()]

    def number(self, name: str) -> int:
        """Return a whole number from 0 on; refuse anything else."""
        number = whole_number(self.one(name))
        if number is None:
            raise DataError("that is no form of this app")
        return number
