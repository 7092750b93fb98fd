"""Plans that pages show, whole or in part: each must be a plan, and one that is named is there for what follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import shoal
from shoal.plan.toml import load_toml, parse_toml

EXAMPLE = "examples/discharges.toml"
_NAMED = re.compile(r"# (?P<name>[\w/-]+\.toml)\b")


class ShownPlans:
    """The plans of one page.

    A block that declares columns is a plan of its own; k is 5 where it is not said. Any other is added to the last plan
    of the page, or to that of the bundled table. A block that begins with ``# NAME.toml`` is written to that file.
    """

    def __init__(self) -> None:
        self._last: dict[str, Any] | None = None

    def judge(self, text: str, folder: Path) -> shoal.Plan:
        """Return the plan that a block stands for.

        Raises
        ------
        shoal.PlanError
            It is none.
        """
        values = parse_toml(text)
        if "attributes" in values:
            self._last = values = {"k": 5, **values}
        else:
            values = _joined(self._last or load_toml(str(folder / EXAMPLE)), values)
        plan = shoal.Plan.from_mapping(values)
        if found := _NAMED.match(text):
            plan.save(folder / found["name"])
        return plan


def _joined(base: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """Return one mapping with what another one says, section by section."""
    joined = dict(base)
    for key, value in part.items():
        both = isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
        joined[key] = _joined(base[key], value) if both else value
    return joined
