"""The table of recodings in docs/recoding.md is the registry, and its plan reads."""

from __future__ import annotations

import shoal
from docs.pages import blocks, rows, text_of
from shoal.plan.attribute import Attribute
from shoal.recode import RECODINGS

PAGE = text_of("docs/recoding.md")


def test_the_table_is_the_registry() -> None:
    expected = [
        [f"`{key}`", ", ".join(kind.value for kind in recoding.kinds), recoding.summary]
        for key, recoding in RECODINGS.items()
    ]
    assert rows(PAGE)[: len(expected)] == expected
    assert set(RECODINGS) <= set(Attribute.model_fields)


def test_the_plan_of_the_page_reads() -> None:
    plan = shoal.Plan.parse(blocks(PAGE, "toml")[0])
    assert set(plan.recodings()) == {"visit", "age", "town", "charge"}
