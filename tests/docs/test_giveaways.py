"""docs/giveaways.md has every warning, and says of the bounds what the code does."""

from __future__ import annotations

import re

from docs.pages import ROOT, rows, section, text_of
from shoal.giveaways.dependencies import FEWEST, RUN, SHARE
from shoal.giveaways.relations import FOLLOWS
from shoal.giveaways.survey import SAMPLE
from shoal.republish.intersection import NAME as INTERSECTION

PAGE = text_of("docs/giveaways.md")


def test_every_warning_stands_in_the_table() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src/shoal/giveaways").glob("*.py"))
    made = {*re.findall(r'Giveaway\(\s*"(\w+)"', source), INTERSECTION}
    listed = [row[0].strip("`") for row in rows(section(PAGE, "The warnings"))]
    assert len(listed) == len(set(listed))
    assert set(listed) == made


def test_the_bounds_are_those_of_the_code() -> None:
    text = " ".join(section(PAGE, "When a relation is a warning").split())
    assert f"at least {FOLLOWS}, up or down" in text
    assert (SHARE, FEWEST, RUN) == (0.05, 8, 5)
    for word in ("a twentieth", "lambda of 0.95", "at least eight records", "five neighbours", f"{SAMPLE:,} records"):
        assert word in text
